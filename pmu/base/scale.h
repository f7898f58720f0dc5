/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes quotients of products that may exceed 64 bits. */
#ifndef BARECOUNT_PMU_BASE_SCALE_H
#define BARECOUNT_PMU_BASE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * value * factor / divisor, rounded down; UINT64_MAX if that is 2^64 or more. The divisor is from 1
 * to 2^62.
 */
uint64_t scale(uint64_t value, uint64_t factor, uint64_t divisor);

/* The same, rounded half up; UINT64_MAX from 2^63 on, 0 if divisor is 0. factor is below 2^63. */
uint64_t scale_rounded(uint64_t value, uint64_t factor, uint64_t divisor);

/* The bound of values in rows, so that their thousandths and differences fit in 64 bits. */
#define SCALE_MAX (1ll << 52)

/*
 * core / reference * base_hz, in kHz, rounded half up; 0 when a count or base_hz is 0. Counts are
 * at most 2^60; absurd results are capped at UINT64_MAX / 1000.
 */
uint64_t scale_khz(uint64_t core, uint64_t reference, uint64_t base_hz);

/*
 * The time that `cycles` take at `khz`, in thousandths of a nanosecond, rounded half up; 0 when khz
 * is 0, UINT64_MAX from 2^63 (106 days) on. khz comes from scale_khz().
 */
uint64_t scale_ns_milli(uint64_t cycles, uint64_t khz);

#endif
