/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts from three reads of a free-running counter, across its wraps. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/counters/deltas.h"

static uint64_t mask_of(unsigned width_bits)
{
    return width_bits == 64 ? UINT64_MAX : (1ull << width_bits) - 1;
}

/*
 * The counter counts `way` + `kernel` events from the first read to the second, and `way` events
 * from the second to the third.
 */
static void expect_count(uint64_t from, uint64_t way, int64_t kernel, unsigned width_bits)
{
    uint64_t mask = mask_of(width_bits);
    uint64_t t1 = from + way + (uint64_t)kernel, t2 = t1 + way;

    assert_true(deltas_count(from & mask, t1 & mask, t2 & mask, width_bits) == kernel);
    assert_true(deltas_count(from, t1, t2, width_bits) == kernel);
}

TEST(the_way_cancels)
{
    expect_count(0, 0, 0, 48);
    expect_count(0, 87, 0, 48);
    expect_count(12345, 87, 1, 48);
    expect_count(12345, 87, 1000000, 40);
    expect_count(12345, 87, -3, 48);
}

TEST(counters_wrap)
{
    static const unsigned WIDTHS[] = {32, 40, 47, 48, 63, 64};

    for (size_t w = 0; w < sizeof(WIDTHS) / sizeof(WIDTHS[0]); w++)
        for (uint64_t before = 0; before < 40; before++) {
            expect_count(mask_of(WIDTHS[w]) + 1 - before, 5, 20, WIDTHS[w]);
            expect_count(mask_of(WIDTHS[w]) + 1 - before, 20, -5, WIDTHS[w]);
        }
}

TEST(the_ends)
{
    for (unsigned width = 2; width <= 63; width++) {
        expect_count(7, 3, (int64_t)(mask_of(width) >> 1), width);
        expect_count(7, 3, -(int64_t)(mask_of(width) >> 1) - 1, width);
    }
    expect_count(7, 3, INT64_MAX, 64);
    expect_count(7, 3, INT64_MIN, 64);
    assert_true(deltas_count(0, 1, 1, 1) == -1); /* with one bit, counts are -1 and 0 */
    assert_true(deltas_count(1, 1, 1, 1) == 0);
}

TEST(any_start_and_way)
{
    random_start();
    for (unsigned i = 0; i < 100000; i++) {
        unsigned width = 32 + (unsigned)random_below(33);
        int64_t kernel = (int64_t)(random_bits() & (mask_of(width) >> 1));

        expect_count(random_bits(), random_bits(), random_below(2) ? kernel : -kernel, width);
    }
}
