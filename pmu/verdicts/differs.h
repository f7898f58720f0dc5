/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares rows of time (core cycles or time stamp) between passes of a kernel and between CPUs.
 * Two rows differ if their medians are further apart than the spread plus resolution of either
 * (pmu/base/stats.h).
 */
#ifndef BARECOUNT_PMU_VERDICTS_DIFFERS_H
#define BARECOUNT_PMU_VERDICTS_DIFFERS_H

#include "pmu/verdicts/rows.h"

/* Another pass that also counts the event differs from the row's. */
#define DIFFERS_PASSES (1u << 0)
/* The CPU differs from the first of its core type to run the kernel; never set for a pair. */
#define DIFFERS_CPUS (1u << 1)

#define DIFFERS_CORE_TYPES_MAX 4u /* CPUs of further types are not compared */

/* The rows by which CPUs are compared: the time stamp, and one event of cycles. */
enum differs_of { DIFFERS_TSC, DIFFERS_CYCLES, DIFFERS_KEPT };

/*
 * The rows of a run so far. Large (64 KiB): never on a stack. Has room for all of the run's
 * kernels.
 */
struct differs {
    unsigned types;
    uint32_t type[DIFFERS_CORE_TYPES_MAX];
    struct differs_first {
        struct stats_place of[DIFFERS_KEPT];
    } first[DIFFERS_CORE_TYPES_MAX][KERNELS_MAX];
};

/* Whether a row counts core cycles; or counts at the time stamp's rate. */
bool row_is_cycles(const struct row *row);
bool row_is_tsc_rate(const struct row *row);

/* The `step` argument of stats_shape() for a row. */
uint32_t row_step(const struct view *view, const struct row *row);

/* Starts a run. */
void differs_start(struct differs *differs);

/*
 * How a row just made from `result` differs: a sum of DIFFERS_*; 0 as well if it is not about time,
 * its counter is wrong, or it has fewer than STATS_SPEAK_MIN samples. CPUs are compared by the
 * first event of cycles that can be counted. Uses view->scratch.
 */
unsigned differs_row(struct differs *differs, const struct view *view, const struct result *result,
                     const struct row *row);

/* Writes "passes", "cpus", "passes cpus" or "". */
void differs_words(unsigned differs, struct out *out);

#endif
