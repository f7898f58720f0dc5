/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of counts.
 *
 * Two counts are the same if they differ by no more than the resolution: 2 counts, 1 % of the row's
 * median, or the step in which the counter advances, whichever is largest.
 * Sorted values form groups, separated by gaps larger than both the resolution and three quarters
 * of the deviation (mad_milli). A group is a mode when it has at least 5 % of the values and at
 * least 2 of them (or the only value). The deviation is for broad noise: with gaps of 1 % alone,
 * 100 values of a normal distribution with a deviation of 20 % would fall into seven modes, whereas
 * with the deviation nearly all such samples give one mode, and four equal, equidistant modes
 * remain four. A chain of close values is one mode, however long it is.
 * Values are stable when they have one mode and at least 95 % of them are within the resolution of
 * the median.
 */
#ifndef BARECOUNT_PMU_BASE_STATS_H
#define BARECOUNT_PMU_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_SPEAK_MIN 5u /* fewer values get no verdict on being stable or different */

/* All values but min and max are in thousandths. */
struct stats {
    uint32_t count;
    uint32_t modes; /* set by stats_shape(), as are stable, mad_milli and resolution_milli */
    bool stable;    /* undefined when count is less than STATS_SPEAK_MIN */
    int64_t min;
    int64_t max;
    int64_t median_milli;
    int64_t mean_milli;
    int64_t stddev_milli; /* of a sample: divided by count - 1; 0 for one value */
    int64_t q1_milli;     /* quartiles by linear interpolation between order statistics */
    int64_t q3_milli;
    int64_t mad_milli; /* median of the distances from the median */
    int64_t resolution_milli;
};

/*
 * Sorts values[] in place. All fields are 0 when count is 0. The fields that stats_shape() sets are
 * always 0 here. Values are within +-2^53, and no two are further apart than 2^53.
 */
void stats_make(int64_t *values, size_t count, struct stats *stats);

/*
 * Fills in the remaining fields, given the values and fields that stats_make() produced. The
 * counter advances in steps of up to `step`; 1 if one by one.
 */
void stats_shape(const int64_t *sorted, uint32_t step, struct stats *stats);

/* A median, and how far from it another may be without being different. */
struct stats_place {
    int64_t median_milli;
    int64_t reach_milli; /* q3 - q1 + resolution; 0: too few values (STATS_SPEAK_MIN) */
};

struct stats_place stats_place(const struct stats *stats);

/* Whether two medians differ by more than either's reach; false if either has too few values. */
bool stats_differ(struct stats_place a, struct stats_place b);

#endif
