/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the DECLARE lines of kernel.inc that hold for a kernel, by counting it. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_DECLARE_H
#define BARECOUNT_TESTS_PROVER_DECLARE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"
#include "tests/prover/proof.h"

/*
 * Counts the kernel at small values of n, at its default, and past the end of its buffer, with the
 * lowest, default and highest value of its argument, but only those that take at most 20,000 steps
 * (the first three 60,000). Its own declarations are ignored. Prints a line per event: exact if one
 * line fits all counts; a range if two lines fitted to the other counts also hold at the largest n;
 * otherwise, or with fewer than three values of n, or if repeating the last n of an argument gives
 * another count, NOT_DECLARED with the reason. False, with n and the reason in `why`: it cannot be
 * counted.
 */
bool declare(const struct kernel_record *kernel, enum proof proof, char *why, size_t why_bytes);

#endif
