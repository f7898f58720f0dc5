/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modes, stable counts and differing medians, at each limit of the rules; the results were computed
 * by hand.
 */
#include "tests/unit/test.h"
#include "pmu/base/stats.h"

static int64_t values[200];

struct lot {
    int64_t value;
    unsigned times;
};

static struct stats shape_of(const struct lot lots[4], unsigned step)
{
    struct stats stats;
    size_t count = 0;

    for (unsigned l = 0; l < 4; l++)
        for (unsigned i = 0; i < lots[l].times; i++)
            values[count++] = lots[l].value;
    stats_make(values, count, &stats);
    stats_shape(values, step, &stats);
    return stats;
}

static const struct {
    const char *row;
    struct lot lots[4];
    unsigned step, modes;
    bool stable;
    int64_t mad_milli;
} SHAPES[] = {
    {"all alike", {{1000, 100}}, 1, 1, true, 0},
    {"one value", {{1000, 1}}, 1, 1, true, 0},
    {"two values alike", {{7, 2}}, 1, 1, true, 0},
    {"two values, a count of 2 apart", {{7, 1}, {9, 1}}, 1, 1, true, 1000},
    {"two values, a count of 3 apart", {{7, 1}, {10, 1}}, 1, 0, false, 1500},
    {"1 % of 1000", {{1000, 60}, {1010, 40}}, 1, 1, true, 0},
    {"more than 1 %", {{1000, 60}, {1011, 40}}, 1, 2, false, 0},
    {"below zero", {{-1000, 60}, {-1010, 40}}, 1, 1, true, 0},
    {"more than 1 % below zero", {{-1000, 60}, {-1011, 40}}, 1, 2, false, 0},
    {"a second mode of 5 %", {{1000, 95}, {1100, 5}}, 1, 2, false, 0},
    {"4 % are no mode", {{1000, 96}, {1100, 4}}, 1, 1, true, 0},
    {"2 of 41 are less than 5 %", {{1000, 39}, {1100, 2}}, 1, 1, true, 0},
    {"one of 20 is no mode, and 19 are enough", {{1000, 19}, {1100, 1}}, 1, 1, true, 0},
    {"one of 19 is 5.3 %, but alone", {{1000, 18}, {1100, 1}}, 1, 1, false, 0},
    {"6 % elsewhere", {{1000, 94}, {1100, 2}, {1200, 2}, {1300, 2}}, 1, 1, false, 0},
    {"three modes", {{1000, 40}, {1100, 40}, {1300, 20}}, 1, 3, false, 100000},
    {"four modes alike", {{1000, 25}, {1100, 25}, {1200, 25}, {1300, 25}}, 1, 4, false, 100000},
    /*
     * The median is 140. The smallest deviations from 140 are 0 (40 times) and 30 (15 times), so
     * the median of all 100 deviations is 30. A gap must exceed three quarters of 30, which is
     * 22.5. The last two values are 22 or 23 apart.
     */
    {"not three quarters", {{100, 30}, {140, 40}, {170, 15}, {192, 15}}, 1, 3, false, 30000},
    {"more than three quarters", {{100, 30}, {140, 40}, {170, 15}, {193, 15}}, 1, 4, false, 30000},
    {"21 ticks apart, steps of 21 ticks", {{987, 50}, {1008, 50}}, 21, 1, true, 10500},
    {"22 ticks apart, steps of 21 ticks", {{987, 50}, {1009, 50}}, 21, 2, false, 11000},
    {"a chain is one mode, but not stable",
     {{100, 70}, {102, 10}, {104, 10}, {106, 10}},
     1,
     1,
     false,
     0},
};

TEST(shapes_by_hand)
{
    struct stats stats;

    for (size_t i = 0; i < sizeof(SHAPES) / sizeof(SHAPES[0]); i++) {
        stats = shape_of(SHAPES[i].lots, SHAPES[i].step);
        if (stats.modes != SHAPES[i].modes || stats.stable != SHAPES[i].stable ||
            stats.mad_milli != SHAPES[i].mad_milli)
            fail_msg("%s: %u modes, stable %d, deviation %lld", SHAPES[i].row, stats.modes,
                     stats.stable, (long long)stats.mad_milli);
    }
    for (unsigned i = 0; i < 200; i++) /* noise much wider than the resolution is one mode */
        values[i] = 1000 * (int64_t)i;
    stats_make(values, 200, &stats);
    stats_shape(values, 1, &stats);
    assert_true(stats.modes == 1 && !stats.stable);
    assert_int_equal(stats.mad_milli, 50000000); /* deviations: 500 500 1500 1500 ... 99500 */
}

static bool differ(const struct stats *a, const struct stats *b)
{
    return stats_differ(stats_place(a), stats_place(b));
}

/*
 * The quartiles of each set of values are 0 or 15 apart. The resolution is 1 % of the median, such
 * as 10.2 for a median of 1020.
 */
TEST(medians_that_differ)
{
    const struct lot close[4] = {{1000, 10}}, within[4] = {{1010, 10}}, beyond[4] = {{1011, 10}};
    const struct lot wide[4] = {{1010, 3}, {1020, 4}, {1030, 3}}; /* q1 1012.5, q3 1027.5 */
    const struct lot four[4] = {{2000, 4}}, five[4] = {{2000, 5}};
    struct stats first = shape_of(close, 1), second = shape_of(within, 1);

    assert_false(differ(&first, &second)); /* 10 is not more than 10.1 */
    assert_false(differ(&second, &first));
    second = shape_of(beyond, 1); /* 11 is more than 10.11 */
    assert_true(differ(&first, &second));
    assert_true(differ(&second, &first));
    second = shape_of(wide, 1);
    assert_int_equal(second.q3_milli - second.q1_milli, 15000);
    assert_false(differ(&first, &second)); /* 20 is not more than 15 + 10.2 */
    assert_false(differ(&second, &first));
    second = shape_of(four, 1);
    assert_false(differ(&first, &second));
    assert_false(differ(&second, &first));
    second = shape_of(five, 1);
    assert_true(differ(&first, &second));
    /* no difference of extreme counts overflows */
    first = shape_of((const struct lot[4]){{-(1ll << 53), 9}}, 1);
    second = shape_of((const struct lot[4]){{1ll << 53, 9}}, UINT32_MAX);
    assert_true(differ(&first, &second) && differ(&second, &first));
    first = shape_of((const struct lot[4]){{0, 5}, {1ll << 53, 5}}, 1);
    assert_true(first.mad_milli == 500 * (1ll << 53) && first.modes == 2);
}
