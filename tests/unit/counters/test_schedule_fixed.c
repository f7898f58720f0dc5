/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events in every pass: those on fixed counters, and instructions if no fixed counter counts them.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/schedule_holds.h"

BEFORE_EACH(skylake);

TEST(fixed_counters_stand_in_every_pass)
{
    add_many(6);
    for (int8_t counter = 0; counter < (int8_t)FIXED_COUNTERS_MAX; counter++)
        add_fixed(counter, counter > 1);
    add_many(6);
    caps.fixed_map = 0xf;
    make_passes(3);
    for (unsigned e = 6; e < 10; e++) {
        assert_int_equal(slots_of[e], 3);
        assert_int_equal(fixed_slots_of[e], 3);
    }
}

TEST(without_fixed_counters)
{
    add_fixed(1, false);
    add_fixed(2, true);
    caps.fixed_map = 1;
    make_and_check();
    assert_int_equal(slot_of(0)->where, SLOT_GENERAL);
    assert_int_equal(event[1].status, STATUS_NO_FIXED);
    event[1].status = STATUS_OK;
    caps.fixed_refused = 1u << 2;
    make_and_check();
    assert_int_equal(event[1].status, STATUS_MSR_FAULT);
}

TEST(fixed_counters_have_no_flags)
{
    add_fixed(1, false)->select |= 1ull << 24; /* CMASK */
    add_fixed(1, false)->select |= 1ull << 23; /* INV */
    add_fixed(1, false);
    add_fixed(0, true)->select |= 1ull << 18; /* no fixed counter supports E */
    make_and_check();
    assert_int_equal(fixed_slots_of[0] + fixed_slots_of[1], 0);
    assert_int_equal(fixed_slots_of[2], 1);
    assert_int_equal(event[3].status, STATUS_NO_FIXED);
}

TEST(two_events_of_one_fixed_counter)
{
    add_fixed(0, false);
    add_fixed(0, false)->rings = RING_USR;
    add_fixed(2, true);
    add_fixed(2, true)->rings = RING_USR;
    add_fixed(2, true)->rings = RING_USR | RING_OS;
    make_passes(3);
    assert_int_equal(fixed_slots_of[0], 3);
    assert_int_equal(fixed_slots_of[1], 0);
    assert_int_equal(slots_of[1], 1);
    for (unsigned e = 2; e < 5; e++)
        assert_int_equal(fixed_slots_of[e], 1);
    add_many(16);
    make_passes(5); /* 17 events need general counters */
    assert_int_equal(fixed_slots_of[2], 3);
}

/*
 * Instructions use one general counter in each pass, except in the pass of an event that must be
 * alone.
 */
TEST(instructions_without_a_fixed_counter)
{
    caps.fixed_map = 0;
    add_many(3);
    add_event(0x01c0);
    add_event(0x00c0 | 1u << 24);
    add_event(0x00c0);
    add_event(0x00c0)->rings = RING_USR;
    add_event(0x01a3)->flags = EVENT_ALONE;
    add_many(4);
    make_passes(5); /* 10 events on 3 counters, and 1 event alone */
    assert_int_equal(work.search.bound, 4);
    assert_int_equal(slots_of[5], 4);
    assert_int_equal(slots_of[4] + slots_of[6], 2);
    caps.gp_count = 1;
    make_and_check();
    assert_int_equal(slots_of[5], 1);
    assert_int_equal(schedule.passes, 12);
}

TEST(errata_are_flagged)
{
    add_fixed(0, false);
    add_fixed(0, false)->rings = RING_USR;
    add_event(0x00c4);
    add_event(0x0151);
    event[3].flags = EVENT_MISCOUNTS | EVENT_PRECISE;
    make_and_check();
    assert_int_equal(event[0].flags, 0);
    assert_int_equal(event[1].flags, EVENT_MISCOUNTS);
    assert_int_equal(event[2].flags, EVENT_MISCOUNTS);
    assert_int_equal(event[3].flags, EVENT_PRECISE);
}
