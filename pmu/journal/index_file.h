/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * results/index.csv, to which each run adds its line (render_index_line()). Whoever wrote it
 * before, an older or a newer version, a person, or a run that lost its power: it stays a table.
 */
#ifndef BARECOUNT_PMU_JOURNAL_INDEX_FILE_H
#define BARECOUNT_PMU_JOURNAL_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/base/out.h"

/* The file's first line. Columns are only ever added, at its end. */
#define INDEX_HEADER         "number,label,time,model,uuid,verdict,plan_errors\r\n"
#define INDEX_COLUMNS        7u
#define INDEX_COLUMNS_OLDEST 6u /* that the first version had */

#define INDEX_START_BYTES 512u /* of the file, which have its first line */

struct index_file {
    bool is_new;      /* nothing is in it: the header comes first */
    bool is_other;    /* its first line is none of this program's: no line is added */
    bool is_cut;      /* its last line has no end */
    unsigned columns; /* of INDEX_HEADER that it has */
    unsigned further; /* columns of a newer version, which stay empty */
};

/* What is there: the file's first bytes (INDEX_START_BYTES, or all) and its last byte. */
struct index_file index_look(const char *start, size_t start_bytes, char last);

/* What precedes the run's line, and its end in place of "\r\n". */
void index_before(const struct index_file *index, struct out *out);
void index_end(const struct index_file *index, struct out *out);

/* Why no line is added to such a file, and what to do. */
#define INDEX_IS_OTHER                                                                             \
    "its first line is not barecount's, so this run was not added; rename it for a new one"

#endif
