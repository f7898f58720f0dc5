/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of pmu/report/ share. None of these flushes. */
#ifndef BARECOUNT_PMU_REPORT_PARTS_H
#define BARECOUNT_PMU_REPORT_PARTS_H

#include "pmu/report/report.h"

/* events.c: what every select of the view's CPU means, and what is wrong with its counters. */
void report_events(const struct view *view, struct out *out);

/* cpu.c: who else had been using a CPU's counters, if somebody had. */
void report_use(const struct cpu_record *cpu, struct out *out);

/* cpu.c: adds a result to its CPU's clock, and its rows of core cycles to those of the run. */
void report_add_clock(struct report *report, const struct rows *rows);

/* failures.c: a result's rows that failed, unless for a counter that is off; and all of the run. */
void report_add_failures(struct report *report, const struct rows *rows);
void report_failures(const struct report *report);

/* pairs.c: a result of a kernel with roles for several CPUs. */
void report_add_pair(struct report *report, const struct rows *rows);

/* sums.c: whether the view's CPU has sums that must hold. */
void report_find_sums(struct report *report, const struct view *view);

#endif
