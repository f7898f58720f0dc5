/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in events, which need no event table. On Intel, these are the events of fixed counters
 * 0 to 2, architectural events 0 to 6, and retired loads, stores and taken branches on cores that
 * count these as instructions; their names are those of Intel perfmon. On AMD, these are ten
 * events, named after their titles in AMD's PPRs.
 */
#ifndef BARECOUNT_PMU_EVENTS_BUILT_IN_H
#define BARECOUNT_PMU_EVENTS_BUILT_IN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/status.h"

/* Unhalted Reference Cycles: event 3CH, unit mask 01H. Its clock depends on the CPU model. */
#define EVENT_CLOCK 0x013cu

/*
 * AMD's events of cycles. EVENT_AMD_REFERENCE counts cycles of the P0 clock (event 120H, unit mask
 * 01H) and exists on Zen 4 and later.
 */
#define EVENT_AMD_CYCLES    0x76u
#define EVENT_AMD_REFERENCE 0x100000120ull

/*
 * UNIT_BUS_CYCLES if EVENT_CLOCK is known to count the bus or crystal clock on this CPU, else
 * UNIT_REFERENCE_CYCLES.
 */
uint8_t event_clock_unit(const struct cpu_caps *caps);

/*
 * Intel's built-in events; rings and status are not set. Every run counts the first EVENTS_ANCHORS
 * built-in events of the CPU's vendor.
 */
extern const struct event EVENTS[];
extern const unsigned EVENTS_COUNT;
#define EVENTS_BUILTIN_MAX 16u
#define EVENTS_ANCHORS     2u /* instructions and core cycles; on Intel, on fixed counters */

/*
 * The built-in events of a vendor (enum cpu_vendor), and their number. AMD has a list of its own;
 * for all other vendors the list is EVENTS.
 */
const struct event *event_builtins(uint32_t vendor, unsigned *count);

/* A vendor's events with perf's generic names, such as "instructions"; null past the end. */
const struct event *event_perf_at(uint32_t vendor, unsigned index);

/* STATUS_OK if a CPU can count a built-in event, otherwise the reason why it cannot. */
enum status event_available(const struct event *event, const struct cpu_caps *caps);

/*
 * Sets *event to the built-in event number `index`, with the name and unit that the event has on a
 * CPU. event->status says whether the CPU can count the event.
 */
void event_builtin(unsigned index, const struct cpu_caps *caps, uint8_t rings, struct event *event);

/*
 * Sets the fields that follow from an event's encoding: its architectural event, the kind of
 * declared count that the event must match, and EVENT_AT_LEAST.
 */
void event_classify(struct event *event, const struct cpu_caps *caps);

#endif
