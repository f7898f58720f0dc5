/* SPDX-License-Identifier: BSD-2-Clause */
/* Image and barecount-linux tell what a plan would be on a CPU that they do not run on. */
#ifndef BARECOUNT_PMU_REPORT_OTHER_H
#define BARECOUNT_PMU_REPORT_OTHER_H

#include "pmu/cpu/other.h"
#include "pmu/plan/cpu_events.h"
#include "pmu/plan/plan.h"

struct other_plan {
    const struct other_cpus *cpus;
    const char *name;  /* of the plan's file */
    struct plan *plan; /* which was read, and whose kernels were chosen */
    unsigned kernels;
    struct cpu_events *events; /* cpu_events_start() gave them memory */
    const struct tables_port *tables;
    array_memory *memory; /* of errors */
    /* A line about the plan's kernels that cannot run on a CPU; nothing when all can. */
    void (*say_kernels)(void *context, const struct other_cpu *cpu);
    void (*say_error)(void *context, const struct plan_error *error);
    void *context;
};

/*
 * Tells what the plan would count on each core type that it asks for, what cannot be counted there,
 * and what nobody knows of such a machine. Events that none of these core types can count are
 * errors, added to the plan's. Flushes `out` before each call of a function of `about`, and at the
 * end.
 */
void report_other_plan(const struct other_plan *about, struct out *out);

/* Which CPU is meant, and its PMU. Flushes. */
void report_other_cpu(const struct other_cpu *cpu, struct out *out);

/* After a text that no CPU was found for: the names that there are, unless it has numbers. */
void report_other_names(const char *text, struct out *out);

/* --list-events for it: each core type's own list. False: nothing is listed. */
bool report_other_events(const struct other_cpus *cpus, const struct tables_port *tables,
                         void (*say)(void *context, const char *sentence), const char *pattern,
                         struct out *out);

#endif
