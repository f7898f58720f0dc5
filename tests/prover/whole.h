/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a kernel executed all of its code, which counts alone do not show. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_WHOLE_H
#define BARECOUNT_TESTS_PROVER_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

/*
 * `ran` tells by offset into the code which instructions were executed. The others may only be
 * INT3, returns, or, if the kernel has an argument, jumps and calls for its other values; prepare
 * precedes the entry, and the code of other CPUs follows the kernel's. False, with the first other
 * instruction in `why`. Requires decode_open().
 */
bool is_whole(const struct kernel_record *kernel, const bool *ran, char *why, size_t why_bytes);

#endif
