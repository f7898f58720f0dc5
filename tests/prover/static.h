/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes a kernel's counts from its bytes, for kernels that the host cannot run.
 *
 * Host only. Requires kernel_check() and decode_open().
 */
#ifndef BARECOUNT_TESTS_PROVER_STATIC_H
#define BARECOUNT_TESTS_PROVER_STATIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

/*
 * For kernels of one shape: straight code to the last RET, with at most one loop that ends in DEC
 * RDI, JNZ and runs n times, as neither other code in it nor prepare writes RDI. False, with the
 * reason in `why`, for others. Counts the same as trace_kernel().
 */
bool static_counts(const struct kernel_record *kernel, uint64_t n,
                   uint64_t counts[KERNEL_DECLARATIONS], char *why, size_t why_bytes);

#endif
