/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of time, core cycles and the time stamp, held against each other: whether passes of a kernel
 * differ, and whether CPUs do. Two differ when their medians are further apart than the spread and
 * the resolution of either (pmu/base/stats.h).
 */
#ifndef BARECOUNT_PMU_VERDICTS_DIFFERS_H
#define BARECOUNT_PMU_VERDICTS_DIFFERS_H

#include "pmu/verdicts/rows.h"

/* Another pass, which counts the same as well, differs from the row's own. */
#define DIFFERS_PASSES (1u << 0)
/* The CPU differs from the first of its core type in the run that counted the kernel; of no pair.
 */
#define DIFFERS_CPUS (1u << 1)

#define DIFFERS_CORE_TYPES_MAX 4u /* CPUs of further ones are held against none */

/* What is kept of the first CPU of a core type: of the time stamp, and of one event of cycles. */
enum differs_of { DIFFERS_TSC, DIFFERS_CYCLES, DIFFERS_KEPT };

/*
 * What was seen of a run, while its journal is read once. Large (64 KiB): never on a stack. All of
 * the run's kernels have room.
 */
struct differs {
    unsigned types;
    uint32_t type[DIFFERS_CORE_TYPES_MAX];
    struct differs_first {
        struct stats_place of[DIFFERS_KEPT];
    } first[DIFFERS_CORE_TYPES_MAX][KERNELS_MAX];
};

/* Whether a row counts core cycles; or what ticks as fast as the time stamp. */
bool row_is_cycles(const struct row *row);
bool row_is_tsc_rate(const struct row *row);

/* `step` of stats_shape() for a row. */
uint32_t row_step(const struct view *view, const struct row *row);

/* Forgets everything: a run begins. */
void differs_start(struct differs *differs);

/*
 * How a row of `result`, just made, differs: a sum of DIFFERS_*. 0, too, for what is not time, is
 * off for its counter, or has less than STATS_SPEAK_MIN samples. Of cycles, CPUs are compared by
 * the run's first event of cycles that can be counted. Uses view->scratch.
 */
unsigned differs_row(struct differs *differs, const struct view *view, const struct result *result,
                     const struct row *row);

/* "passes", "cpus", both with a space between, or "". */
void differs_words(unsigned differs, struct out *out);

#endif
