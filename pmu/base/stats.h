/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of counts.
 *
 * The resolution is 2 counts, 1 % of the row's median, or the counter's step, whichever is largest.
 *
 * Sorted values form groups, separated by gaps larger than both the resolution and three quarters
 * of mad_milli. A group is a mode if it contains at least 5 % of the values and at least 2 of them.
 * If there is only one value, it is a mode. Without mad_milli, broad noise would have several
 * modes: 100 values of a normal distribution with a deviation of 20 % would form seven.
 *
 * Values are stable if they have one mode and 95 % of them are within the resolution of the median.
 */
#ifndef BARECOUNT_PMU_BASE_STATS_H
#define BARECOUNT_PMU_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_SPEAK_MIN 5u /* fewer values: `stable` is undefined, stats_differ() is false */

/*
 * *_milli are thousandths of a count. stats_shape() sets modes, stable, mad_milli and
 * resolution_milli; stats_make() sets the other fields.
 */
struct stats {
    uint32_t count;
    uint32_t modes;
    bool stable; /* undefined below STATS_SPEAK_MIN values */
    int64_t min;
    int64_t max;
    int64_t median_milli;
    int64_t mean_milli;
    int64_t stddev_milli; /* with divisor count - 1; 0 for a single value */
    int64_t q1_milli;     /* linear interpolation between order statistics */
    int64_t q3_milli;
    int64_t mad_milli; /* median of the distances from the median */
    int64_t resolution_milli;
};

/*
 * Sorts values[]. Sets to 0 the fields that stats_shape() computes. Values are within +-2^53, and
 * no two differ by more than 2^53.
 */
void stats_make(int64_t *values, size_t count, struct stats *stats);

/* Sets the remaining fields. The counter advances in steps of at most `step` counts. */
void stats_shape(const int64_t *sorted, uint32_t step, struct stats *stats);

/* A median is treated as equal to median_milli if they differ by at most reach_milli. */
struct stats_place {
    int64_t median_milli;
    int64_t reach_milli; /* q3 - q1 + resolution; 0: fewer than STATS_SPEAK_MIN values */
};

struct stats_place stats_place(const struct stats *stats);

/*
 * Whether two medians differ by more than the larger of their reaches. False if either median comes
 * from fewer than STATS_SPEAK_MIN values.
 */
bool stats_differ(struct stats_place a, struct stats_place b);

#endif
