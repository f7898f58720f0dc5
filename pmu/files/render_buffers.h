/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json: where the kernels' buffers stood. */
#ifndef BARECOUNT_PMU_FILES_RENDER_BUFFERS_H
#define BARECOUNT_PMU_FILES_RENDER_BUFFERS_H

#include "pmu/base/json.h"
#include "pmu/files/render.h"

/* The array `buffers`: an object for each place that a CPU's buffer had. */
void render_json_buffers(const struct render *render, struct json *json);

#endif
