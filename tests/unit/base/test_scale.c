/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes values and rates from counts, and compares them with 128-bit arithmetic in C. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random.h"
#include "pmu/base/scale.h"
#include "pmu/counters/unit.h"

BEFORE_ALL(random_start);

__extension__ typedef unsigned __int128 wide;

#define UJ_61   (61ull << 32) /* about 1/2^14 J, Haswell's unit of energy */
#define UJ_15_3 (uint64_t)(15.3 * (1ull << 32))

static struct event of(enum event_unit unit, uint64_t extra)
{
    return (struct event){.unit = (uint8_t)unit, .scope = SCOPE_UNCORE, .extra = extra};
}

TEST(products)
{
    static const uint64_t VALUES[] = {0, 1, 63, 1ull << 32, (1ull << 53) + 1, UINT64_MAX};

    for (unsigned round = 0; round < 20000; round++) {
        uint64_t value = round % 2 ? random_bits() >> random_below(64) : VALUES[random_below(6)];
        uint64_t factor = random_bits() >> random_below(64);
        uint64_t divisor = 1 + random_below(1ull << (1 + random_below(62)));
        wide expected = (wide)value * factor / divisor;

        assert_true(scale(value, factor, divisor) ==
                    (expected > UINT64_MAX ? UINT64_MAX : (uint64_t)expected));
        factor >>= 1;
        expected = ((wide)value * factor * 2 / divisor + 1) / 2;
        if (expected < 1ull << 62)
            assert_true(scale_rounded(value, factor, divisor) == (uint64_t)expected);
    }
    assert_int_equal(scale_rounded(5, 5, 0), 0);
    assert_true(scale_rounded(UINT64_MAX, 1ull << 60, 1) == UINT64_MAX);
}

TEST(counts_are_what_they_are)
{
    static const enum event_unit SAME[] = {UNIT_COUNT, UNIT_CYCLES, UNIT_REFERENCE_CYCLES,
                                           UNIT_SLOTS, UNIT_UNCORE_CYCLES};

    for (unsigned i = 0; i < sizeof(SAME) / sizeof(SAME[0]); i++) {
        struct event event = of(SAME[i], 99);

        assert_true(unit_value(&event, 12345) == 12345);
        assert_true(unit_value(&event, -(1ll << 53)) == -(1ll << 53));
        assert_int_equal(unit_step(&event), 1);
        assert_string_equal(unit_rate_name(&event), "");
        assert_int_equal(unit_rate_milli(&event, 1000, 1000, 1000), 0);
    }
}

TEST(lines_are_bytes)
{
    struct event event = of(UNIT_BYTES, 7);

    assert_true(unit_value(&event, 3) == 192);
    assert_true(unit_value(&event, -3) == -192);
    assert_true(unit_value(&event, (1ll << 46) - 1) == (1ll << 52) - 64);
    assert_true(unit_value(&event, 1ll << 53) == SCALE_MAX);
    assert_true(unit_value(&event, -(1ll << 53)) == -SCALE_MAX);
    assert_int_equal(unit_step(&event), 64);
}

TEST(steps_are_energy)
{
    static const uint64_t STEPS[] = {1,       1ull << 31,       (1ull << 31) - 1, UJ_61,
                                     UJ_15_3, (1ull << 63) + 5, UINT64_MAX};

    for (unsigned round = 0; round < 20000; round++) {
        struct event event =
            of(UNIT_MICROJOULES, round < 7 ? STEPS[round] : random_bits() >> random_below(64));
        uint64_t steps = random_bits() >> (11 + random_below(53));
        wide expected = ((wide)steps * event.extra + (1ull << 31)) >> 32;
        int64_t value = expected > (wide)SCALE_MAX ? SCALE_MAX : (int64_t)expected;

        assert_true(unit_value(&event, (int64_t)steps) == value);
        assert_true(unit_value(&event, -(int64_t)steps) == -value);
    }
}

TEST(steps_of_values)
{
    static const struct {
        uint64_t extra;
        uint32_t step;
    } ROWS[] = {{0, 1},      {1, 1},        {1ull << 32, 1},
                {UJ_61, 61}, {UJ_15_3, 15}, {UINT64_MAX, UINT32_MAX}};

    for (unsigned i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct event event = of(UNIT_MICROJOULES, ROWS[i].extra);

        assert_int_equal(unit_step(&event), ROWS[i].step);
    }
}

TEST(rates)
{
    struct event bytes = of(UNIT_BYTES, 0), energy = of(UNIT_MICROJOULES, UJ_61);

    assert_string_equal(unit_rate_name(&bytes), "GB/s");
    assert_string_equal(unit_rate_name(&energy), "W");
    /* 64 MB in 1 ms at 2 GHz: 64 GB/s */
    assert_int_equal(unit_rate_milli(&bytes, 64000000ll * 1000, 2000000ull * 1000, 2000000000),
                     64000);
    /* 1.5 J in 0.1 s: 15 W */
    assert_int_equal(unit_rate_milli(&energy, 1500000ll * 1000, 200000000ull * 1000, 2000000000),
                     15000);
    assert_int_equal(unit_rate_milli(&energy, -1500000ll * 1000, 200000000ull * 1000, 2000000000),
                     -15000);
    /* in thousandths of a GB/s: 499,999 bytes per second round down, and 500,000 round up */
    assert_int_equal(unit_rate_milli(&bytes, 499999000, 1000000, 1000), 0);
    assert_int_equal(unit_rate_milli(&bytes, 500000000, 1000000, 1000), 1);
    /* extreme values, as in a damaged journal */
    assert_true(unit_rate_milli(&bytes, SCALE_MAX * 1000, 1, UINT64_MAX) > 0);
    assert_true(unit_rate_milli(&energy, -SCALE_MAX * 1000, 1, UINT64_MAX) < 0);
}
