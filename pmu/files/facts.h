/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run was made on, as lines of a name and a value: on the console, and in its summaries. */
#ifndef BARECOUNT_PMU_FILES_FACTS_H
#define BARECOUNT_PMU_FILES_FACTS_H

#include "pmu/journal/record.h"

#define FACT_BYTES 240u

/* Takes a line. "" as its name: it goes on with what was said before; "! TSC" begins a warning. */
typedef void take_fact(void *context, const char *name, const char *value);

/* Of its machine: maker, firmware or Linux, CPU, time stamp, PMU. `caps` may be null. */
void facts_machine(const struct run_record *run, const struct cpu_caps *caps, take_fact *take,
                   void *context);

/* The line of a CPU's PMU alone. */
void facts_pmu(const struct cpu_caps *caps, take_fact *take, void *context);

/* Of its plan; of so many passes, 0 where that is not known, or does not matter. */
void facts_plan(const struct run_record *run, unsigned passes, take_fact *take, void *context);

#endif
