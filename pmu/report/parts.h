/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files of pmu/report share. These functions do not flush the output. */
#ifndef BARECOUNT_PMU_REPORT_PARTS_H
#define BARECOUNT_PMU_REPORT_PARTS_H

#include "pmu/report/report.h"

/*
 * Describes the events of the view's CPU, with their errata. Bit i of *told: the sentence of
 * erratum i (erratum_number()) was written.
 */
void report_events(const struct view *view, uint64_t *told, struct out *out);

/*
 * report_add_errata() adds a result's rows. report_errata() reports how many declared counts each
 * erratum may affect, and how many of these counts are off.
 */
void report_add_errata(struct report *report, const struct rows *rows);
void report_errata(const struct report *report);

/* If something else was using a CPU's counters, reports it. */
void report_use(const struct cpu_record *cpu, struct out *out);

/* Adds a result to its CPU's clock, and its rows of core cycles to report->cycles. */
void report_add_clock(struct report *report, const struct rows *rows);

/*
 * report_add_failures() adds a result's unavailable rows, its failed rows, and its rows that are
 * noisy only because of heat or the clock. Failed rows of counters that failed their test or the
 * calibration are left out. report_failures() lists the added rows.
 */
void report_add_failures(struct report *report, const struct rows *rows);
void report_failures(const struct report *report);

/* report_fault() writes "nops on CPU 1: off, all 3 rows". */
#define REPORT_FAULT_BYTES 600u
void report_fault(const struct fault *fault, struct out *out);
void report_fault_reason(const struct fault *fault, struct out *out);

/* Adds a result of a kernel that runs on several CPUs. */
void report_add_pair(struct report *report, const struct rows *rows);

/* Finds out whether sums of the view's events must hold. */
void report_find_sums(struct report *report, const struct view *view);

#endif
