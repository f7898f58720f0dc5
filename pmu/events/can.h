/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a CPU has what an event needs. Only for find.c and built_in.c of this folder. */
#ifndef BARECOUNT_PMU_EVENTS_CAN_H
#define BARECOUNT_PMU_EVENTS_CAN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/out.h"
#include "pmu/base/status.h"

/* STATUS_OK if this program can count on a CPU at all, otherwise the reason why it cannot. */
enum status event_counts_at_all(const struct cpu_caps *caps);

/*
 * STATUS_OK if a CPU can count an event, otherwise the reason why it cannot. event->arch and
 * event->declared need not be set. Removes the event's fixed counter if the CPU lacks it, unless
 * only this counter can count the event. Sets fixed_only if no general counter can count the event.
 * On AMD, restricts `counters` to those that can count the event; if the event needs merged
 * counters, sets EVENT_MERGED, EVENT_ALONE and the extra register. Writes to `more` the details
 * that belong at the end of the status's sentence.
 */
enum status event_can_be_counted(struct event *event, const struct cpu_caps *caps,
                                 struct out *more);

/*
 * STATUS_OK if a CPU has the architectural event with the index event->arch, or if event->arch is
 * EVENT_NOT_ARCH. If the CPU lacks the event but the event has a fixed counter, sets fixed_only
 * instead of failing. `is_builtin` says that the event is not from the table of the CPU's model;
 * CPUID must then list the event.
 */
enum status event_is_present(struct event *event, const struct cpu_caps *caps, bool is_builtin);

#endif
