/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan's events as a CPU counts them, and their schedule. */
#ifndef BARECOUNT_PMU_PLAN_CPU_EVENTS_H
#define BARECOUNT_PMU_PLAN_CPU_EVENTS_H

#include "pmu/base/array.h"
#include "pmu/events/built_in.h"
#include "pmu/events/emulation.h"
#include "pmu/uncore/uncore.h"
#include "pmu/plan/plan.h"
#include "pmu/counters/schedule.h"
#include "pmu/events/tables.h"

/* Values of cpu_events.group besides the plan's groups. */
#define GROUP_BUILT_IN PLAN_GROUPS_MAX
#define GROUP_NONE     (PLAN_GROUPS_MAX + 1) /* an anchor, if the built-in events are not counted */

#define EVENT_REASON_BYTES 192u

struct event_reason {
    uint32_t event; /* index in cpu_events.event; EVENTS_MAX: none yet */
    char text[EVENT_REASON_BYTES];
};

struct cpu_events {
    struct event *event;       /* EVENTS_MAX elements */
    uint8_t group[EVENTS_MAX]; /* the first group that lists the event, or GROUP_... */
    unsigned events;
    struct schedule *schedule;
    bool asks_uncore; /* an uncore event was looked up, for this or an earlier CPU */

    struct schedule_work *work; /* callers may use it */

    /* Private to cpu_events.c. */
    array_memory *memory;
    struct event_reason *reason;
    uint32_t reasons, reasons_room;
    struct event builtin[EVENTS_BUILTIN_MAX];
    unsigned builtins;
    /* If these inputs do not change, cpu_events_find() keeps its result. */
    bool is_found;
    struct cpu_caps kind;
    bool takes_all_bits;
    uint32_t status;
    bool has_uncore;
    struct uncore uncore;
};

struct cpu_events_port {
    const struct tables_port *tables;
    /*
     * Returns the package that the CPU counts for, or null if another CPU counts for the package.
     * Called at most once by cpu_events_find(), and only for uncore events.
     */
    const struct uncore *(*uncore)(void *context);
    void *context;
    const struct emulation *emulation; /* null: not emulated */
    bool takes_all_bits;               /* pmu_takes_all_bits(); needed for conditions=high */
};

/* Allocates the arrays that are missing. False if memory() returned null. */
bool cpu_events_start(struct cpu_events *cpu_events, array_memory *memory);

/*
 * Resolves the plan's events for a CPU, adds instructions and cycles, and makes the schedule.
 * Events that the CPU cannot count are included with their status. Uncore events come last, so that
 * core events have the same index on all CPUs. `status` is STATUS_OK, or the reason why the CPU
 * cannot count. If `status` is not STATUS_OK, each core event gets it. Each uncore event gets this
 * status too, unless `status` is STATUS_SKIPPED_PHASE.
 *
 * In the first call for a plan, `errors_to` must be `plan`, which gets the errors of event tables
 * and events. In later calls, `errors_to` must be null. A machine without a PMU, the uncore units
 * or a rule for an event is no error.
 */
void cpu_events_find(struct cpu_events *cpu_events, const struct cpu_events_port *port,
                     const struct plan *plan, const struct cpu_caps *caps, uint32_t status,
                     struct plan *errors_to);

/*
 * Writes the payload of RECORD_REASONS to `to`, unless `to` is null: for each event, the error that
 * the plan got about this event, or "". Returns the payload's size, or 0 if there is no error.
 */
size_t cpu_events_reasons(const struct cpu_events *cpu_events, char *to);

#endif
