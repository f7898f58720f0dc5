/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person sees of a run: first screen, a table, a verdict. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SCREEN_TABLE_H
#define BARECOUNT_BOOT_SCREEN_TABLE_H

#include "boot/plan/run.h"

/* What will be done, before anything is. */
void report_first_screen(const struct run *run);

/* The parts of it that are about the plan: what it comes to, and what is wrong with it. */
void report_plan(const struct run *run);
void report_plan_errors(const struct run *run);

/* What is wrong with other files of the stick: boot/efi/complaints.h. */
void report_complaints(void);

/* What every select of the view's CPU means, and what is known to be wrong with its counters. */
void report_events(const struct view *view);

/* Starts a run: nothing of it has been shown. */
void report_start(void);

/* Starts a CPU. The first of its kind gets a table of all its kernels, the others a line each. */
void report_cpu(const struct run *run, const struct view *view);

/* The calibration of the present CPU: says which counters do not count the empty window right. */
void report_calibration(const struct view *view);

/* A result that has just come in. Adds its rows to run->tally. */
void report_result(struct run *run, const struct view *view, const struct result *result);

/* Ends a CPU, with its two certificates of noise. */
void report_cpu_end(const struct run *run, const struct noise noise[2]);

/* Ends a line with how many rows bear each verdict. */
void report_verdicts(const struct tally *tally);

/* How far the run is. `what` is the kernel that comes next. */
void report_progress(const struct run *run, unsigned cpu, const char *what);

/* Verdict, files (whole: all of them are on the stick), what a server has of them, and the last
 * line: PASS, FAIL n or NOT MEASURED reason. */
void report_end(const struct run *run, bool whole, const struct upload *upload);

#endif
