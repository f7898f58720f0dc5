/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extra registers of a pass: which values share a register, and which register an offcore event
 * gets.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/counters/select.h"
#include "tests/unit/fakes/schedule_holds.h"

BEFORE_EACH(skylake);

/* `other` is the same event's code for the other register (Intel perfmon's OCR events), or 0. */
TEST(other_encodings)
{
    static const struct {
        uint32_t model, core_type, msr;
        uint16_t select, other;
    } ROWS[] = {
        {0x55, 0, 0x1a6, 0x01b7, 0x01bb}, /* Skylake server */
        {0x55, 0, 0x1a7, 0x01bb, 0x01b7},
        {0x55, 0, 0x1a7, 0x01b7, 0}, /* event B7H belongs to register 1A6H */
        {0x55, 0, 0x1a6, 0x02b7, 0},
        {0x55, 0, 0x3f7, 0x01b7, 0},
        {0x6a, 0, 0x1a6, 0x01b7, 0x01bb}, /* Ice Lake server */
        {0x2c, 0, 0x1a6, 0x01b7, 0x01bb}, /* Westmere */
        {0x1a, 0, 0x1a6, 0x01b7, 0},      /* Nehalem has one register */
        {0x8f, 0, 0x1a6, 0x012a, 0x012b}, /* Sapphire Rapids */
        {0x97, CORE_TYPE_CORE, 0x1a7, 0x012b, 0x012a},
        {0x97, CORE_TYPE_CORE, 0x1a6, 0x02b7, 0},
        {0x97, CORE_TYPE_ATOM, 0x1a6, 0x01b7, 0x02b7}, /* Gracemont */
        {0x97, CORE_TYPE_ATOM, 0x1a7, 0x02b7, 0x01b7},
        {0x97, CORE_TYPE_ATOM, 0x1a7, 0x01bb, 0},
        {0x5f, 0, 0x1a6, 0x01b7, 0x02b7}, /* Goldmont */
        {0x57, 0, 0x1a6, 0x01b7, 0x02b7}, /* Xeon Phi */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint16_t other = ROWS[i].other ? ROWS[i].select ^ ROWS[i].other : 0;

        events = 0;
        caps.model = ROWS[i].model;
        caps.core_type = ROWS[i].core_type;
        add_extra(ROWS[i].select | 1ull << 24, ROWS[i].msr, 1);
        assert_int_equal(offcore_select_xor(&event[0], &caps), other);
    }
    caps.vendor = VENDOR_AMD;
    assert_int_equal(offcore_select_xor(&event[0], &caps), 0);
}

TEST(two_offcore_values)
{
    add_extra(0x01b7, 0x1a6, 10);
    add_extra(0x01b7, 0x1a6, 20);
    make_passes(1);
    assert_int_equal(schedule.pass[0].extras, 2);
    assert_int_equal(schedule.pass[0].extra[0].msr, 0x1a6);
    assert_int_equal(schedule.pass[0].extra[0].value, 10);
    assert_int_equal(schedule.pass[0].extra[1].msr, 0x1a7);
    assert_int_equal(schedule.pass[0].extra[1].value, 20);
    assert_int_equal(schedule.pass[0].slot[0].select_xor, 0);
    assert_int_equal(0x01b7 ^ schedule.pass[0].slot[1].select_xor, 0x01bb);
    add_extra(0x01b7, 0x1a6, 30);
    make_passes(2);
}

TEST(equal_values_share)
{
    for (unsigned i = 0; i < 4; i++)
        add_extra(0x01b7 | (i & 1) << 24, 0x1a6, 10 + i / 2);
    make_passes(1);
    assert_int_equal(schedule.pass[0].extras, 2);
    events = 0;
    add_extra(0x01b7, 0x1a6, 10);
    add_extra(0x01bb, 0x1a7, 10);
    make_and_check();
    assert_int_equal(schedule.pass[0].extras, 1);
}

TEST(the_free_one_gives_way)
{
    add_extra(0x01b7, 0x1a6, 10);
    add_extra(0x0155, 0x1a6, 20); /* not a known offcore event */
    make_passes(1);
    assert_int_equal(0x01b7 ^ schedule.pass[0].slot[0].select_xor, 0x01bb);
    assert_int_equal(schedule.pass[0].slot[1].select_xor, 0);
}

TEST(one_value_in_a_pass)
{
    for (unsigned i = 0; i < 3; i++) {
        add_extra(0x01cd, 0x3f6, 4u << i);
        add_extra(0x01c6, 0x3f7, 0x11 + i);
    }
    make_passes(3);
    for (unsigned i = 0; i < 6; i++)
        event[i].extra = 0x11;
    make_passes(2);
}

TEST(registers_of_other_kinds)
{
    caps.gp_count = 10;
    for (unsigned i = 0; i < 9; i++)
        add_extra(0x0127, 0x1328 + i, 7);
    make_and_check();
    assert_int_equal(EXTRAS_MAX, 8);
    assert_int_equal(schedule.passes, 2);
}

/* Fixed counters have no extra register. */
TEST(an_event_that_is_alone_has_its_register)
{
    add_extra(0x01b7, 0x1a6, 10)->flags = EVENT_ALONE;
    add_fixed(0, false);
    event[1].extra_msr = 0x3f7;
    event[1].extra = 0x11;
    make_passes(2);
    assert_int_equal(schedule.pass[0].extras, 1);
    assert_int_equal(fixed_slots_of[1], 0);
}

/*
 * On small cores, only the first register measures latency (bit 38) or outstanding requests (bit
 * 63).
 */
TEST(latency_stays_in_the_first_register)
{
    static const struct cpu_caps GOLDMONT = {.vendor = VENDOR_INTEL, .family = 6, .model = 0x5c};
    struct event event = {.select = 0x1b7, .extra_msr = 0x1a6, .extra = 1};

    assert_int_equal(offcore_select_xor(&event, &GOLDMONT), 0x1b7 ^ 0x2b7);
    event.extra = 1ull << 38;
    assert_int_equal(offcore_select_xor(&event, &GOLDMONT), 0);
    event.extra = 1ull << 63;
    assert_int_equal(offcore_select_xor(&event, &GOLDMONT), 0);
}
