/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one file of the image that computes in floating point: it is compiled with SSE, runs only on
 * the boot CPU and never in or near a window.
 */
#include "stats.h"

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

/* Heapsort: in place, no recursion, no bad case. */
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

/*
 * The value at quarters/4 of the way from the first to the last, exact to a thousandth: whole and
 * fraction are kept apart so that large counts lose nothing.
 */
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

    /* Relative to the least value: exact for equal counts of any size. */
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
