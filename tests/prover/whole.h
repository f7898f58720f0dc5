/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a kernel executed all of its code, which counts alone do not show. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_WHOLE_H
#define BARECOUNT_TESTS_PROVER_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

/*
 * `ran` tells by offset into the code which instructions were executed. From the entry to the code
 * of the second role, all must have been, except INT3, returns and, if the kernel has an argument,
 * unconditional jumps and calls, which may be for its other values. Otherwise returns false, with
 * the first instruction that was not executed in `why`. Requires decode_open().
 */
bool is_whole(const struct kernel_record *kernel, const bool *ran, char *why, size_t why_bytes);

#endif
