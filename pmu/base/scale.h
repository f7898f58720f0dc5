/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a counter counted to what it means; and products that take more than 64 bits. */
#ifndef BARECOUNT_PMU_BASE_SCALE_H
#define BARECOUNT_PMU_BASE_SCALE_H

#include "pmu/counters/event.h"

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
 * What a count of an event comes to in its unit: lines are 64 bytes, steps of energy are of
 * event.extra x 2^-32 uJ, halves rounded away from 0; else the count. Counts lie within +-2^53;
 * bytes and uJ beyond +-SCALE_MAX are +-SCALE_MAX.
 */
int64_t scale_count(const struct event *event, int64_t count);

/* By how much a value of an event advances when its counter does; 1 at least. */
uint32_t scale_step(const struct event *event);

/*
 * A mean value over a mean time of `ticks_milli` thousandths of a tick at tick_hz, both above 0:
 * thousandths of GB/s (1e9 bytes) or W. scale_rate_unit(): "GB/s", "W", or "" for what has no rate.
 */
int64_t scale_rate_milli(const struct event *event, int64_t mean_milli, uint64_t ticks_milli,
                         uint64_t tick_hz);
const char *scale_rate_unit(const struct event *event);

#endif
