/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler finds the fewest passes; an exhaustive search over random lists confirms this. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/least_passes.h"
#include "tests/unit/fakes/random_events.h"

BEFORE_EACH(skylake);

#define FIRST_SEED 20000 /* some of these lists need the scheduler's search */
#define CASES      4000

static uint32_t most_steps;

/* --- exhaustive search: each event of a set is tried on each counter and register --- */

struct trial {
    unsigned taken; /* counters */
    bool used[4];   /* registers 1A6H, 1A7H, 3F6H, 3F7H */
    uint64_t held[4];
};

static bool try_rest(const struct event *const *set, unsigned count, const struct trial *trial);

/* `reg` is 4 if the event needs no register. */
static bool try_register(const struct event *const *set, unsigned count, const struct trial *trial,
                         unsigned reg)
{
    struct trial next = *trial;

    if (reg < 4) {
        if (trial->used[reg] && trial->held[reg] != set[0]->extra)
            return false;
        next.used[reg] = true;
        next.held[reg] = set[0]->extra;
    }
    for (unsigned c = 0; c < caps.gp_count; c++) {
        if (trial->taken >> c & 1 || (set[0]->counters && !(set[0]->counters >> c & 1)))
            continue;
        next.taken = trial->taken | 1u << c;
        if (try_rest(set + 1, count - 1, &next))
            return true;
    }
    return false;
}

static bool try_rest(const struct event *const *set, unsigned count, const struct trial *trial)
{
    static const uint32_t REGISTERS[] = {0x1a6, 0x1a7, 0x3f6, 0x3f7};

    if (count == 0)
        return true;
    if (set[0]->extra_msr == 0)
        return try_register(set, count, trial, 4);
    for (unsigned reg = 0; reg < 4; reg++) {
        /* events B7H and BBH may use either register */
        bool either = reg < 2 && (set[0]->select == 0x1b7 || set[0]->select == 0x1bb);

        if ((either || REGISTERS[reg] == set[0]->extra_msr) && try_register(set, count, trial, reg))
            return true;
    }
    return false;
}

static const struct event *anchor;

static bool is_possible(const struct event *const *list, unsigned map, unsigned room)
{
    static const struct trial NOTHING;
    const struct event *set[LIST_MAX + 1];
    unsigned count = 0;
    bool alone = false;

    for (unsigned i = 0; map >> i; i++)
        if (map >> i & 1) {
            alone |= (list[i]->flags & EVENT_ALONE) != 0;
            set[count++] = list[i];
        }
    if (alone)
        return count == 1;
    if (anchor)
        set[count++] = anchor;
    return count <= room && try_rest(set, count, &NOTHING);
}

static bool stand_alone(const struct event *const *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!(list[i]->flags & EVENT_ALONE))
            return false;
    return true;
}

/* --- random lists --- */

static void random_list(unsigned count)
{
    struct taste taste = {random_below(9), random_below(3), random_below(9), 1 + random_below(4)};

    events = 0;
    caps.fixed_map = 7;
    caps.gp_count = 1 + random_below(8);
    if (caps.gp_count > 1 && random_below(3) == 0) {
        caps.fixed_map = 0;
        add_event(0x00c0);
    }
    while (events < count)
        add_random(&taste);
}

TEST(compare_with_exhaustive)
{
    unsigned anchored = 0, searched = 0;

    for (seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
        const struct event *list[LIST_MAX];
        uint64_t this = seed;
        unsigned count = 0, expected;

        random_list(LIST_MAX - random_below(random_below(LIST_MAX) + 1));
        anchor = caps.fixed_map == 0 ? &event[0] : NULL;
        for (unsigned e = anchor != NULL; e < events; e++)
            list[count++] = &event[e];
        expected = count ? least_passes(list, count, caps.gp_count, is_possible) : 1;
        if (anchor && stand_alone(list, count))
            expected = count + 1;
        make_and_check();
        if (schedule.passes != expected)
            print_error("seed %u\n", (unsigned)this);
        assert_int_equal(schedule.passes, expected);
        assert_true(work.search.is_least);
        if (work.search.steps > most_steps)
            most_steps = work.search.steps;
        anchored += anchor != NULL;
        searched += work.search.steps > work.search.steps_end - SEARCH_STEPS_MAX;
        seed = this;
    }
    print_message("%u lists, %u with an anchor, %u searched, at most %u steps\n", CASES, anchored,
                  searched, most_steps);
    assert_in_range(anchored, CASES / 10, CASES);
    assert_in_range(searched, 1, CASES);
}

/*
 * Of 8 events, 4 share a register value, 2 share another value, and 2 have values of their own. Two
 * passes are not enough for all events.
 */
TEST(beyond_the_bound)
{
    static const unsigned TIMES[] = {4, 2, 1, 1};

    for (unsigned value = 0; value < 4; value++)
        for (unsigned i = 0; i < TIMES[value]; i++)
            add_extra(0x01b7, 0x1a6, 4 - value);
    make_and_check();
    assert_int_equal(work.search.bound, 2);
    assert_int_equal(schedule.passes, 3);
    assert_true(work.search.is_least);
    for (unsigned e = 0; e < events; e++)
        assert_int_equal(schedule.pass[e / 4 + e / 7].slot[e < 7 ? e % 4 : 0].event, e);
}
