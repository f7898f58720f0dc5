/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncore events are scheduled after the CPU's events, in the fewest passes. An exhaustive search
 * over random lists confirms this.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/counters/errata.h"
#include "tests/unit/fakes/least_passes.h"
#include "tests/unit/fakes/random_events.h"

BEFORE_EACH(skylake);

#define FIRST_SEED 1000
#define CASES      4000

static struct event *add_uncore(enum uncore_kind kind, uint16_t counters)
{
    struct event *added = add_event(0x0100 + events);

    added->scope = SCOPE_UNCORE;
    added->kind = (uint8_t)kind;
    added->counters = counters;
    return added;
}

static void add_filtered(uint64_t filter)
{
    struct event *added = add_uncore(KIND_CHA, 0xf);

    added->extra_msr = 0xe05;
    added->extra = filter;
}

static void assert_counters(unsigned e, unsigned counter, unsigned second)
{
    if (slot_of(e)->counter != counter || slot_of(e)->second != second)
        fail_msg("event %u: counters %u and %u", e, slot_of(e)->counter, slot_of(e)->second);
}

/* --- exhaustive search: each event of a set is tried on each counter --- */

static bool seats_all(const struct event *const *set, unsigned count, unsigned taken[UNCORE_KINDS])
{
    if (count == 0)
        return true;
    for (unsigned c = 0; c < UNCORE_COUNTERS_MAX; c++) {
        unsigned *of_kind = &taken[set[0]->kind];
        bool fits;

        if (!(set[0]->counters >> c & 1) || *of_kind >> c & 1)
            continue;
        *of_kind |= 1u << c;
        fits = seats_all(set + 1, count - 1, taken);
        *of_kind &= ~(1u << c);
        if (fits)
            return true;
    }
    return false;
}

static bool is_possible(const struct event *const *list, unsigned map, unsigned room)
{
    const struct event *set[2 * LIST_MAX] = {0};
    unsigned count = 0, taken[UNCORE_KINDS] = {0};

    for (unsigned i = 0; map >> i; i++)
        for (unsigned k = 0; k < (map >> i & 1) * (event_second(list[i]) ? 2 : 1); k++)
            set[count++] = list[i];
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if (set[i]->kind == set[j]->kind && wants_other_filters(set[i], set[j]))
                return false;
    return count_bits(map) <= room && seats_all(set, count, taken);
}

/* --- random lists of three kinds, with filters and sums --- */

static struct event *add_sum(enum uncore_kind kind, uint16_t counters)
{
    struct event *added = add_uncore(kind, counters);

    added->flags = EVENT_SUM;
    added->extra = added->select + 1;
    return added;
}

static void add_random_uncore(unsigned kinds, unsigned extras)
{
    static const uint8_t KINDS[] = {KIND_CHA, KIND_IMC, KIND_ENERGY};
    static const uint32_t FILTERS[] = {0xe05, 0x396, 0};
    unsigned kind = random_below(kinds);
    struct event *added = add_uncore(KINDS[kind], (uint16_t)(1 + random_below(15)));

    if (random_below(8) < extras && FILTERS[kind]) {
        added->extra_msr = FILTERS[kind];
        added->extra = 1 + random_below(3);
    } else if (KINDS[kind] == KIND_ENERGY) {
        added->extra = random_below(1000); /* a scale, not a register's value */
    } else if (random_below(4) == 0 && count_bits(added->counters) > 1) {
        added->flags = EVENT_SUM;
        added->extra = 1 + random_below(3);
    }
}

static unsigned random_list(unsigned count)
{
    unsigned kinds = 1 + random_below(3), extras = random_below(9), own = random_below(3);

    events = 0;
    caps.gp_count = 2 + random_below(3);
    caps.fixed_map = random_below(2) ? 0xf : 0;
    if (caps.fixed_map)
        for (int8_t counter = 0; counter < 4; counter++)
            add_fixed(counter, counter > 1);
    else
        add_event(0x00c0);
    add_many(own);
    for (unsigned i = 0; i < count; i++)
        add_random_uncore(kinds, extras);
    return caps.fixed_map ? 4 : 1;
}

TEST(compare_with_exhaustive)
{
    unsigned full = 0, searched = 0;

    for (seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
        const struct event *list[LIST_MAX];
        uint64_t this = seed;
        unsigned count = 0, room, expected, of_cpu;

        room = SLOTS_MAX - random_list(LIST_MAX - random_below(random_below(LIST_MAX) + 1));
        for (unsigned e = 0; e < events; e++)
            if (event[e].scope == SCOPE_UNCORE)
                list[count++] = &event[e];
        expected = least_passes(list, count, room, is_possible);
        make_and_check();
        for (of_cpu = 0; count_slots(&schedule.pass[of_cpu], SLOT_UNCORE) == 0;)
            of_cpu++;
        if (schedule.passes - of_cpu != expected)
            print_error("seed %u\n", (unsigned)this);
        assert_int_equal(schedule.passes - of_cpu, expected);
        assert_true(work.search.is_least);
        full += expected == 1 && count == room;
        searched += work.search.steps > work.search.steps_end - SEARCH_STEPS_MAX;
        seed = this;
    }
    print_message("%u lists, %u fill a pass, %u searched\n", CASES, full, searched);
    assert_in_range(searched, 1, CASES);
}

/* The two kinds have eight counters each. Four fixed counters leave ten slots in a pass. */
TEST(kinds_share_the_slots)
{
    caps.fixed_map = 0xf;
    for (int8_t counter = 0; counter < 4; counter++)
        add_fixed(counter, counter > 1);
    for (unsigned i = 0; i < 16; i++)
        add_uncore(i % 2 ? KIND_UNCORE : KIND_CHA, 0xff);
    make_passes(3);
    for (unsigned e = 4; e < 20; e++)
        assert_int_equal(slot_of(e)->where, SLOT_UNCORE);
    assert_int_equal(count_slots(&schedule.pass[1], SLOT_UNCORE), SLOTS_MAX - 4);
    assert_int_equal(count_slots(&schedule.pass[2], SLOT_UNCORE), 16 - (SLOTS_MAX - 4));
}

TEST(passes_of_their_own)
{
    add_fixed(0, false);
    add_many(2);
    add_uncore(KIND_CLOCK, 1);
    add_uncore(KIND_CBO, 2);
    add_uncore(KIND_CBO, 3);
    make_passes(2);
    assert_int_equal(slots_of[0], 2);
    assert_int_equal(slot_of(3)->counter, 0);
    assert_int_equal(slot_of(4)->counter, 1);
    assert_int_equal(slot_of(5)->counter, 0);
}

/* Skylake server's filter 0 applies to all counters of a CHA. */
TEST(filtered_and_not)
{
    add_fixed(0, false);
    add_uncore(KIND_CHA, 0xf);
    add_uncore(KIND_IMC, 0xf);
    for (unsigned i = 0; i < 2; i++)
        add_filtered(1u << 17);
    make_passes(3);
    assert_int_equal(count_slots(&schedule.pass[1], SLOT_UNCORE), 2);
    assert_int_equal(count_slots(&schedule.pass[2], SLOT_UNCORE), 2);
}

/* On Granite Rapids, bytes read and bytes written are sums of two events each. */
TEST(sums_take_two_counters)
{
    add_fixed(0, false);
    add_sum(KIND_IMC, 0xf);
    add_sum(KIND_IMC, 0xf);
    add_uncore(KIND_CHA, 0xf);
    make_passes(2);
    assert_counters(1, 0, 1);
    assert_counters(2, 2, 3);
    assert_int_equal(slot_of(3)->counter, 0);
    add_uncore(KIND_IMC, 0xf);
    make_passes(3);
}

/* A sum needs two counters. */
TEST(sums_and_masks)
{
    add_fixed(0, false);
    add_sum(KIND_UNCORE, 0xff);
    add_uncore(KIND_UNCORE, 1);
    add_sum(KIND_UNCORE, 6);
    add_sum(KIND_IMC, 4);
    make_passes(2);
    assert_counters(1, 3, 4);
    assert_int_equal(slot_of(2)->counter, 0);
    assert_counters(3, 1, 2);
    assert_int_equal(event[4].status, STATUS_NO_COUNTER);
}

TEST(without_a_counter)
{
    add_fixed(0, false);
    add_uncore(KIND_IMC, 1)->status = STATUS_UNCORE_DEVICE;
    add_uncore(KIND_IMC, 0);
    make_passes(1);
    assert_int_equal(event[1].status, STATUS_UNCORE_DEVICE);
    assert_int_equal(event[2].status, STATUS_NO_COUNTER);
}

TEST(without_a_pmu)
{
    caps = (struct cpu_caps){.vendor = VENDOR_INTEL, .family = 6, .model = 0x55};
    add_fixed(0, false);
    add_uncore(KIND_ENERGY, 1u << ENERGY_DRAM);
    add_uncore(KIND_ENERGY, 0);
    make_and_check();
    assert_int_equal(event[0].status, STATUS_NO_PMU);
    assert_int_equal(event[2].status, STATUS_NO_COUNTER);
    assert_int_equal(schedule.passes, 2);
    assert_int_equal(slot_of(1)->counter, ENERGY_DRAM);
}

TEST(errata_are_of_cores)
{
    struct event *outside;

    add_fixed(0, false);
    add_event(0x00c4);
    outside = add_uncore(KIND_CHA, 0xf);
    outside->select = 0x00c4;
    outside->flags = EVENT_MISCOUNTS | EVENT_PRECISE;
    make_and_check();
    assert_int_equal(event[1].flags, EVENT_MISCOUNTS);
    assert_int_equal(outside->flags, EVENT_PRECISE);
    assert_null(event_erratum(outside, &caps, false));
    assert_non_null(event_erratum(&event[1], &caps, false));
}

TEST(as_many_as_there_can_be)
{
    add_fixed(0, false);
    while (events < EVENTS_MAX)
        add_filtered(events + 1);
    make_passes(EVENTS_MAX);
}
