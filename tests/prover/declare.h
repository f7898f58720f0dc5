/* SPDX-License-Identifier: BSD-2-Clause */
/* The DECLARE lines of kernel.inc that hold for a kernel, found by counting it. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_DECLARE_H
#define BARECOUNT_TESTS_PROVER_DECLARE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"
#include "tests/prover/proof.h"

/*
 * Counts the kernel at small n, at its default, and past the end of its buffer, with the lowest,
 * the default and the highest value of its argument, as far as each takes no more than
 * 20,000 steps, and the first three n 60,000; whatever it declares. Prints a line an event: exact
 * where one line goes through all counts; a range where two lines that were laid around the others
 * hold at the largest n, too; else, and wherever fewer than three n were counted, NOT_DECLARED with
 * the reason; so does an event that came out otherwise when the last n with an argument was counted
 * once more. False, with n and the reason in `why`, when it cannot be counted.
 */
bool declare(const struct kernel_record *kernel, enum proof proof, char *why, size_t why_bytes);

#endif
