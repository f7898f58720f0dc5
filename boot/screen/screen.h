/* SPDX-License-Identifier: BSD-2-Clause */
/* The first screen, the progress line and the last lines of a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SCREEN_SCREEN_H
#define BARECOUNT_BOOT_SCREEN_SCREEN_H

#include "boot/plan/run.h"

/* Prints what the run will do, before it starts. */
void screen_first(const struct run *run);

/* Print parts of the first screen. `most`: the largest number of errors to print. */
void screen_plan(const struct run *run);
void screen_plan_errors(const struct run *run, unsigned most);

/* Prints remarks, and errors in files other than the plan. */
void screen_early_notes(void);

/* `what` names the next kernel. */
void screen_progress(const struct progress *p, unsigned cpu, const char *what);

/*
 * Prints the verdicts, where the results went, how long the run took, and the line of tally_line().
 */
void screen_end(struct progress *p, const struct delivery *delivery);

#endif
