/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json: where the kernels' buffers stood. */
#ifndef BARECOUNT_PMU_RENDER_BUFFERS_H
#define BARECOUNT_PMU_RENDER_BUFFERS_H

#include "json.h"
#include "render.h"

/* The array `buffers`: an object for each place that a CPU's buffer had. */
void render_json_buffers(const struct render *render, struct json *json);

#endif
