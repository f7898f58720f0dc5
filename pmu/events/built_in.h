/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in events, which need no event table: the fixed counters, the architectural events, and
 * the retired loads, stores and taken branches of Skylake and later. The names are those of Intel
 * perfmon.
 */
#ifndef BARECOUNT_PMU_EVENTS_BUILT_IN_H
#define BARECOUNT_PMU_EVENTS_BUILT_IN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/status.h"

/* Unhalted Reference Cycles, whose clock depends on the core: event 3CH, unit mask 01H. */
#define EVENT_CLOCK 0x013cu

/* UNIT_BUS_CYCLES if EVENT_CLOCK is the bus clock or crystal, else UNIT_REFERENCE_CYCLES. */
uint8_t event_clock_unit(const struct cpu_caps *caps);

/* The built-in events without rings or status. Every run counts the first EVENTS_ANCHORS. */
extern const struct event EVENTS[];
extern const unsigned EVENTS_COUNT;
#define EVENTS_BUILTIN_MAX 16u
#define EVENTS_ANCHORS     2u /* instructions and core cycles, on fixed counters */

/* The same events under perf's generic names, such as "instructions"; null past the end. */
const struct event *event_perf_at(unsigned index);

/* STATUS_OK if a CPU can count a built-in event, or why not. */
enum status event_available(const struct event *event, const struct cpu_caps *caps);

/* A built-in event as a CPU is to count it; its status says whether it can. */
void event_builtin(unsigned index, const struct cpu_caps *caps, uint8_t rings, struct event *event);

/*
 * Sets the fields that follow from an event's encoding: its architectural event, and the kernel
 * declaration that it must equal.
 */
void event_classify(struct event *event, const struct cpu_caps *caps);

#endif
