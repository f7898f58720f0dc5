/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that hold for a schedule of any CPU and events, checked independently of the scheduler's
 * code.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_SCHEDULE_HOLDS_H
#define BARECOUNT_TESTS_UNIT_FAKES_SCHEDULE_HOLDS_H

#include "tests/unit/fakes/skylake.h"
#include "pmu/uncore/uncore.h"
#include "pmu/counters/schedule.h"

static struct cpu_caps caps;
static struct event event[EVENTS_MAX];
static size_t events;
static struct schedule schedule;
static struct schedule_work work;

/* Number of slots of each event. */
static unsigned slots_of[EVENTS_MAX], fixed_slots_of[EVENTS_MAX];

static unsigned count_bits(uint64_t map)
{
    return (unsigned)__builtin_popcountll(map);
}

/* The select must be the offcore event's code for the register `msr`. */
static void check_encoding(const struct event *of, const struct slot *slot, uint32_t msr)
{
    static const uint16_t PAIRS[][2] = {{0x01b7, 0x01bb}, {0x012a, 0x012b}, {0x01b7, 0x02b7}};
    uint64_t select = of->select ^ slot->select_xor;
    bool known = false;

    assert_in_range(msr, 0x1a6, 0x1a7);
    for (unsigned i = 0; i < 3; i++)
        known |= of->select % 0x10000 == PAIRS[i][of->extra_msr & 1 ? 1 : 0] &&
                 select % 0x10000 == PAIRS[i][msr & 1 ? 1 : 0];
    assert_true(known);
    assert_int_equal(select >> 16, of->select >> 16);
}

/* Returns bit x if pass->extra[x] is the event's register, or 0 if the event needs no register. */
static unsigned check_extra(const struct pass *pass, const struct slot *slot)
{
    const struct event *of = &event[slot->event];
    uint32_t msr = slot->select_xor ? of->extra_msr ^ 1 : of->extra_msr;
    unsigned found = 0;

    if (of->extra_msr == 0) {
        assert_int_equal(slot->select_xor, 0);
        return 0;
    }
    if (slot->select_xor)
        check_encoding(of, slot, msr);
    for (unsigned x = 0; x < pass->extras; x++)
        if (pass->extra[x].msr == msr) {
            assert_int_equal(found, 0);
            assert_int_equal(pass->extra[x].value, of->extra);
            found = 1u << x;
        }
    assert_int_not_equal(found, 0);
    return found;
}

/* If extra_msr is 0, `extra` is not a filter: in an energy event, it is the size of a step. */
static bool wants_other_filters(const struct event *one, const struct event *other)
{
    return one->extra_msr != other->extra_msr || (one->extra_msr && one->extra != other->extra);
}

static void check_slot(const struct slot *slot)
{
    const struct event *of = &event[slot->event];

    assert_true(slot->event < events);
    assert_int_equal(of->status, STATUS_OK);
    slots_of[slot->event]++;
    fixed_slots_of[slot->event] += slot->where == SLOT_FIXED;
    assert_int_equal(slot->where == SLOT_UNCORE, of->scope == SCOPE_UNCORE);
    if (slot->where == SLOT_UNCORE) {
        assert_true(slot->counter < UNCORE_COUNTERS_MAX);
        assert_true(of->counters >> slot->counter & 1);
        assert_int_equal(slot->select_xor, 0);
        if (event_second(of)) {
            assert_true(slot->second < UNCORE_COUNTERS_MAX);
            assert_true(of->counters >> slot->second & 1);
            assert_int_not_equal(slot->second, slot->counter);
        }
    } else if (slot->where == SLOT_FIXED) {
        assert_int_equal(slot->counter, of->fixed);
        assert_true(caps.fixed_map >> slot->counter & 1);
        assert_true(caps.pmu_version > 1);
        assert_int_equal(of->select >> 16, 0); /* flags need a general counter */
        assert_int_equal(of->extra_msr, 0);
    } else {
        assert_true(slot->counter < caps.gp_count);
        assert_int_equal(of->fixed_only, 0);
        assert_true(of->counters == 0 || of->counters >> slot->counter & 1);
        assert_false(caps_has(&caps, FEATURE_TSX_ABORT) && slot->counter == 3);
    }
}

static unsigned counters_of(const struct slot *slot)
{
    return 1u << slot->counter | (event_second(&event[slot->event]) ? 1u << slot->second : 0);
}

/* A filter applies to all counters of a unit. */
static void check_uncore_slots(const struct pass *pass)
{
    for (unsigned s = 0; s < pass->slots; s++)
        for (unsigned t = 0; t < s; t++) {
            const struct event *one = &event[pass->slot[s].event];
            const struct event *other = &event[pass->slot[t].event];

            if (one->scope != SCOPE_UNCORE || other->scope != SCOPE_UNCORE)
                continue;
            assert_false(one->kind == other->kind &&
                         counters_of(&pass->slot[s]) & counters_of(&pass->slot[t]));
            assert_false(one->kind == other->kind && wants_other_filters(one, other));
        }
}

static unsigned count_slots(const struct pass *pass, enum slot_where where)
{
    unsigned count = 0;

    for (unsigned s = 0; s < pass->slots; s++)
        count += pass->slot[s].where == where;
    return count;
}

static void check_pass(const struct pass *pass)
{
    /* slots are in this order */
    static const unsigned PLACE[] = {[SLOT_FIXED] = 0, [SLOT_GENERAL] = 1, [SLOT_UNCORE] = 2};
    unsigned taken[2] = {0}, extras = 0, alone = 0;

    assert_true(pass->slots <= SLOTS_MAX);
    assert_true(pass->extras <= EXTRAS_MAX);
    for (unsigned s = 0; s < pass->slots; s++) {
        const struct slot *slot = &pass->slot[s];

        check_slot(slot);
        if (slot->where != SLOT_UNCORE) {
            assert_false(taken[slot->where] >> slot->counter & 1);
            taken[slot->where] |= 1u << slot->counter;
            alone += slot->where != SLOT_FIXED && event[slot->event].flags & EVENT_ALONE;
            extras |= check_extra(pass, slot);
        }
        if (s > 0) /* slots of one kind of counter are in the order of the events */
            assert_true(pass->slot[s - 1].where == slot->where
                            ? pass->slot[s - 1].event < slot->event
                            : PLACE[pass->slot[s - 1].where] < PLACE[slot->where]);
    }
    check_uncore_slots(pass);
    if (alone > 0 || caps.pmu_version == 1)
        assert_in_range(count_bits(taken[0]), 0, 1);
    assert_int_equal(extras, (1u << pass->extras) - 1); /* no unused extra registers */
}

/* A fixed counter is in all passes or in none. */
static void check_anchors(void)
{
    uint32_t wanted = 0;

    for (size_t e = 0; e < events; e++)
        if (fixed_slots_of[e])
            wanted |= 1u << event[e].fixed;
    for (unsigned p = 0; p < schedule.passes; p++) {
        uint32_t there = 0;

        for (unsigned s = 0; s < schedule.pass[p].slots; s++)
            if (schedule.pass[p].slot[s].where == SLOT_FIXED)
                there |= 1u << schedule.pass[p].slot[s].counter;
        assert_int_equal(there, wanted);
    }
}

/*
 * Passes with uncore events come last. Such passes also have fixed counters, and at most one
 * general counter, for instructions.
 */
static void check_uncore_passes(void)
{
    unsigned with = 0;

    for (unsigned p = 0; p < schedule.passes; p++) {
        const struct pass *pass = &schedule.pass[p];

        assert_true(with == 0 || count_slots(pass, SLOT_UNCORE) > 0);
        if (count_slots(pass, SLOT_UNCORE) == 0)
            continue;
        with++;
        assert_int_equal(pass->extras, 0);
        assert_in_range(count_slots(pass, SLOT_GENERAL), 0, 1);
        for (unsigned s = 0; s < pass->slots; s++)
            if (pass->slot[s].where == SLOT_GENERAL) {
                assert_int_equal(event[pass->slot[s].event].select, 0xc0);
                assert_true(slots_of[pass->slot[s].event] > 1);
            }
    }
    assert_true(with < schedule.passes);
}

static void check_schedule(void)
{
    memset(slots_of, 0, sizeof(slots_of));
    memset(fixed_slots_of, 0, sizeof(fixed_slots_of));
    assert_int_equal(schedule.events, events);
    assert_in_range(schedule.passes, 1, PASSES_MAX);
    for (unsigned p = 0; p < schedule.passes; p++) {
        check_pass(&schedule.pass[p]);
        assert_true(p == 0 || schedule.pass[p].slots > 0);
    }
    check_anchors();
    check_uncore_passes();
    for (unsigned e = 0; e < events; e++) {
        unsigned pass = 99, slot = 99;

        assert_int_equal(slots_of[e] > 0, event[e].status == STATUS_OK);
        assert_int_equal(schedule_find(&schedule, e, &pass, &slot), slots_of[e] > 0);
        if (slots_of[e] > 0)
            assert_int_equal(schedule.pass[pass].slot[slot].event, e);
    }
}

static void make_and_check(void)
{
    memset(&schedule, 0xa5, sizeof(schedule));
    memset(&work, 0xa5, sizeof(work));
    schedule_make(&caps, schedule_one_a_pass(&caps, METHOD_RESET), event, events, &schedule, &work);
    check_schedule();
}

/* A macro, so that failures show the caller's line. */
#define make_passes(expected)                                                                      \
    do {                                                                                           \
        make_and_check();                                                                          \
        assert_int_equal(schedule.passes, expected);                                               \
    } while (0)

static struct event *add_event(uint64_t select)
{
    event[events] = (struct event){
        .select = select,
        .arch = EVENT_NOT_ARCH,
        .fixed = EVENT_NOT_FIXED,
        .declared = EVENT_UNDECLARED,
        .rings = RING_OS,
    };
    return &event[events++];
}

static inline struct event *add_fixed(int8_t counter, bool only)
{
    static const uint16_t GENERAL[FIXED_COUNTERS_MAX] = {0x00c0, 0x003c, 0x013c, 0x01a4,
                                                         0x0073, 0x019c, 0x02c2};
    struct event *added = add_event(GENERAL[counter]);

    added->fixed = counter;
    added->fixed_only = only;
    return added;
}

static inline struct event *add_extra(uint64_t select, uint32_t msr, uint64_t value)
{
    struct event *added = add_event(select);

    added->extra_msr = msr;
    added->extra = value;
    return added;
}

static inline void add_many(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add_event(0x0124 + (i << 8));
}

static inline const struct slot *slot_of(unsigned e)
{
    unsigned pass, slot;

    assert_true(schedule_find(&schedule, e, &pass, &slot));
    return &schedule.pass[pass].slot[slot];
}

static void skylake(void)
{
    caps = SKYLAKE;
    events = 0;
}

#endif
