/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a CPU has what an event needs: between pmu/events/find.c and pmu/events/can.c. */
#ifndef BARECOUNT_PMU_EVENTS_CAN_H
#define BARECOUNT_PMU_EVENTS_CAN_H

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/base/out.h"
#include "pmu/base/status.h"

/*
 * Whether a CPU can count an event that is complete but for arch and declared; takes from it the
 * counters that the CPU lacks (fixed, fixed_only, counters). `more` gets what the status does not
 * say, after which a sentence can end.
 */
enum status event_can_be_counted(struct event *event, const struct cpu_caps *caps,
                                 struct out *more);

/*
 * The same for the architectural events, once event->arch is known. `is_builtin`: the event is from
 * no table of the CPU's model, so the CPU must list it.
 */
enum status event_is_present(struct event *event, const struct cpu_caps *caps, bool is_builtin);

#endif
