/* SPDX-License-Identifier: BSD-2-Clause */
/* Quotients of products that may exceed 64 bits. */
#ifndef BARECOUNT_PMU_BASE_SCALE_H
#define BARECOUNT_PMU_BASE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * value * factor / divisor, rounded down; UINT64_MAX if the result is 2^64 or more. The divisor is
 * 1 to 2^62.
 */
uint64_t scale(uint64_t value, uint64_t factor, uint64_t divisor);

/*
 * value * factor / divisor, rounded half up; 0 if the divisor is 0, UINT64_MAX if the result is
 * 2^63 or more. The factor is below 2^63.
 */
uint64_t scale_rounded(uint64_t value, uint64_t factor, uint64_t divisor);

/*
 * The largest value in a result row. A difference of two such values, in thousandths, fits in 64
 * bits.
 */
#define SCALE_MAX (1ll << 52)

/*
 * core / reference * base_hz in kHz, rounded half up; 0 if an argument is 0. Counts are at most
 * 2^60. The clock is capped at UINT64_MAX Hz.
 */
uint64_t scale_khz(uint64_t core, uint64_t reference, uint64_t base_hz);

/*
 * The time of `cycles` at `khz`, in thousandths of a nanosecond, rounded half up. 0 if khz is 0;
 * UINT64_MAX if the time is 2^63 thousandths (106 days) or more.
 */
uint64_t scale_ns_milli(uint64_t cycles, uint64_t khz);

#endif
