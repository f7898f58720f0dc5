/* SPDX-License-Identifier: BSD-2-Clause */
/* What barecount-linux says on the console. */
#ifndef BARECOUNT_LINUX_REPORT_H
#define BARECOUNT_LINUX_REPORT_H

#include "scripts/linux/run.h"

/* The first lines: machine, Linux, CPU, PMU, plan, and where the results go. */
void report_start(const struct linux_run *run, const char *folder);

/* What is wrong with the plan and with files. */
void report_errors(const struct linux_run *run);

/* A result that the run's view has just taken; its rows go to the tally. */
void report_result(struct linux_run *run, const struct result *result);

/* A CPU is done. */
void report_cpu_end(const struct linux_run *run, const struct run_cpu *cpu);

/* The last lines. */
void report_end(const struct linux_run *run);

#endif
