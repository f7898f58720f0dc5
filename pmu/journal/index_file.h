/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * results/index.csv, to which each run appends a line (render_index_line()). The file remains a
 * valid table, even if its last writer was an older or newer version, a person, or an interrupted
 * run.
 */
#ifndef BARECOUNT_PMU_JOURNAL_INDEX_FILE_H
#define BARECOUNT_PMU_JOURNAL_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/base/out.h"

/* The file's first line. New columns are only ever appended. */
#define INDEX_HEADER         "number,label,time,model,uuid,verdict,plan_errors\r\n"
#define INDEX_COLUMNS        7u
#define INDEX_COLUMNS_OLDEST 6u /* in the first version */

#define INDEX_START_BYTES 512u /* the beginning of the file, which includes its first line */

struct index_file {
    bool is_new;      /* the file is empty: write the header first */
    bool is_other;    /* its first line is not barecount's: append nothing */
    bool is_cut;      /* its last line is not terminated */
    unsigned columns; /* how many columns of INDEX_HEADER the file contains */
    unsigned further; /* number of further columns, which only newer versions fill */
};

/* Examines a file's first INDEX_START_BYTES (all of a shorter file) and its last byte. */
struct index_file index_look(const char *start, size_t start_bytes, char last);

/*
 * index_before() writes the header or line end that must precede the run's line, if any.
 * index_end() writes the end of the run's line: a comma for each further column, and CR LF.
 */
void index_before(const struct index_file *index, struct out *out);
void index_end(const struct index_file *index, struct out *out);

/* Why no line is appended, and what to do. */
#define INDEX_IS_OTHER                                                                             \
    "its first line is not barecount's, so this run was not added; rename it to get a new one"

#endif
