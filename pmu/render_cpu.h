/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_PMU_RENDER_CPU_H
#define BARECOUNT_PMU_RENDER_CPU_H

#include "json.h"
#include "view.h"

/* The view's CPU as an element of run.json's "cpus": identity, PMU, passes, calibration. */
void render_json_cpu(struct json *json, const struct view *view);

#endif
