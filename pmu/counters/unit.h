/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts counts to their events' units. */
#ifndef BARECOUNT_PMU_COUNTERS_UNIT_H
#define BARECOUNT_PMU_COUNTERS_UNIT_H

#include "pmu/counters/event.h"

/*
 * Lines become bytes. Steps of event.extra x 2^-32 uJ become uJ, rounded half away from zero.
 * Counts are within +-2^53; results are capped at +-SCALE_MAX.
 */
int64_t unit_value(const struct event *event, int64_t count);

/* The smallest increment of an event's value, at least 1. */
uint32_t unit_step(const struct event *event);

/*
 * The rate of a mean value, mean_milli / 1000, that was counted in ticks_milli / 1000 ticks at
 * tick_hz. The result is in thousandths of GB/s (1e9 bytes/s) or W. ticks_milli and tick_hz are
 * above 0. unit_rate_name() is "" if the event has no rate.
 */
int64_t unit_rate_milli(const struct event *event, int64_t mean_milli, uint64_t ticks_milli,
                        uint64_t tick_hz);
const char *unit_rate_name(const struct event *event);

#endif
