/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count what a kernel does from its bytes alone, for kernels that the host cannot run.
 *
 * Host only. The kernel has been accepted by kernel_check(). decode_open() comes first.
 */
#ifndef BARECOUNT_TESTS_PROVER_STATIC_H
#define BARECOUNT_TESTS_PROVER_STATIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

/*
 * For kernels of one shape: a straight line to the last RET, in it at most one loop, whose end is
 * DEC RDI, JNZ, and in which nothing else writes RDI, nor does prepare: it is gone through n times.
 * False, with the reason in `why`, for any other. What is counted is what trace_kernel() counts.
 */
bool static_counts(const struct kernel_record *kernel, uint64_t n,
                   uint64_t counts[KERNEL_DECLARATIONS], char *why, size_t why_bytes);

#endif
