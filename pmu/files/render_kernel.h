/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json: what was run. */
#ifndef BARECOUNT_PMU_FILES_RENDER_KERNEL_H
#define BARECOUNT_PMU_FILES_RENDER_KERNEL_H

#include "pmu/base/json.h"
#include "pmu/journal/record.h"

/* What the declared counts are called there. */
extern const char *const RENDER_DECLARED[DECLARED_COUNT];

void render_json_kernel(struct json *json, const struct known_kernel *kernel);

#endif
