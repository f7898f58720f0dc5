/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the cells of a table with a line per kernel, for the console and summary.html. */
#ifndef BARECOUNT_PMU_FILES_TABLE_H
#define BARECOUNT_PMU_FILES_TABLE_H

#include "pmu/verdicts/rows.h"

#define TABLE_COLUMNS    5u
#define TABLE_CELL_BYTES 24u

/*
 * The events of a CPU that have a column. On a CPU that counts nothing, only the time stamp has
 * one; its index is the number of events.
 */
struct table_columns {
    unsigned event[TABLE_COLUMNS];
    unsigned count;
    bool is_time;
};

/*
 * Chooses built-in events with a heading, or the first events of a plan that the view's CPU counts.
 */
void table_choose(const struct view *view, struct table_columns *columns);

/* Whether the run counts the built-in events. */
bool table_is_built_in(const struct view *view);

/* The heading of values per repetition, and what these are. */
const char *table_copy_heading(const struct table_columns *columns);
const char *table_copy_words(const struct table_columns *columns);

/* A column's heading: the event's own word, else its name. */
const char *table_heading(const struct view *view, unsigned event);

/* A row's median; "off" for a wrong counter, "-" if not counted. */
const char *table_value(const struct row *row, char text[TABLE_CELL_BYTES]);

/*
 * The first trusted row of core cycles, or null. table_time(): if there is none, the time stamp's
 * row, or null if that has no samples.
 */
const struct row *table_cycles(const struct rows *rows);
const struct row *table_time(const struct rows *rows);

/*
 * The value per repetition, "3.00" for a chain of multiplications; "~3.00" if the samples at n or
 * 2n are not stable; "-" if not known.
 */
const char *table_per_copy(const struct table_columns *columns, const struct rows *rows,
                           char text[TABLE_CELL_BYTES]);

/* Writes a line for a result of an MSR script: "  msr:0x34 = 0x7". */
void table_msr(const struct row *row, struct out *out);

/* The verdict for a kernel: its worst row's, ignoring what the machine does not offer. */
const char *table_verdict(const struct rows *rows);

/*
 * Writes the means and rates of a result's uncore events: "  dram_read_bytes 268M, 12.345 GB/s;
 * package_energy_uJ 40000, 12.5 W". "-" means no value, "off" a wrong counter; events that the
 * package cannot count are omitted. Lines of `columns` are indented by two and end with '\\n', and
 * wrap between events if possible. Writes nothing without such events.
 */
void table_uncore(const struct rows *rows, size_t columns, struct out *out);

#endif
