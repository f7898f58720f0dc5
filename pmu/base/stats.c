/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics. No other C file of the image uses floating point. This file's functions must run only
 * on the boot CPU, and never during a measurement.
 */
#include "pmu/base/stats.h"

#define MODE_VALUES_MIN   2u
#define RESOLUTION_COUNTS 2 /* one cycle at each edge of a window may or may not be counted */

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;

    *a = *b;
    *b = kept;
}

static void sift_down(int64_t *values, size_t root, size_t count)
{
    for (;;) {
        size_t child = 2 * root + 1;

        if (child >= count)
            return;
        if (child + 1 < count && values[child] < values[child + 1])
            child++;
        if (values[root] >= values[child])
            return;
        swap(&values[root], &values[child]);
        root = child;
    }
}

/* Heapsort works in place, without recursion, and has no slow worst case. */
static void sort(int64_t *values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(values, i, count);
    for (size_t end = count; end-- > 1;) {
        swap(&values[0], &values[end]);
        sift_down(values, 0, end);
    }
}

static int64_t to_milli(double value)
{
    return (int64_t)(value * 1000 + (value < 0 ? -0.5 : 0.5));
}

/* The quantile quarters/4, interpolated in integers, so that large counts stay exact. */
static int64_t quantile_milli(const int64_t *values, size_t count, unsigned quarters)
{
    size_t position = (count - 1) * quarters;
    size_t below = position / 4;
    int64_t rest = (int64_t)(position % 4);
    int64_t milli = values[below] * 1000;

    if (rest > 0)
        milli += (values[below + 1] - values[below]) * rest * 250;
    return milli;
}

void stats_make(int64_t *values, size_t count, struct stats *stats)
{
    double sum = 0, squares = 0, mean;

    *stats = (struct stats){.count = (uint32_t)count};
    if (count == 0)
        return;
    sort(values, count);
    stats->min = values[0];
    stats->max = values[count - 1];
    stats->median_milli = quantile_milli(values, count, 2);
    stats->q1_milli = quantile_milli(values, count, 1);
    stats->q3_milli = quantile_milli(values, count, 3);

    /* relative to the minimum, so that the mean of equal counts is exact */
    for (size_t i = 0; i < count; i++)
        sum += (double)(values[i] - stats->min);
    mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double off = (double)(values[i] - stats->min) - mean;
        squares += off * off;
    }
    stats->mean_milli = stats->min * 1000 + to_milli(mean);
    if (count > 1)
        stats->stddev_milli = to_milli(__builtin_sqrt(squares / (double)(count - 1)));
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* The median absolute deviation. */
static int64_t mad_milli(const int64_t *sorted, size_t count, int64_t median_milli)
{
    size_t above = 0, below;
    uint64_t off = 0, lower = 0;

    while (above < count && sorted[above] * 1000 < median_milli)
        above++;
    below = above;
    for (size_t i = 0; i <= count / 2; i++) {
        uint64_t down = below > 0 ? distance(sorted[below - 1] * 1000, median_milli) : UINT64_MAX;
        uint64_t up = above < count ? distance(sorted[above] * 1000, median_milli) : UINT64_MAX;

        off = down < up ? down : up;
        if (i == (count - 1) / 2)
            lower = off;
        if (down < up)
            below--;
        else
            above++;
    }
    return (int64_t)(lower + (off - lower) / 2);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void stats_shape(const int64_t *sorted, uint32_t step, struct stats *stats)
{
    const size_t count = stats->count, least = count < MODE_VALUES_MIN ? count : MODE_VALUES_MIN;
    const int64_t hundredth = (int64_t)(distance(0, stats->median_milli) / 100);
    const int64_t resolution = larger(larger(RESOLUTION_COUNTS, step) * 1000, hundredth);
    size_t group = 0, near = 0;
    int64_t gap_milli;

    if (count == 0)
        return;
    stats->resolution_milli = resolution;
    stats->mad_milli = mad_milli(sorted, count, stats->median_milli);
    gap_milli = larger(resolution, stats->mad_milli - stats->mad_milli / 4);
    for (size_t i = 0; i < count; i++) {
        near += distance(sorted[i] * 1000, stats->median_milli) <= (uint64_t)resolution;
        group++;
        if (i + 1 < count && (sorted[i + 1] - sorted[i]) * 1000 <= gap_milli)
            continue;
        if (group >= least && group * 20 >= count) /* 5 % */
            stats->modes++;
        group = 0;
    }
    stats->stable = stats->modes == 1 && near * 20 >= count * 19; /* 95 % */
}

struct stats_place stats_place(const struct stats *stats)
{
    struct stats_place place = {.median_milli = stats->median_milli};

    if (stats->count >= STATS_SPEAK_MIN)
        place.reach_milli = stats->q3_milli - stats->q1_milli + stats->resolution_milli;
    return place;
}

bool stats_differ(struct stats_place a, struct stats_place b)
{
    if (a.reach_milli == 0 || b.reach_milli == 0)
        return false;
    return distance(a.median_milli, b.median_milli) >
           (uint64_t)larger(a.reach_milli, b.reach_milli);
}
