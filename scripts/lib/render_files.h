/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders a run's text files from its journal into a folder on a workstation. */
#ifndef BARECOUNT_LIB_RENDER_FILES_H
#define BARECOUNT_LIB_RENDER_FILES_H

#include "pmu/plan/plan.h"
#include "pmu/files/render.h"

#define RENDER_PATH_BYTES 4096u
/* The largest number of samples that are attempted for a kernel in a pass. */
#define RENDER_VALUES_MAX (2u * PLAN_RUNS_MAX + 64u)

/* Writes the run's files. Returns false if a file failed: `path` names it, errno is the reason. */
bool render_files(const struct render *render, const char *folder, char path[RENDER_PATH_BYTES]);

/*
 * Adds the run's line to index.csv. If the file is not barecount's, sets *is_other and leaves the
 * file unchanged. On failure, returns false; errno is then the reason.
 */
bool render_index(const struct render *render, const char *path, bool *is_other);

#endif
