/* SPDX-License-Identifier: BSD-2-Clause */
/* Which counter counts which event in which pass. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/schedule_holds.h"

BEFORE_EACH(skylake);

#define COUNTERS_0_TO_3 0x0fu

static unsigned pass_of(unsigned e)
{
    unsigned pass, slot;

    assert_true(schedule_find(&schedule, e, &pass, &slot));
    return pass;
}

TEST(thirteen_events_on_four_counters)
{
    add_many(13);
    make_passes(4);
}

TEST(every_number_of_counters)
{
    for (caps.gp_count = 1; caps.gp_count <= GP_COUNTERS_MAX; caps.gp_count++)
        for (unsigned count = 0; count < 40; count++) {
            events = 0;
            add_many(count);
            make_and_check();
            assert_int_equal(schedule.passes,
                             count ? (count + caps.gp_count - 1) / caps.gp_count : 1);
        }
}

/* Without SMT, Skylake has eight counters, four of which count retired loads and stores. */
TEST(loads_and_stores_of_skylake)
{
    caps.gp_count = 8;
    add_many(4);
    add_event(0x81d0)->counters = COUNTERS_0_TO_3;
    add_event(0x82d0)->counters = COUNTERS_0_TO_3;
    add_many(2);
    make_passes(1);
    for (unsigned i = 0; i < 4; i++)
        add_event(0x01d1)->counters = COUNTERS_0_TO_3;
    make_passes(2); /* 12 events, 6 of them for 4 counters */
    for (unsigned i = 0; i < 3; i++)
        add_event(0x01d1)->counters = COUNTERS_0_TO_3;
    make_passes(3); /* 15 events, 9 of them for 4 counters */
}

TEST(order_is_the_lists)
{
    add_many(11);
    make_and_check();
    for (unsigned e = 0; e < events; e++) {
        assert_int_equal(pass_of(e), e / 4);
        assert_int_equal(slot_of(e)->counter, e % 4);
    }
    for (unsigned e = 4; e < 7; e++)
        event[e].counters = 7;
    make_and_check();
    for (unsigned e = 0; e < events; e++)
        assert_int_equal(pass_of(e), e / 4);
    events = 0;
    add_many(2);
    add_event(0x0151)->counters = 1;
    make_passes(1);
    assert_int_equal(slot_of(0)->counter, 1);
    assert_int_equal(slot_of(1)->counter, 2);
    assert_int_equal(slot_of(2)->counter, 0);
}

/* The scheduler ignores the list's order if keeping it would need another pass. */
TEST(order_yields_to_fewer_passes)
{
    caps.gp_count = 2;
    add_many(2);
    add_event(0x0151)->counters = 1;
    add_event(0x0151)->counters = 1;
    make_passes(2);
    assert_int_equal(pass_of(0), 0);
    assert_int_equal(pass_of(1), 1);
}

TEST(taken_alone)
{
    add_fixed(0, false);
    add_many(2);
    add_event(0x01a3)->flags = EVENT_ALONE;
    add_many(2);
    add_event(0x02a3)->flags = EVENT_ALONE;
    make_passes(3);
    assert_int_equal(slots_of[0], 3);
    assert_int_equal(pass_of(3), 1);
    assert_int_equal(pass_of(6), 2);
}

TEST(version_1_has_one_counter_a_pass)
{
    caps.pmu_version = 1;
    caps.gp_count = 2;
    add_fixed(0, false);
    add_many(4);
    add_event(0x0151)->counters = 2;
    add_fixed(2, true);
    make_passes(6);
    assert_int_equal(event[6].status, STATUS_NO_FIXED);
    for (unsigned p = 0; p < schedule.passes; p++)
        assert_int_equal(schedule.pass[p].slots, 1);
    assert_int_equal(schedule.pass[5].slot[0].counter, 1);
}

/* Microcode reserves IA32_PMC3. */
TEST(tsx_force_abort_leaves_pmc3)
{
    caps.features = FEATURE_TSX_ABORT;
    add_many(13);
    for (caps.gp_count = 1; caps.gp_count <= GP_COUNTERS_MAX; caps.gp_count++) {
        unsigned ours = caps.gp_count > 3 ? caps.gp_count - 1 : caps.gp_count;

        make_passes((13 + ours - 1) / ours);
    }
    caps.gp_count = GP_COUNTERS_MAX;
    add_event(0x0151)->counters = 1u << 3;
    make_and_check();
    assert_int_equal(event[13].status, STATUS_NO_COUNTER);
}

TEST(counters_that_are_absent_are_left_out)
{
    caps.gp_count = 8;
    caps.gp_absent = 0x4a;
    add_many(10);
    make_passes(2);
    for (unsigned e = 0; e < 10; e++)
        assert_false(caps.gp_absent >> slot_of(e)->counter & 1);
}

TEST(without_an_event_one_empty_pass)
{
    static const struct {
        uint32_t version, gp_count, gp_refused;
        enum status status;
    } ROWS[] = {
        {0, 0, 0, STATUS_NO_PMU},
        {1, 0, 0, STATUS_NO_COUNTER},
        {4, 0, 4, STATUS_MSR_FAULT},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        caps.pmu_version = ROWS[i].version;
        caps.gp_count = ROWS[i].gp_count;
        caps.gp_refused = ROWS[i].gp_refused;
        caps.fixed_map = 0;
        events = 0;
        add_event(0x003c);
        make_passes(1);
        assert_int_equal(schedule.pass[0].slots, 0);
        assert_int_equal(event[0].status, ROWS[i].status);
    }
    events = 0;
    make_passes(1);
}

TEST(what_is_given_up_stays_so)
{
    add_many(9);
    event[4].status = STATUS_EVENT_MODEL;
    make_and_check();
    assert_int_equal(event[4].status, STATUS_EVENT_MODEL);
    assert_int_equal(schedule.passes, 2);
}

TEST(passes_end_where_they_say)
{
    static const struct pass EMPTY;
    unsigned pass, slot;

    add_many(5);
    make_and_check();
    assert_memory_equal(&schedule.pass[2], &EMPTY, sizeof(EMPTY));
    assert_memory_equal(&schedule.pass[PASSES_MAX - 1], &EMPTY, sizeof(EMPTY));
    schedule.passes--;
    assert_false(schedule_find(&schedule, 4, &pass, &slot));
}
