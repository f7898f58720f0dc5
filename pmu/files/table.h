/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the cells of the table that the console and summary.html show, a line for each kernel. */
#ifndef BARECOUNT_PMU_FILES_TABLE_H
#define BARECOUNT_PMU_FILES_TABLE_H

#include "pmu/verdicts/rows.h"

#define TABLE_COLUMNS    5u
#define TABLE_CELL_BYTES 24u

/*
 * The events that have a column. is_time: the CPU counts no core event, so only the time stamp has
 * a column. If is_time is true, event[0] is the index of the time stamp's row.
 */
struct table_columns {
    unsigned event[TABLE_COLUMNS];
    unsigned count;
    bool is_time;
};

/*
 * Chooses the built-in events with a heading or, if the run lacks them, the plan's first core
 * events.
 */
void table_choose(const struct view *view, struct table_columns *columns);

/* Whether the run counts all built-in events (the group `default`). */
bool table_is_built_in(const struct view *view);

/* The heading of table_per_copy()'s column, and words that explain it. */
const char *table_copy_heading(const struct table_columns *columns);
const char *table_copy_words(const struct table_columns *columns);

/* A column's heading: a word for the event, its name, or "ticks" for the time stamp. */
const char *table_heading(const struct view *view, unsigned event);

/*
 * A row's median, in millions ("12M") from 10 million on; "off": the counter is wrong; "-": no
 * sample.
 */
const char *table_value(const struct row *row, char text[TABLE_CELL_BYTES]);

/*
 * table_cycles() returns the first trusted row of core cycles, or null if there is none.
 * table_time() returns the same row. Without a trusted row of core cycles, table_time() returns the
 * time stamp's row, or null if that row has no sample.
 */
const struct row *table_cycles(const struct rows *rows);
const struct row *table_time(const struct rows *rows);

/*
 * The cycles or ticks for one of the operations that the kernel's title names, such as "3.00".
 * "~3.00": the samples are not stable; "-": not known.
 */
const char *table_per_copy(const struct table_columns *columns, const struct rows *rows,
                           char text[TABLE_CELL_BYTES]);

/* Writes a line for a result of an MSR script: "  msr:0x34 = 0x7". */
void table_msr(const struct row *row, struct out *out);

/*
 * The worst verdict of a kernel's rows. Rows that are noisy only because of heat or the clock are
 * ignored. Unavailable rows are ignored if any event was counted.
 */
const char *table_verdict(const struct rows *rows);

/*
 * Writes a result's uncore events: "  dram_read_bytes 268M, 12.345 GB/s; package_energy_uJ 40000,
 * 12.5 W". "-": no value; "off": a wrong count. Lines wrap between events after at most `columns`
 * columns, if possible.
 */
void table_uncore(const struct rows *rows, size_t columns, struct out *out);

#endif
