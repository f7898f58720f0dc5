/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares rows of time (core cycles or time stamp) between passes of a kernel and between CPUs.
 * Two rows differ if the distance between their medians exceeds the larger of their reaches (spread
 * plus resolution, see pmu/base/stats.h).
 */
#ifndef BARECOUNT_PMU_VERDICTS_DIFFERS_H
#define BARECOUNT_PMU_VERDICTS_DIFFERS_H

#include "pmu/verdicts/rows.h"

/* The row's counts in its pass differ from the counts in another pass. */
#define DIFFERS_PASSES (1u << 0)
/*
 * The row's counts differ from those of the first CPU of the same core type that ran the kernel.
 * Never set for a kernel that runs on a pair of CPUs.
 */
#define DIFFERS_CPUS (1u << 1)

#define DIFFERS_CORE_TYPES_MAX 4u /* CPUs of further core types are not compared */

/* The rows of a kernel by which CPUs are compared: the time stamp, and one event of cycles. */
enum differs_of { DIFFERS_TSC, DIFFERS_CYCLES, DIFFERS_KEPT };

/*
 * For each kernel and core type of a run, the values of the first CPU, with which those of later
 * CPUs are compared. Too large (128 KiB) for a stack.
 */
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

/* The `step` argument of stats_shape() for a row. */
uint32_t row_step(const struct view *view, const struct row *row);

/* Forgets all rows, before a new run. */
void differs_start(struct differs *differs);

/*
 * Compares a row that was just made from `result`. Returns bits of DIFFERS_*; 0 if nothing differs,
 * if the row does not count time, if its counter is wrong, or if fewer than STATS_SPEAK_MIN of its
 * samples were accepted. Between CPUs, only the time stamp and the first event of cycles that can
 * be counted are compared. Uses view->scratch.
 */
unsigned differs_row(struct differs *differs, const struct view *view, const struct result *result,
                     const struct row *row);

/* Writes "passes", "cpus", "passes cpus" or "". */
void differs_words(unsigned differs, struct out *out);

#endif
