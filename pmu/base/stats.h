/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of counts.
 *
 * What is close enough to be the same is one rule, the resolution of a row: 2 counts, or 1 % of its
 * median, or the step in which its counter advances, whichever is most.
 * In sorted order, values fall into groups where two neighbours are further apart than the
 * resolution and than three quarters of the deviation (mad_milli). A group is a mode when at least
 * 5 % of the values are in it, and 2 of them (the one value there is, when there is one). The
 * deviation is there for broad noise: with gaps of 1 % alone, 100 values of one normal distribution
 * of 20 % would fall into seven modes; so nearly all give one. It still lets four modes alike,
 * equally far apart, be four. Stable: there is one mode, and at least 95 % of the values are no
 * further from the median than the resolution. A chain of close values is one mode, however long it
 * is: the distance tells.
 */
#ifndef BARECOUNT_PMU_BASE_STATS_H
#define BARECOUNT_PMU_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_SPEAK_MIN 5u /* of fewer values it is not said whether they are stable, or differ */

/* Everything but min and max in thousandths. */
struct stats {
    uint32_t count;
    uint32_t modes; /* this, stable, mad_milli and resolution_milli are by stats_shape() */
    bool stable;    /* means nothing when count is less than STATS_SPEAK_MIN */
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
 * Sorts values[] in place. All fields are 0 when count is 0; those of stats_shape() always are.
 * Values lie within +-2^53, and no two further apart than 2^53.
 */
void stats_make(int64_t *values, size_t count, struct stats *stats);

/*
 * The rest, from what stats_make() sorted and made of it. The counter advances by up to `step` at a
 * time; 1: by ones.
 */
void stats_shape(const int64_t *sorted, uint32_t step, struct stats *stats);

/* Where the values are, and how far from there others may be that do not differ. */
struct stats_place {
    int64_t median_milli;
    int64_t reach_milli; /* q3 - q1 + resolution; 0: of too few values (STATS_SPEAK_MIN) */
};

struct stats_place stats_place(const struct stats *stats);

/* Whether two medians are further apart than the reach of either; false when one is of too few. */
bool stats_differ(struct stats_place a, struct stats_place b);

#endif
