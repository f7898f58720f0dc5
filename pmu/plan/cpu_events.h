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

/* Values for cpu_events.group in addition to the indices of the plan's groups. */
#define GROUP_BUILT_IN PLAN_GROUPS_MAX
#define GROUP_NONE     (PLAN_GROUPS_MAX + 1) /* an anchor, if the built-in events are not counted */

#define EVENT_REASON_BYTES 192u

/* Why an event of the plan cannot be counted. */
struct event_reason {
    uint32_t event; /* index in cpu_events.event; EVENTS_MAX: not there, or not yet */
    char text[EVENT_REASON_BYTES];
};

struct cpu_events {
    struct event *event;       /* EVENTS_MAX elements */
    uint8_t group[EVENTS_MAX]; /* the first group that lists the event, or GROUP_... */
    unsigned events;
    struct schedule *schedule;
    bool asks_uncore; /* an uncore event of the plan was looked up, for this or an earlier CPU */

    struct schedule_work *work; /* for schedule_make(); callers may use it between two calls */

    /* The following fields are private to cpu_events.c. */
    array_memory *memory;
    struct event_reason *reason;
    uint32_t reasons, reasons_room;
    struct event builtin[EVENTS_BUILTIN_MAX];
    unsigned builtins;
    /* Inputs of the last cpu_events_find(). If the next inputs are equal, its result is reused. */
    bool is_found;
    struct cpu_caps kind; /* without the fields that differ between CPUs of one kind */
    uint32_t status;
    bool has_uncore;
    struct uncore uncore;
};

/* Sources of events. */
struct cpu_events_port {
    const struct tables_port *tables;
    /*
     * Returns the package for which the CPU counts, or null if another CPU counts for the package;
     * uncore events are then left out. Each cpu_events_find() calls this function at most once, and
     * only if the events to count include uncore events.
     */
    const struct uncore *(*uncore)(void *context);
    void *context;
    const struct emulation *emulation; /* null: not emulated, so events need no rule */
};

/*
 * Allocates those arrays of *cpu_events that are not allocated yet. Returns false if memory()
 * returned null.
 */
bool cpu_events_start(struct cpu_events *cpu_events, array_memory *memory);

/*
 * Resolves the plan's events for a CPU, adds instructions and cycles, and makes the schedule.
 * Events that the CPU cannot count are included with their status. Uncore events come last, so that
 * core events have the same index on all CPUs. `status`: STATUS_OK, or why the CPU cannot count.
 * This reason becomes the status of every core event and, unless it is STATUS_SKIPPED_PHASE, of
 * every uncore event that could be counted.
 *
 * `errors_to` must be `plan` in the first call for a plan, and null in later calls. The first call
 * adds the errors of event tables, and of events that the CPU cannot count, to the plan. No error
 * is added for an event that cannot be counted because the machine lacks a PMU, the uncore units
 * or, if it is emulated, a rule for the event. A later call reuses the result of the last call if
 * the kind of CPU, `status` and the uncore are the same.
 */
void cpu_events_find(struct cpu_events *cpu_events, const struct cpu_events_port *port,
                     const struct plan *plan, const struct cpu_caps *caps, uint32_t status,
                     struct plan *errors_to);

/*
 * Writes the payload of RECORD_REASONS to `to`, unless `to` is null. The payload contains a
 * zero-terminated text for each event: the plan's error about the event, or "". Returns the size of
 * the payload, or 0 if cpu_events_find() found no error.
 */
size_t cpu_events_reasons(const struct cpu_events *cpu_events, char *to);

#endif
