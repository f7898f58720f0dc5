/* SPDX-License-Identifier: BSD-2-Clause */
/* The first and the last lines that barecount-linux prints; pmu/report/ has what is between. */
#ifndef BARECOUNT_LINUX_SCREEN_H
#define BARECOUNT_LINUX_SCREEN_H

#include "scripts/linux/run.h"

/* Standard output as a stream. */
struct out *screen_out(void);

/* The first lines: machine, Linux, CPU, PMU, plan, and where the results go. */
void screen_first(const struct linux_run *run, const char *folder);

/* What is wrong with files that were read before the plan. */
void screen_early_errors(void);

/* An error of the plan, with its place, as many lines as it takes. */
void screen_error(const struct linux_run *run, const struct plan_error *error);

/* All that is wrong with the plan and with files. */
void screen_errors(const struct linux_run *run);

/* The last lines, of a run whose journal `render` has. */
void screen_end(struct linux_run *run, const struct render *render);

#endif
