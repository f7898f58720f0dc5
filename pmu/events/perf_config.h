/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a core event for Linux's perf_event_open(). `config` has the layout of IA32_PERFEVTSELx,
 * without USR, OS, INT, PC and EN, which Linux sets. See perf_event_open(2), "config", and
 * /sys/bus/event_source/devices/cpu/format.
 */
#ifndef BARECOUNT_PMU_EVENTS_PERF_CONFIG_H
#define BARECOUNT_PMU_EVENTS_PERF_CONFIG_H

#include "pmu/counters/event.h"

/*
 * The select of an event. If only fixed counter 0 or 1 can count the event, the select is C0H or
 * 3CH. Other fixed counters have perf's own encoding (event 0, unit mask 3 or higher).
 */
uint64_t perf_config(const struct event *event);

/*
 * The value of the extra register; 0 if there is none, or if EVENT_MERGED is set, because Linux
 * merges counters itself.
 */
uint64_t perf_config1(const struct event *event);

/* exclude_user and exclude_kernel of perf_event_attr. */
static inline bool perf_excludes_user(const struct event *event)
{
    return !(event->rings & RING_USR);
}
static inline bool perf_excludes_kernel(const struct event *event)
{
    return !(event->rings & RING_OS);
}

#endif
