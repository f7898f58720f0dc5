/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_PMU_FILES_RENDER_UNCORE_H
#define BARECOUNT_PMU_FILES_RENDER_UNCORE_H

#include "pmu/base/json.h"
#include "pmu/uncore/uncore.h"

/*
 * A package as an element of run.json's "packages": what it is, which units of it could be found,
 * and what the test of their counters said. `package` is one that the view has taken.
 */
void render_json_uncore(struct json *json, const struct uncore_record *uncore);

#endif
