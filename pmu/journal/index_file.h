/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * results/index.csv, to which each run appends a line. The file remains valid if its last writer
 * was another version, a person, or an interrupted run.
 */
#ifndef BARECOUNT_PMU_JOURNAL_INDEX_FILE_H
#define BARECOUNT_PMU_JOURNAL_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/base/out.h"

/* New columns are only ever appended. */
#define INDEX_HEADER         "number,label,time,model,uuid,verdict,plan_errors\r\n"
#define INDEX_COLUMNS        7u
#define INDEX_COLUMNS_OLDEST 6u /* number of columns in the first version */

#define INDEX_START_BYTES 512u /* includes the first line */

struct index_file {
    bool is_new;      /* the file is empty */
    bool is_other;    /* not barecount's: append nothing */
    bool is_cut;      /* the last line lacks its line end */
    unsigned columns; /* number of the file's columns that are in INDEX_HEADER */
    unsigned further; /* number of columns from newer versions */
};

/* Examines a file's first INDEX_START_BYTES (all of a shorter file) and its last byte. */
struct index_file index_look(const char *start, size_t start_bytes, char last);

/*
 * index_before() writes what must precede the run's line: the header, a line end, or nothing.
 * index_end() writes a comma for each further column, and CR LF.
 */
void index_before(const struct index_file *index, struct out *out);
void index_end(const struct index_file *index, struct out *out);

#define INDEX_IS_OTHER                                                                             \
    "its first line is not barecount's, so this run was not added; rename the file, and the next " \
    "run makes a new one"

#endif
