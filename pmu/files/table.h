/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells of a table with a line for each kernel: of the console, and of summary.html. */
#ifndef BARECOUNT_PMU_FILES_TABLE_H
#define BARECOUNT_PMU_FILES_TABLE_H

#include "pmu/verdicts/rows.h"

#define TABLE_COLUMNS    5u
#define TABLE_CELL_BYTES 24u
#define TABLE_PER_COPY   "cyc/copy"

/* The events of a CPU that have a column. */
struct table_columns {
    unsigned event[TABLE_COLUMNS];
    unsigned count;
};

/*
 * Of the built-in events those that have a heading of their own; of a plan's own the first that the
 * view's CPU counts.
 */
void table_choose(const struct view *view, struct table_columns *columns);

/* Whether the run counts the built-in events. */
bool table_is_built_in(const struct view *view);

/* Its own word where there is one, a short name, or "#3": its number in the list of counters. */
const char *table_heading(const struct view *view, unsigned event, char text[TABLE_CELL_BYTES]);

/* A row's median; "off" for a counter that is wrong, "-" for what was not counted. */
const char *table_value(const struct row *row, char text[TABLE_CELL_BYTES]);

/*
 * The first row of core cycles that can be believed, null: there is none; and else the time stamp,
 * null: it has no sample either.
 */
const struct row *table_cycles(const struct rows *rows);
const struct row *table_time(const struct rows *rows);

/* The answer, "3.00" for a chain of multiplications; "-" where it is not known. */
const char *table_per_copy(const struct rows *rows, char text[TABLE_CELL_BYTES]);

/* A line of what the plan's MSR scripts gave: "  msr:0x34 = 0x7". */
void table_msr(const struct row *row, struct out *out);

/* Of the row that stands for a kernel: the worst, but for what the machine does not offer. */
const char *table_verdict(const struct rows *rows);

/*
 * The means of a result's events outside the cores, and their rates: "  dram_read_bytes 268M,
 * 12.345 GB/s; package_energy_uJ 40000, 12.5 W". "-" stands for what has no value here, "off" for a
 * counter that is wrong; events that the package cannot count at all are left out. Lines of
 * `columns` begin two columns in and end with '\\n'; no event is torn unless a line cannot hold it.
 * Nothing at all is put when there are no such events.
 */
void table_uncore(const struct rows *rows, size_t columns, struct out *out);

#endif
