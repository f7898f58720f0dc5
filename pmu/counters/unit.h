/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts counts to their events' units. */
#ifndef BARECOUNT_PMU_COUNTERS_UNIT_H
#define BARECOUNT_PMU_COUNTERS_UNIT_H

#include "pmu/counters/event.h"

/*
 * A count in its event's unit: lines are 64 bytes, steps of energy are event.extra x 2^-32 uJ,
 * rounded half away from 0; other counts are unchanged. Counts are within +-2^53; bytes and uJ are
 * capped at +-SCALE_MAX.
 */
int64_t unit_value(const struct event *event, int64_t count);

/* The smallest increment of an event's value, at least 1. */
uint32_t unit_step(const struct event *event);

/*
 * The rate of a mean value over a mean time of `ticks_milli` / 1000 ticks at tick_hz (both above
 * 0), in thousandths of GB/s (1e9 bytes) or W. unit_rate_name(): "GB/s", "W", or "" for none.
 */
int64_t unit_rate_milli(const struct event *event, int64_t mean_milli, uint64_t ticks_milli,
                        uint64_t tick_hz);
const char *unit_rate_name(const struct event *event);

#endif
