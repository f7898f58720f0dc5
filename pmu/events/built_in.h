/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in events, which need no event table. Intel's events have the names of Intel perfmon.
 * AMD's events have the titles in AMD's PPRs.
 */
#ifndef BARECOUNT_PMU_EVENTS_BUILT_IN_H
#define BARECOUNT_PMU_EVENTS_BUILT_IN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/status.h"

/*
 * Unhalted Reference Cycles: event 3CH, unit mask 01H. The clock that this event counts depends on
 * the CPU model.
 */
#define EVENT_CLOCK 0x013cu

/* EVENT_AMD_REFERENCE counts cycles of the P0 clock and exists on Zen 4 and later. */
#define EVENT_AMD_CYCLES    0x76u
#define EVENT_AMD_REFERENCE 0x100000120ull

/*
 * UNIT_BUS_CYCLES if EVENT_CLOCK is known to count the bus or crystal clock on this CPU, else
 * UNIT_REFERENCE_CYCLES.
 */
uint8_t event_clock_unit(const struct cpu_caps *caps);

/*
 * Intel's built-in events. In EVENTS, the fields `rings` and `status` are not set. Every run counts
 * the first EVENTS_ANCHORS events of the CPU's vendor.
 */
extern const struct event EVENTS[];
extern const unsigned EVENTS_COUNT;
#define EVENTS_BUILTIN_MAX 16u
#define EVENTS_ANCHORS     2u /* instructions and core cycles */

/* The built-in events of a vendor (enum cpu_vendor), and their number. */
const struct event *event_builtins(uint32_t vendor, unsigned *count);

/*
 * Event number `index` among the events with perf's generic names, such as "instructions"; null
 * past the end.
 */
const struct event *event_perf_at(uint32_t vendor, unsigned index);

/* STATUS_OK, or why a CPU cannot count a built-in event. */
enum status event_available(const struct event *event, const struct cpu_caps *caps);

/*
 * Sets *event to built-in event number `index`, with the name, unit and status that it has on a
 * CPU.
 */
void event_builtin(unsigned index, const struct cpu_caps *caps, uint8_t rings, struct event *event);

/*
 * Sets the fields that follow from an event's encoding: `arch`, `declared`, `kind` and
 * EVENT_AT_LEAST.
 */
void event_classify(struct event *event, const struct cpu_caps *caps);

#endif
