/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event as Linux' perf_event_open() takes it for a CPU's own PMU: perf_event_attr's config and
 * config1. See perf_event_open(2), "config", and /sys/bus/event_source/devices/cpu/format: config
 * is laid out like IA32_PERFEVTSELx, without USR, OS, INT, PC and EN, which the kernel sets;
 * config1 is what an extra register must hold.
 */
#ifndef BARECOUNT_PMU_EVENTS_PERF_CONFIG_H
#define BARECOUNT_PMU_EVENTS_PERF_CONFIG_H

#include "pmu/counters/event.h"

/*
 * Of a fixed counter's own event that of the general counters that counts the same where there is
 * one (C0H, 3CH), else perf's own number for it (event 0, unit mask 3 and 4).
 */
uint64_t perf_config(const struct event *event);

/* 0 without an extra register. */
uint64_t perf_config1(const struct event *event);

/* Which rings are not to be counted. */
static inline bool perf_excludes_user(const struct event *event)
{
    return !(event->rings & RING_USR);
}
static inline bool perf_excludes_kernel(const struct event *event)
{
    return !(event->rings & RING_OS);
}

#endif
