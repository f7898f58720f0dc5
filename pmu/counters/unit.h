/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a counter counted to what it means. */
#ifndef BARECOUNT_PMU_COUNTERS_UNIT_H
#define BARECOUNT_PMU_COUNTERS_UNIT_H

#include "pmu/counters/event.h"

/*
 * What a count of an event comes to in its unit: lines are 64 bytes, steps of energy are of
 * event.extra x 2^-32 uJ, halves rounded away from 0; else the count. Counts lie within +-2^53;
 * bytes and uJ beyond +-SCALE_MAX are +-SCALE_MAX.
 */
int64_t unit_value(const struct event *event, int64_t count);

/* By how much a value of an event advances when its counter does; 1 at least. */
uint32_t unit_step(const struct event *event);

/*
 * A mean value over a mean time of `ticks_milli` thousandths of a tick at tick_hz, both above 0:
 * thousandths of GB/s (1e9 bytes) or W. unit_rate_name(): "GB/s", "W", or "" for what has no rate.
 */
int64_t unit_rate_milli(const struct event *event, int64_t mean_milli, uint64_t ticks_milli,
                        uint64_t tick_hz);
const char *unit_rate_name(const struct event *event);

#endif
