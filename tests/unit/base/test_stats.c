/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the statistics with textbook formulas in long double. Quartiles are interpolated at h =
 * (count - 1) * q.
 */
#include <stdio.h>
#include <string.h>
#include <math.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/base/stats.h"

BEFORE_ALL(random_start);

#define VALUES_MAX 600u

static int64_t values[VALUES_MAX], sorted[VALUES_MAX];

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static long double quantile(size_t count, long double q)
{
    long double h = (long double)(count - 1) * q;
    size_t below = (size_t)h;
    long double part = h - (long double)below;

    if (below + 1 == count)
        return (long double)sorted[below];
    return (long double)sorted[below] * (1 - part) + (long double)sorted[below + 1] * part;
}

static void near(const char *what, int64_t milli, long double exact, long double tolerance_milli)
{
    if (fabsl((long double)milli - exact * 1000) > tolerance_milli)
        fail_msg("%s: %lld thousandths, expected %Lf", what, (long long)milli, exact * 1000);
}

static int compare_long(const void *a, const void *b)
{
    long double x = *(const long double *)a, y = *(const long double *)b;

    return (x > y) - (x < y);
}

static bool are_apart(int64_t a, int64_t b, long double resolution)
{
    return ((long double)b - (long double)a) * 1000 > resolution;
}

/*
 * Recomputes the rules of pmu/base/stats.h in thousandths. A median is a multiple of 500
 * thousandths, so a hundredth of it is a multiple of 5.
 */
static void check_shape(const int64_t *given, size_t count, const struct stats *stats)
{
    static long double off[VALUES_MAX];
    long double median = quantile(count, 0.5L) * 1000, mad, gap;
    long double resolution = fmaxl(floorl(fabsl(median) / 100), 2000);
    unsigned modes = 0, close = 0;

    for (size_t i = 0; i < count; i++) {
        off[i] = fabsl((long double)given[i] * 1000 - median);
        close += off[i] <= resolution;
    }
    qsort(off, count, sizeof(off[0]), compare_long);
    mad = (off[(count - 1) / 2] + off[count / 2]) / 2;
    gap = fmaxl(resolution, 0.75L * mad);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !are_apart(given[end - 1], given[end], gap);)
            end++;
        modes += (double)(end - i) / (double)count >= 0.05 && (end - i > 1 || count == 1);
    }
    assert_true((long double)stats->mad_milli == mad);
    assert_true((long double)stats->resolution_milli == resolution);
    assert_int_equal(stats->modes, modes);
    assert_int_equal(stats->stable, modes == 1 && (double)close / (double)count >= 0.95);
}

static void check(size_t count)
{
    long double sum = 0, squares = 0, mean;
    int64_t *given = malloc(count * sizeof(*given)); /* exact size, so that overruns are caught */
    struct stats stats;

    assert_non_null(given);
    memcpy(sorted, values, count * sizeof(sorted[0]));
    qsort(sorted, count, sizeof(sorted[0]), compare);
    for (size_t i = 0; i < count; i++)
        sum += (long double)sorted[i];
    mean = sum / (long double)count;
    for (size_t i = 0; i < count; i++)
        squares += ((long double)sorted[i] - mean) * ((long double)sorted[i] - mean);

    memset(&stats, 0xa5, sizeof(stats));
    memcpy(given, values, count * sizeof(given[0]));
    stats_make(given, count, &stats);
    assert_memory_equal(given, sorted, count * sizeof(sorted[0]));
    assert_true(stats.modes == 0 && !stats.stable && stats.mad_milli == 0);
    stats_shape(given, 1, &stats);
    assert_memory_equal(given, sorted, count * sizeof(sorted[0]));
    check_shape(given, count, &stats);
    free(given);
    assert_int_equal(stats.count, count);
    assert_true(stats.min == sorted[0] && stats.max == sorted[count - 1]);
    near("median", stats.median_milli, quantile(count, 0.5L), 0.5L);
    near("first quartile", stats.q1_milli, quantile(count, 0.25L), 0.5L);
    near("third quartile", stats.q3_milli, quantile(count, 0.75L), 0.5L);
    /*
     * accepted error: half a thousandth for rounding, a double's precision times the spread, and
     * for the mean also a long double's precision times the mean
     */
    near("mean", stats.mean_milli, mean,
         0.51L + 1e-12L * (long double)(sorted[count - 1] - sorted[0]) +
             1000 * fabsl(mean) * 0x1p-62L);
    near("deviation", stats.stddev_milli, count > 1 ? sqrtl(squares / (long double)(count - 1)) : 0,
         0.51L + 1e-12L * (long double)(sorted[count - 1] - sorted[0]));
}

TEST(no_value)
{
    struct stats stats;

    memset(&stats, 0xa5, sizeof(stats));
    stats_make(values, 0, &stats);
    stats_shape(values, 36, &stats);
    assert_int_equal(stats.count | stats.modes | stats.stable, 0);
    assert_true(stats.mad_milli == 0 && stats.resolution_milli == 0);
    assert_true(stats.min == 0 && stats.max == 0 && stats.median_milli == 0);
    assert_true(stats.mean_milli == 0 && stats.stddev_milli == 0);
    assert_true(stats.q1_milli == 0 && stats.q3_milli == 0);
}

/* Of 10, 20, 40 and 80: mean 37.5, median 30, quartiles 17.5 and 50, standard deviation 30.957. */
TEST(a_few_by_hand)
{
    struct stats stats;

    memcpy(values, (int64_t[]){80, 10, 40, 20}, 4 * sizeof(values[0]));
    stats_make(values, 4, &stats);
    assert_int_equal(stats.min, 10);
    assert_int_equal(stats.max, 80);
    assert_int_equal(stats.mean_milli, 37500);
    assert_int_equal(stats.median_milli, 30000);
    assert_int_equal(stats.q1_milli, 17500);
    assert_int_equal(stats.q3_milli, 50000);
    assert_int_equal(stats.stddev_milli, 30957); /* sqrt(2875 / 3) = 30.9569… */

    values[0] = 7;
    stats_make(values, 1, &stats);
    assert_true(stats.min == 7 && stats.max == 7 && stats.mean_milli == 7000);
    assert_true(stats.median_milli == 7000 && stats.stddev_milli == 0);
    memcpy(values, (int64_t[]){4, 1}, 2 * sizeof(values[0]));
    stats_make(values, 2, &stats);
    assert_true(stats.mean_milli == 2500 && stats.median_milli == 2500);
    assert_true(stats.q1_milli == 1750 && stats.q3_milli == 3250);
    assert_int_equal(stats.stddev_milli, 2121); /* 3 / sqrt(2) = 2.12132… */
}

/* For each `count` from 1 to 6: all sequences of `count` values from `count` different numbers. */
TEST(every_order)
{
    for (unsigned count = 1; count <= 6; count++) {
        unsigned orders = 1;

        for (unsigned i = 0; i < count; i++)
            orders *= count;
        for (unsigned order = 0; order < orders; order++) {
            unsigned rest = order;
            for (unsigned i = 0; i < count; i++, rest /= count)
                values[i] = (int64_t)(rest % count) - 1;
            check(count);
        }
    }
}

TEST(random_values)
{
    for (unsigned round = 0; round < 400; round++) {
        size_t count = 1 + random_below(VALUES_MAX);
        unsigned bits = (unsigned)random_below(48);
        int64_t base = (int64_t)random_below(1ull << 52) * (random_below(4) ? 1 : -1);

        for (size_t i = 0; i < count; i++)
            values[i] = base + (int64_t)random_below(1ull << bits);
        check(count);
    }
}

/*
 * About `alone` percent of the values are 0 to 4,999 above the lowest of the four modes. All other
 * values are in the modes.
 */
TEST(random_modes)
{
    for (unsigned round = 0; round < 400; round++) {
        size_t count = 1 + random_below(VALUES_MAX), alone = random_below(20);

        for (size_t i = 0; i < count; i++)
            values[i] = 10000 + (random_below(100) < alone ? (int64_t)random_below(5000)
                                                           : 450 * (int64_t)random_below(4));
        check(count);
    }
}

/* A double could not represent these counts in thousandths. */
TEST(large_equal_counts_are_exact)
{
    struct stats stats;
    int64_t large = (1ll << 52) - 1;

    for (int sign = -1; sign <= 1; sign += 2) {
        for (unsigned i = 0; i < VALUES_MAX; i++)
            values[i] = sign * large;
        stats_make(values, VALUES_MAX, &stats);
        assert_true(stats.mean_milli == sign * large * 1000);
        assert_true(stats.median_milli == sign * large * 1000);
        assert_true(stats.q1_milli == sign * large * 1000 && stats.q3_milli == stats.q1_milli);
        assert_true(stats.stddev_milli == 0);
    }
}
