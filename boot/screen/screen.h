/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first screen, the line of progress and the last lines of a run; pmu/report/ has what is
 * between. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_SCREEN_SCREEN_H
#define BARECOUNT_BOOT_SCREEN_SCREEN_H

#include "boot/plan/run.h"

/* What will be done, before anything is. */
void screen_first(const struct run *run);

/* The parts of it that are about the plan: what it comes to, and what is wrong with it, at most so
 * many errors. */
void screen_plan(const struct run *run);
void screen_plan_errors(const struct run *run, unsigned most);
void screen_plan_error(const struct run *run, const struct plan_error *error);

/* What is wrong with other files of the stick: boot/efi/early_notes.h. */
void screen_early_notes(void);

/* How far the run is. `what` is the kernel that comes next. */
void screen_progress(const struct progress *p, unsigned cpu, const char *what);

/* Rows, where the results went, time, and the last line: tally_line(). */
void screen_end(struct progress *p, const struct delivery *delivery);

#endif
