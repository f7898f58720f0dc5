/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of counts.
 *
 * Two counts are the same if they differ by no more than the resolution: 2 counts, 1 % of the row's
 * median, or the step in which the counter advances, whichever is largest.
 *
 * Sorted values form groups, separated by gaps larger than both the resolution and three quarters
 * of the deviation (mad_milli). A group is a mode if it contains at least 5 % of the values and at
 * least 2 of them. If there is only one value, it is a mode. A chain of close values is one mode,
 * however long it is.
 *
 * Gaps are also compared with the deviation, because broad noise would otherwise have several
 * modes. If gaps were compared only with the resolution of 1 %, 100 values of a normal distribution
 * with a deviation of 20 % would form seven modes. If gaps are also compared with the deviation,
 * 100 such values nearly always form one mode, and four modes of equal size at equal distances are
 * still recognised as four.
 *
 * Values are stable if they have one mode and at least 95 % of them are within the resolution of
 * the median.
 */
#ifndef BARECOUNT_PMU_BASE_STATS_H
#define BARECOUNT_PMU_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_SPEAK_MIN 5u /* with fewer values, nothing is called stable or different */

/*
 * The fields *_milli are in thousandths of a count. stats_shape() sets modes, stable, mad_milli and
 * resolution_milli; stats_make() sets the other fields.
 */
struct stats {
    uint32_t count;
    uint32_t modes; /* number of modes, as defined at the top of this file */
    bool stable;    /* meaningless if count is less than STATS_SPEAK_MIN */
    int64_t min;
    int64_t max;
    int64_t median_milli;
    int64_t mean_milli;
    int64_t stddev_milli; /* standard deviation with divisor count - 1; 0 for a single value */
    int64_t q1_milli;     /* quartiles by linear interpolation between order statistics */
    int64_t q3_milli;
    int64_t mad_milli; /* median of the distances from the median */
    int64_t resolution_milli;
};

/*
 * Sorts values[] in place. Computes all fields except those that stats_shape() sets, which become
 * zero. If count is 0, all fields become zero. The values must be within +-2^53, and no two of them
 * further apart than 2^53.
 */
void stats_make(int64_t *values, size_t count, struct stats *stats);

/*
 * Fills in the remaining fields from the sorted values and the fields that stats_make() set. The
 * counter advances in steps of at most `step` counts; for most counters, `step` is 1.
 */
void stats_shape(const int64_t *sorted, uint32_t step, struct stats *stats);

/* A median and its reach: the distance within which another median counts as the same. */
struct stats_place {
    int64_t median_milli;
    int64_t reach_milli; /* q3 - q1 + resolution; 0: fewer than STATS_SPEAK_MIN values */
};

struct stats_place stats_place(const struct stats *stats);

/* Whether two medians differ by more than the larger reach; false if either has too few values. */
bool stats_differ(struct stats_place a, struct stats_place b);

#endif
