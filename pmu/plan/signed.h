/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signed plan is a PE image, which scripts/sign makes. Its section .plan contains the text of the
 * plan. The firmware can therefore verify a plan as it verifies a program. Microsoft, "PE Format",
 * describes PE images.
 */
#ifndef BARECOUNT_PMU_PLAN_SIGNED_H
#define BARECOUNT_PMU_PLAN_SIGNED_H

#include <stdbool.h>

#include "pmu/base/piece.h"
#include "pmu/plan/plan.h"

#define PLAN_SIGNED_BYTES_MAX (PLAN_FILE_BYTES_MAX + 32768u) /* plus headers, SBAT, signatures */

/* Whether a plan's file is a PE image. The image's signature is not checked. */
bool plan_is_image(struct piece file);

/* The plan's text in an image; size 0: there is none. */
struct piece plan_of_image(struct piece file);

/* Like plan_parse(), for a plan's file, signed or not. Returns the text that was parsed. */
struct piece plan_parse_file(struct piece file, struct plan *plan, array_memory *memory);

#endif
