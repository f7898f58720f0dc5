/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run counts on a CPU: the plan's events as that CPU has them, and the passes they take. */
#ifndef BARECOUNT_PMU_PLAN_CPU_EVENTS_H
#define BARECOUNT_PMU_PLAN_CPU_EVENTS_H

#include "pmu/base/array.h"
#include "pmu/events/built_in.h"
#include "pmu/events/emulation.h"
#include "pmu/uncore/uncore.h"
#include "pmu/plan/plan.h"
#include "pmu/counters/schedule.h"
#include "pmu/events/tables.h"

/* Beside the numbers of the plan's groups. */
#define GROUP_BUILT_IN PLAN_GROUPS_MAX
#define GROUP_NONE     (PLAN_GROUPS_MAX + 1) /* the plan did not ask for it */

#define EVENT_REASON_BYTES 192u

/* Why an event of the plan cannot be counted. */
struct event_reason {
    uint32_t event; /* its number, once it has one */
    char text[EVENT_REASON_BYTES];
};

struct cpu_events {
    struct event *event;       /* EVENTS_MAX */
    uint8_t group[EVENTS_MAX]; /* of the plan, the first one that each event is of */
    unsigned events;
    struct schedule *schedule;

    /* The rest is for cpu_events_find() alone. */
    struct schedule_work *work;
    array_memory *memory;
    struct event_reason *reason;
    uint32_t reasons, reasons_room;
    struct event builtin[EVENTS_BUILTIN_MAX];
    /* What they were found for, so that they are not for the next CPU of the same kind. */
    bool is_found;
    struct cpu_caps kind; /* without what tells CPUs of a kind apart */
    uint32_t status;
    bool asks_uncore; /* the plan has events of packages */
    bool has_uncore;
    struct uncore uncore;
};

/* Where events come from. */
struct cpu_events_port {
    const struct tables_port *tables;
    /*
     * What the CPU counts for its package; null when that is not its to do, and then such events
     * are left out. Asked once, and only when the plan has events of packages.
     */
    const struct uncore *(*uncore)(void *context);
    void *context;
    const struct emulation *emulation; /* null: the machine may count all events */
};

/* Takes the memory for them, once; memory() gives null for none. False: there is none. */
bool cpu_events_start(struct cpu_events *cpu_events, array_memory *memory);

/*
 * Finds the plan's events for a CPU, and instructions and cycles with them. What the plan names and
 * the CPU cannot count is there too, with its status. Events of packages stand behind all others,
 * so that these have the same numbers on all CPUs. `status`: STATUS_OK, or why the CPU did not
 * describe itself, which is then the status of every event.
 *
 * errors_to: of a plan that is new; what its CPU cannot count is an error there, and so is what is
 * wrong with the event tables. No error is what the machine lacks: a PMU, units outside its cores,
 * a rule. Null: the plan is that of the last call, and of a CPU of the same kind as then nothing is
 * found again.
 */
void cpu_events_find(struct cpu_events *cpu_events, const struct cpu_events_port *port,
                     const struct plan *plan, const struct cpu_caps *caps, uint32_t status,
                     struct plan *errors_to);

/*
 * The payload of RECORD_REASONS, into `to` unless that is null: for each event a text that ends
 * with 0, which says why the plan is wrong about it, or is empty. Returns its bytes; 0: nothing is.
 */
size_t cpu_events_reasons(const struct cpu_events *cpu_events, char *to);

#endif
