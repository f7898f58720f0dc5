/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_PMU_FILES_RENDER_CPU_H
#define BARECOUNT_PMU_FILES_RENDER_CPU_H

#include "pmu/verdicts/clock.h"
#include "pmu/base/json.h"

/* The view's CPU as an element of run.json's "cpus": identity, PMU, passes, calibration, clock. */
void render_json_cpu(struct json *json, const struct view *view, const struct clock *clock);

/* What was set on a CPU, as elements of run.json's "state". */
void render_json_state(struct json *json, const struct cpu_state *state);

#endif
