/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes a kernel's counts from its bytes, for kernels that the host cannot run. Host only.
 * Requires kernel_check() and decode_open().
 */
#ifndef BARECOUNT_TESTS_PROVER_STATIC_H
#define BARECOUNT_TESTS_PROVER_STATIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

/*
 * Gives the same counts as trace_kernel(), but no split accesses, because addresses are not known
 * before the kernel runs. The kernel must be straight code up to a RET, with at most one loop. The
 * loop must end in DEC RDI and JNZ. Neither prepare nor other code before this JNZ may write RDI,
 * so that the loop runs n times. Returns false, with the reason in `why`, for other kernels.
 */
bool static_counts(const struct kernel_record *kernel, uint64_t n, uint64_t counts[KERNEL_COUNTS],
                   char *why, size_t why_bytes);

#endif
