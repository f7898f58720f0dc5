/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a run's machine and plan, one name and value per line, for console and summaries. */
#ifndef BARECOUNT_PMU_FILES_FACTS_H
#define BARECOUNT_PMU_FILES_FACTS_H

#include "pmu/journal/record.h"

#define FACT_BYTES 240u

/* Gets one line. An empty name continues the previous line. A name like "! TSC" marks a warning. */
typedef void take_fact(void *context, const char *name, const char *value);

/* Describes the machine. `caps` may be null. */
void facts_machine(const struct run_record *run, const struct cpu_caps *caps, take_fact *take,
                   void *context);

/* Describes a CPU's PMU. */
void facts_pmu(const struct cpu_caps *caps, take_fact *take, void *context);

/*
 * Describes the plan. `passes` is the number of the plan's passes; 0: not known, or not relevant.
 */
void facts_plan(const struct run_record *run, unsigned passes, take_fact *take, void *context);

#endif
