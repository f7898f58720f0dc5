/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signed plan: a PE image made by scripts/sign whose section .plan is the plan's text, so that
 * what verifies programs verifies it, too. Microsoft, "PE Format", for the image.
 */
#ifndef BARECOUNT_PMU_PLAN_SIGNED_H
#define BARECOUNT_PMU_PLAN_SIGNED_H

#include <stdbool.h>

#include "pmu/base/piece.h"
#include "pmu/plan/plan.h"

#define PLAN_SIGNED_BYTES_MAX (PLAN_FILE_BYTES_MAX + 32768u) /* headers, SBAT and signatures */

/* Whether a plan's file is an image; its signature was not looked at. */
bool plan_is_image(struct piece file);

/* The plan's text in an image; size 0: there is none. */
struct piece plan_of_image(struct piece file);

/* Parses a plan's file, signed or not, as plan_parse() does its text. Returns what was parsed. */
struct piece plan_parse_file(struct piece file, struct plan *plan, array_memory *memory);

#endif
