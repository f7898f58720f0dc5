/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts a kernel's events to find which DECLARE lines (kernels/kernel.inc) are true. Host only. */
#ifndef BARECOUNT_TESTS_PROVER_DECLARE_H
#define BARECOUNT_TESTS_PROVER_DECLARE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"
#include "tests/prover/proof.h"

/*
 * Counts the kernel's events with the lowest, the default and the highest value of its argument.
 * With each of these values, counts at small n, at the default n, and at values of n that reach
 * past the end of the buffer (or past 2,000 addresses of a large buffer). Stops at the first n that
 * would take more than 20,000 steps, or 60,000 steps for the first three values of n. Ignores the
 * kernel's own declarations.
 *
 * Prints one declaration for each event:
 * - an exact one if a single line fits all counts,
 * - otherwise a range if all counts are between two lines; the fit ignores the largest n,
 * - NOT_DECLARED, with the reason, if
 *   - there are no such lines,
 *   - fewer than three values of n were counted with one of the values of the argument,
 *   - a second count at the last n differed from the first count, or
 *   - for loads and stores, a repeated string instruction was executed.
 *
 * Returns false, with n and the reason in `why`, if the kernel's events cannot be counted.
 */
bool declare(const struct kernel_record *kernel, enum proof proof, char *why, size_t why_bytes);

#endif
