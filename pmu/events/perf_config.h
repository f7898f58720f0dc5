/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_event_attr's config and config1, by which Linux's perf_event_open() selects an event of a
 * CPU's own PMU. perf_event_open(2), "config", and /sys/bus/event_source/devices/cpu/format: config
 * is laid out like IA32_PERFEVTSELx without USR, OS, INT, PC and EN, which Linux sets; config1 is
 * the value of an extra register.
 */
#ifndef BARECOUNT_PMU_EVENTS_PERF_CONFIG_H
#define BARECOUNT_PMU_EVENTS_PERF_CONFIG_H

#include "pmu/counters/event.h"

/*
 * For a fixed counter's event, the equivalent event of general counters (C0H, 3CH), or else perf's
 * own encoding (event 0, unit mask 3 or 4).
 */
uint64_t perf_config(const struct event *event);

/* 0 without an extra register. */
uint64_t perf_config1(const struct event *event);

/* Whether a ring is not counted. */
static inline bool perf_excludes_user(const struct event *event)
{
    return !(event->rings & RING_USR);
}
static inline bool perf_excludes_kernel(const struct event *event)
{
    return !(event->rings & RING_OS);
}

#endif
