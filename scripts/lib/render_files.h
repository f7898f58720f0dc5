/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders a run's text files from its journal into a folder on a workstation. */
#ifndef BARECOUNT_LIB_RENDER_FILES_H
#define BARECOUNT_LIB_RENDER_FILES_H

#include "pmu/plan/plan.h"
#include "pmu/files/render.h"

#define RENDER_PATH_BYTES 4096u
/* At most this many samples of a kernel are attempted in a pass, in the image and under Linux. */
#define RENDER_VALUES_MAX (2u * PLAN_RUNS_MAX + 64u)

/*
 * Writes results.csv, the summaries, samples.csv, run.json and, if the run has them, check.txt and
 * machine.txt. If a file cannot be written, sets `path` to that file and returns false; errno is
 * the reason.
 */
bool render_files(const struct render *render, const char *folder, char path[RENDER_PATH_BYTES]);

/*
 * Adds the run's line to index.csv, with a header if the file is new. If the file is not
 * barecount's, sets *is_other and leaves the file unchanged. Returns false if the file cannot be
 * opened or written.
 */
bool render_index(const struct render *render, const char *path, bool *is_other);

#endif
