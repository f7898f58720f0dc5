/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of counts. */
#ifndef BARECOUNT_PMU_STATS_H
#define BARECOUNT_PMU_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Everything but min and max in thousandths. */
struct stats {
    uint32_t count;
    uint32_t reserved;
    int64_t min;
    int64_t max;
    int64_t median_milli;
    int64_t mean_milli;
    int64_t stddev_milli; /* of a sample: divided by count - 1; 0 for one value */
    int64_t q1_milli;     /* quartiles by linear interpolation between order statistics */
    int64_t q3_milli;
};

/* Sorts values[] in place. All fields are 0 when count is 0. */
void stats_make(int64_t *values, size_t count, struct stats *stats);

#endif
