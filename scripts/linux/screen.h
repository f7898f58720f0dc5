/* SPDX-License-Identifier: BSD-2-Clause */
/* The first and the last lines of barecount-linux; pmu/report/ prints the lines between them. */
#ifndef BARECOUNT_LINUX_SCREEN_H
#define BARECOUNT_LINUX_SCREEN_H

#include "scripts/linux/run.h"

/* Standard output as a stream. */
struct out *screen_out(void);

/* Prints the first lines: machine, Linux, CPU, PMU, plan, expected time and results folder. */
void screen_first(const struct linux_run *run, const char *folder);

/* Prints errors in files that were read before the plan. */
void screen_early_errors(void);

/* Prints an error of the plan with its place. */
void screen_error(const struct linux_run *run, const struct plan_error *error);

/* Prints all errors in the plan and other files. */
void screen_errors(const struct linux_run *run);

/* Prints the last lines of a run; `render` contains the run's journal. */
void screen_end(struct linux_run *run, const struct render *render);

#endif
