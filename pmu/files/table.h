/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes cells of a table with a line for each kernel, for the console and summary.html. */
#ifndef BARECOUNT_PMU_FILES_TABLE_H
#define BARECOUNT_PMU_FILES_TABLE_H

#include "pmu/verdicts/rows.h"

#define TABLE_COLUMNS    5u
#define TABLE_CELL_BYTES 24u

/*
 * The events of a CPU that have a column. On a CPU that counts no core event, only the time stamp
 * has a column; the number of events then serves as the time stamp's index in `event`.
 */
struct table_columns {
    unsigned event[TABLE_COLUMNS];
    unsigned count;
    bool is_time;
};

/*
 * Chooses the built-in events that have a heading. If the run does not count the built-in events,
 * chooses the plan's first core events, after the anchors, that the view's CPU can count.
 */
void table_choose(const struct view *view, struct table_columns *columns);

/* Whether the run counts all built-in events (the group `default`). */
bool table_is_built_in(const struct view *view);

/* The heading of the column that table_per_copy() fills, and the words that explain it. */
const char *table_copy_heading(const struct table_columns *columns);
const char *table_copy_words(const struct table_columns *columns);

/* A column's heading: a word for the event, or else the event's name. "ticks": the time stamp. */
const char *table_heading(const struct view *view, unsigned event);

/*
 * A row's median, in millions ("12M") from 10 million on; "off" if the counter is wrong, or "-" if
 * no sample was accepted.
 */
const char *table_value(const struct row *row, char text[TABLE_CELL_BYTES]);

/*
 * table_cycles() and table_time() return the first trusted row of core cycles. If there is none,
 * table_cycles() returns null, and table_time() returns the time stamp's row, or null if that row
 * has no accepted samples.
 */
const struct row *table_cycles(const struct rows *rows);
const struct row *table_time(const struct rows *rows);

/*
 * The core cycles or time-stamp ticks per copy of what the kernel's title names, for example "3.00"
 * for a chain of multiplications. Writes "~3.00" if the samples at n or 2n are not stable, and "-"
 * if the value is not known.
 */
const char *table_per_copy(const struct table_columns *columns, const struct rows *rows,
                           char text[TABLE_CELL_BYTES]);

/* Writes a line for a result of an MSR script: "  msr:0x34 = 0x7". */
void table_msr(const struct row *row, struct out *out);

/*
 * The verdict of the worst row of a kernel's result. Rows that only heat or the clock made noisy
 * are ignored. Unavailable rows are ignored too, unless no event was counted.
 */
const char *table_verdict(const struct rows *rows);

/*
 * Writes the means and rates of a result's uncore events: "  dram_read_bytes 268M, 12.345 GB/s;
 * package_energy_uJ 40000, 12.5 W". "-" stands for a missing value, "off" for a wrong count.
 * Events that the package cannot count are left out. Lines have at most `columns` columns if
 * possible, wrap between events, are indented by two blanks, and end with a newline. Writes nothing
 * if there are no uncore events.
 */
void table_uncore(const struct rows *rows, size_t columns, struct out *out);

#endif
