/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a kernel went through all of its code: counts alone do not say where it went. Host only.
 */
#ifndef BARECOUNT_TESTS_PROVER_WHOLE_H
#define BARECOUNT_TESTS_PROVER_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

/*
 * `ran` says, by offset into the code, where an instruction was executed. What is left out may only
 * be INT3, a return, and, where the kernel has an argument, a jump or call that another value leads
 * to; before the entry is prepare, and after the code what the other CPUs run. False, with the
 * first instruction that is not so in `why`. decode_open() comes first.
 */
bool is_whole(const struct kernel_record *kernel, const bool *ran, char *why, size_t why_bytes);

#endif
