/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of two events use two counters in each unit, and each counter may wrap. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/uncore_run.h"

/* In each cycle, a counter grows by its event's number, and a sum by the numbers of both events. */
#define HITS    0x08u
#define MISSES  0x09u
#define WRAP_48 (1ull << 48)
#define WRAP_44 (1ull << 44)

static void count_sum(enum uncore_kind kind, uint64_t select, uint64_t second, unsigned counter,
                      unsigned other)
{
    struct event *sum = count(kind, select, counter);

    sum->flags = EVENT_SUM;
    sum->extra = second;
    pass.slot[pass.slots - 1].second = (uint8_t)other;
}

TEST(both_are_programmed_and_added)
{
    nehalem(false);
    memcpy(before, fake.reg, sizeof(before));
    take(ALL_KINDS);
    count_sum(KIND_UNCORE, HITS, MISSES, 6, 2);
    count(KIND_UNCORE, MISSES, 0);
    count(KIND_CLOCK, 0, 0);
    assert_int_equal(program(), STATUS_OK);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(fake_msr(0x3c0 + i)->value, i == 6             ? HITS | EN
                                                     : i == 2 || i == 0 ? MISSES | EN
                                                                        : 0);
    assert_int_equal(programmed.global, 1ull << 6 | 1ull << 2 | 1ull << 0 | 1ull << 32);
    assert_int_equal(fake_msr(0x396)->value, 0); /* the match register stays 0 */
    run(100);
    assert_int_equal(raw[0], 100 * (HITS + MISSES));
    assert_int_equal(raw[1], 100 * MISSES);
    assert_int_equal(raw[2], 100);
    assert_int_equal(fake.absent + fake.early, 0);
    assert_int_equal(uncore_give_back(&FAKE_PORT, &held).status, STATUS_OK);
    assert_memory_equal(fake.reg, before, sizeof(before));
}

TEST(each_wraps_for_itself)
{
    static const uint64_t BEGINS[][2] = {
        {WRAP_48 - 1, 0}, {0, WRAP_48 - 1}, {WRAP_48 - 1, WRAP_48 - 1}, {WRAP_48 - 801, 5}};

    for (unsigned i = 0; i < sizeof(BEGINS) / sizeof(BEGINS[0]); i++) {
        nehalem_taken();
        count_sum(KIND_UNCORE, HITS, MISSES, 1, 4);
        fake_msr(0x3b1)->value = BEGINS[i][0];
        fake_msr(0x3b4)->value = BEGINS[i][1];
        run(100);
        assert_int_equal(raw[0], 100 * (HITS + MISSES));
    }
}

/* Each part may use the full width of its counter. */
TEST(the_sum_is_wider_than_a_counter)
{
    nehalem_taken();
    count_sum(KIND_UNCORE, HITS, MISSES, 1, 4);
    assert_int_equal(program(), STATUS_OK);
    assert_true(window_opens());
    fake_msr(0x3b1)->value = (fake_msr(0x3b1)->value - 1) & (WRAP_48 - 1);
    fake_msr(0x3b4)->value = (fake_msr(0x3b4)->value - 2) & (WRAP_48 - 1);
    assert_true(window_closes());
    assert_int_equal(raw[0], 2 * WRAP_48 - 3);
}

TEST(all_units_are_summed)
{
    sandy_bridge_taken(3);
    count_sum(KIND_CBO, 0x34, 0x22, 1, 0);
    fake_msr(0x706)->value = WRAP_44 - 1;
    fake_msr(0x717)->value = WRAP_44 - 10;
    fake_msr(0x726)->value = WRAP_44 - 1;
    run(100);
    assert_int_equal(raw[0], 3 * 100 * (0x34 + 0x22));
    assert_int_equal(fake.absent + fake.early, 0);
}

TEST(what_fails_of_the_second_is_told)
{
    nehalem_taken();
    count_sum(KIND_UNCORE, HITS, MISSES | 1ull << 32, 1, 4);
    assert_int_equal(program(), STATUS_UNCORE_FIELD);
    event[0].extra = MISSES;
    fake_msr(0x3c4)->stuck = 1;
    assert_int_equal(program(), STATUS_UNCORE_KEPT);
    assert_int_equal(programmed.failed, 1u << KIND_UNCORE);
    fake_msr(0x3c4)->stuck = 0;
    assert_int_equal(program(), STATUS_OK);
    fake_msr(0x3b4)->read_faults = true;
    assert_false(window_opens());
    fake_msr(0x3b4)->read_faults = false;
    assert_true(window_opens());
    fake_msr(0x3b4)->read_faults = true;
    assert_false(window_closes());
}
