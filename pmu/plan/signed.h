/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signed plan is a PE image with the text in its section .plan, so that the firmware can verify
 * it like a program. scripts/sign makes it. Source: Microsoft, "PE Format".
 */
#ifndef BARECOUNT_PMU_PLAN_SIGNED_H
#define BARECOUNT_PMU_PLAN_SIGNED_H

#include <stdbool.h>

#include "pmu/base/piece.h"
#include "pmu/plan/plan.h"

#define PLAN_SIGNED_BYTES_MAX (PLAN_FILE_BYTES_MAX + 32768u) /* plus headers, SBAT, signatures */

/* Whether a plan's file is a PE image. Signatures are not checked. */
bool plan_is_image(struct piece file);

/* The plan's text in an image; size 0: there is none. */
struct piece plan_of_image(struct piece file);

/* Like plan_parse(), for a plan's file, signed or not. Returns the text that was parsed. */
struct piece plan_parse_file(struct piece file, struct plan *plan, array_memory *memory);

#endif
