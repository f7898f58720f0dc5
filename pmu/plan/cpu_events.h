/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run counts on a CPU: the plan's events as that CPU has them, and the passes they take. */
#ifndef BARECOUNT_PMU_PLAN_CPU_EVENTS_H
#define BARECOUNT_PMU_PLAN_CPU_EVENTS_H

#include "pmu/uncore/uncore.h"
#include "pmu/plan/plan.h"
#include "pmu/counters/schedule.h"
#include "pmu/events/tables.h"

struct cpu_events {
    struct event *event; /* EVENTS_MAX */
    unsigned events;
    unsigned anchors; /* the first of them, which the plan did not ask for */
    struct schedule *schedule;
    struct schedule_work *work;
};

/* Takes the memory for them, once; memory() gives null for none. False: there is none. */
bool cpu_events_start(struct cpu_events *cpu_events, void *(*memory)(size_t bytes));

/*
 * Finds the plan's events for a CPU, and instructions and cycles with them. What the plan names and
 * the CPU cannot count is there too, with its status; with `complain_to` that is complained of, but
 * for what a machine lacks outside its cores, and so is what is wrong with the event tables.
 * `package`: what the CPU counts for its package; null when that is not its to do, and then such
 * events are left out. They stand behind all others, so that these have the same numbers on all
 * CPUs. `status`: STATUS_OK, or why the CPU did not describe itself, which is then the status of
 * every event.
 */
void cpu_events_find(struct cpu_events *cpu_events, const struct tables_port *port,
                     const struct plan *plan, const struct cpu_caps *caps,
                     const struct package *package, uint32_t status, struct plan *complain_to);

#endif
