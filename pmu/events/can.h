/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a CPU has what an event needs. */
#ifndef BARECOUNT_PMU_EVENTS_CAN_H
#define BARECOUNT_PMU_EVENTS_CAN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/out.h"
#include "pmu/base/status.h"

/* STATUS_OK, or why this program cannot count anything on a CPU. */
enum status event_counts_at_all(const struct cpu_caps *caps);

/*
 * STATUS_OK, or why a CPU cannot count an event; `more` gets the details that follow the status's
 * sentence. Adapts the event's counters, flags and extra register to the CPU.
 */
enum status event_can_be_counted(struct event *event, const struct cpu_caps *caps,
                                 struct out *more);

/*
 * Checks that a CPU has the architectural event event->arch, if any. If the CPU lacks the event,
 * but has a fixed counter for it, only this counter is used. is_builtin: the event is not from the
 * table of the CPU's model, so CPUID must list it.
 */
enum status event_is_present(struct event *event, const struct cpu_caps *caps, bool is_builtin);

#endif
