/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in events: the fixed counters, the architectural events, and the retired loads, stores
 * and taken branches of Skylake and its successors. Names are Intel perfmon's. With them the image
 * works without any table.
 */
#ifndef BARECOUNT_PMU_EVENTS_BUILT_IN_H
#define BARECOUNT_PMU_EVENTS_BUILT_IN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/status.h"

/* Event 3CH, unit mask 01H, Unhalted Reference Cycles: which clock it counts differs by core. */
#define EVENT_CLOCK 0x013cu

/* UNIT_BUS_CYCLES where that is the bus clock or the crystal, else UNIT_REFERENCE_CYCLES. */
uint8_t event_clock_unit(const struct cpu_caps *caps);

/* With rings and status still to be set; the first two are counted in every run. */
extern const struct event EVENTS[];
extern const unsigned EVENTS_COUNT;
#define EVENTS_BUILTIN_MAX 16u
#define EVENTS_ANCHORS     2u /* instructions and core cycles, on fixed counters */

/* The same events by perf's generic names, as "instructions"; a null pointer from the end on. */
const struct event *event_perf_at(unsigned index);

/* Whether a CPU can count a built-in event: STATUS_OK, or why not. */
enum status event_available(const struct event *event, const struct cpu_caps *caps);

/* A built-in event as a CPU is to count it, or cannot (its status says why). */
void event_builtin(unsigned index, const struct cpu_caps *caps, uint8_t rings, struct event *event);

/*
 * Sets what is known of an event by its encoding alone: the architectural event that it is, and the
 * kernels' declaration that it must meet.
 */
void event_classify(struct event *event, const struct cpu_caps *caps);

#endif
