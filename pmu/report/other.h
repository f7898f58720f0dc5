/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports on a plan for a CPU other than the one that runs the program. For barecount-linux. */
#ifndef BARECOUNT_PMU_REPORT_OTHER_H
#define BARECOUNT_PMU_REPORT_OTHER_H

#include "pmu/cpu/other.h"
#include "pmu/plan/cpu_events.h"
#include "pmu/plan/plan.h"

struct other_plan {
    const struct other_cpus *cpus;
    const char *name;  /* of the plan's file */
    struct plan *plan; /* with its kernels chosen */
    unsigned kernels;
    struct cpu_events *events; /* from cpu_events_start() */
    const struct tables_port *tables;
    array_memory *memory; /* allocates memory for errors */
    /* Writes a line if some kernels of the plan cannot run on a CPU. */
    void (*say_kernels)(void *context, const struct other_cpu *cpu);
    void (*say_error)(void *context, const struct plan_error *error);
    void *context;
};

/*
 * Reports what the plan would count on each core type that it selects, and what is not known about
 * machines with this CPU. Events that none of the selected core types can count become errors of
 * the plan. Flushes `out` before calling functions of `about`, and at the end.
 */
void report_other_plan(const struct other_plan *about, struct out *out);

/* Reports a CPU and its PMU. Flushes `out`. */
void report_other_cpu(const struct other_cpu *cpu, struct out *out);

/* For a CPU that is not known: lists the known names, unless the text is family/model. */
void report_other_names(const char *text, struct out *out);

/* Lists events, as --list-events does, for each core type of a CPU. False if no event matches. */
bool report_other_events(const struct other_cpus *cpus, const struct tables_port *tables,
                         void (*say)(void *context, const char *sentence), const char *pattern,
                         struct out *out);

#endif
