/* SPDX-License-Identifier: BSD-2-Clause */
/* A journal read from its start to the end of what can be trusted. */
#ifndef BARECOUNT_PMU_FILES_READING_H
#define BARECOUNT_PMU_FILES_READING_H

#include "pmu/files/render.h"

struct reading {
    struct journal_cursor cursor;
    struct view view;            /* of all that was read so far */
    const struct result *result; /* the record just read, if it can be made into rows; else null */
    struct result cut_off;       /* of the kernel that has no result: the run was cut off in it */
    bool is_cut_off;
};

struct reading reading_start(const struct render *render);

/* The next record, taken into the view; null at the end. */
const struct journal_head *reading_next(struct reading *reading);

/*
 * The next record that can be made into rows; null at the end. The last one of a run that was cut
 * off in a kernel is of that kernel, with STATUS_CUT_OFF.
 */
const struct result *reading_next_result(struct reading *reading);

#endif
