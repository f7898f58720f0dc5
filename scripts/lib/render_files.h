/* SPDX-License-Identifier: BSD-2-Clause */
/* The text files of a run, rendered from its journal into its folder on a workstation. */
#ifndef BARECOUNT_LIB_RENDER_FILES_H
#define BARECOUNT_LIB_RENDER_FILES_H

#include "pmu/plan/plan.h"
#include "pmu/files/render.h"

#define RENDER_PATH_BYTES 4096u
/* Attempts of a kernel in one pass at the most. */
#define RENDER_VALUES_MAX (2u * PLAN_RUNS_MAX + 64u)

/*
 * Writes results.csv, the summaries, samples.csv and run.json. False: `path` has the file that
 * could not be written, errno says why.
 */
bool render_files(const struct render *render, const char *folder, char path[RENDER_PATH_BYTES]);

/*
 * Adds the run's line to index.csv, which gets its header when it is new; nothing, with *is_other,
 * to a file that is not barecount's. False: it could not be written.
 */
bool render_index(const struct render *render, const char *path, bool *is_other);

#endif
