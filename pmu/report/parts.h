/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files of pmu/report share. These functions do not flush the output. */
#ifndef BARECOUNT_PMU_REPORT_PARTS_H
#define BARECOUNT_PMU_REPORT_PARTS_H

#include "pmu/report/report.h"

/*
 * events.c: describes every event of the view's CPU, with the errata of its counter. Bit i of *told
 * is set once the sentence of erratum i (erratum_number()) has been written.
 */
void report_events(const struct view *view, uint64_t *told, struct out *out);

/*
 * events.c: adds a result's rows to report->errata. For each erratum, report_errata() says how many
 * declared counts the erratum may affect, and how many of these are off.
 */
void report_add_errata(struct report *report, const struct rows *rows);
void report_errata(const struct report *report);

/* cpu.c: reports if something else was using a CPU's counters. */
void report_use(const struct cpu_record *cpu, struct out *out);

/* cpu.c: adds a result to its CPU's clock, and adds its rows of core cycles to report->cycles. */
void report_add_clock(struct report *report, const struct rows *rows);

/*
 * failures.c: adds a result's unavailable rows, the rows that only heat or the clock made noisy,
 * and the failed rows. Failed rows of counters that failed test or calibration are left out.
 * report_failures() lists all rows that were added.
 */
void report_add_failures(struct report *report, const struct rows *rows);
void report_failures(const struct report *report);

/*
 * failures.c: report_fault() writes "nops on CPU 1: off, all 3 rows", and report_fault_reason() the
 * reason of these rows.
 */
#define REPORT_FAULT_BYTES 600u
void report_fault(const struct fault *fault, struct out *out);
void report_fault_reason(const struct fault *fault, struct out *out);

/* pairs.c: adds a result of a kernel that runs on several CPUs. */
void report_add_pair(struct report *report, const struct rows *rows);

/* sums.c: finds out whether sums of the view's events must hold. */
void report_find_sums(struct report *report, const struct view *view);

#endif
