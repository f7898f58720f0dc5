/* SPDX-License-Identifier: BSD-2-Clause */
/* Products that take more than 64 bits, and what is made of them. */
#ifndef BARECOUNT_PMU_BASE_SCALE_H
#define BARECOUNT_PMU_BASE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * value * factor / divisor, rounded down; UINT64_MAX beyond 2^64. The divisor is at least 1 and at
 * most 2^62.
 */
uint64_t scale(uint64_t value, uint64_t factor, uint64_t divisor);

/* The same, halves rounded up; UINT64_MAX beyond 2^63, 0 without a divisor. factor below 2^63. */
uint64_t scale_rounded(uint64_t value, uint64_t factor, uint64_t divisor);

/* Values of rows lie within this: thousandths and differences of them fit in 64 bits. */
#define SCALE_MAX (1ll << 52)

/*
 * core / reference * base, in kHz, halves rounded up. 0: not known, as a count or base_hz is 0. The
 * counts are at most 2^60; a result that is no frequency is at most UINT64_MAX / 1000.
 */
uint64_t scale_khz(uint64_t core, uint64_t reference, uint64_t base_hz);

/*
 * What so many cycles take at `khz`, in thousandths of a nanosecond, halves rounded up; 0 when khz
 * is 0, UINT64_MAX when it is 2^63 (106 days) or more. khz is one of scale_khz().
 */
uint64_t scale_ns_milli(uint64_t cycles, uint64_t khz);

#endif
