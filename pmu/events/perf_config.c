/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes events for perf_event_open(). */
#include "pmu/events/perf_config.h"
#include "pmu/counters/select.h"

#define INSTRUCTIONS_RETIRED 0xc0u
#define UNHALTED_CYCLES      0x3cu

uint64_t perf_config(const struct event *event)
{
    switch (event->fixed_only ? select_fixed(event->select) : EVENT_NOT_FIXED) {
    case 0:
        return INSTRUCTIONS_RETIRED;
    case 1:
        return UNHALTED_CYCLES;
    default:
        return event->select;
    }
}

uint64_t perf_config1(const struct event *event)
{
    return event_has_extra(event) ? event->extra : 0;
}
