/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the rows that measure time: those of one pass with those of another, and one CPU's with
 * another CPU's. Two rows differ if their medians are farther apart than the larger of the two
 * reaches (pmu/base/stats.h).
 */
#ifndef BARECOUNT_PMU_VERDICTS_DIFFERS_H
#define BARECOUNT_PMU_VERDICTS_DIFFERS_H

#include "pmu/verdicts/rows.h"

#define DIFFERS_PASSES (1u << 0)
/* The row differs from that of the first CPU of the same core type. Not set for pairs of CPUs. */
#define DIFFERS_CPUS (1u << 1)

#define DIFFERS_CORE_TYPES_MAX 4u /* CPUs of further core types are not compared */

enum differs_of { DIFFERS_TSC, DIFFERS_CYCLES, DIFFERS_KEPT };

/* The values of each core type's first CPU. Too large (128 KiB) for a stack. */
struct differs {
    unsigned types;
    uint32_t type[DIFFERS_CORE_TYPES_MAX];
    struct differs_first {
        struct stats_place of[DIFFERS_KEPT];
    } first[DIFFERS_CORE_TYPES_MAX][KERNELS_MAX];
};

/* Whether a row counts core cycles, and whether it counts at the time stamp's rate. */
bool row_is_cycles(const struct row *row);
bool row_is_tsc_rate(const struct row *row);

/* Returns the `step` argument of stats_shape() for a row. */
uint32_t row_step(const struct view *view, const struct row *row);

void differs_start(struct differs *differs);

/*
 * Returns bits of DIFFERS_* for a row just made from `result`. CPUs are compared by the time stamp
 * and by the first event of core cycles that can be counted. Uses view->scratch.
 */
unsigned differs_row(struct differs *differs, const struct view *view, const struct result *result,
                     const struct row *row);

/* Writes "passes", "cpus", "passes cpus" or "". */
void differs_words(unsigned differs, struct out *out);

#endif
