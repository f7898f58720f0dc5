/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a kernel executed all of its code, since counts do not show this. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_WHOLE_H
#define BARECOUNT_TESTS_PROVER_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

/*
 * `ran` says, by offset into the code, which instructions were executed. Returns false if an
 * instruction from the entry up to the code of the second role was not executed; `why` then
 * describes the instruction. INT3 and returns need not be executed. In a kernel with an argument,
 * unconditional jumps and calls may be for other values of the argument, and need not be executed
 * either. Requires decode_open().
 */
bool is_whole(const struct kernel_record *kernel, const bool *ran, char *why, size_t why_bytes);

#endif
