/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of passes of the longest lists, compared with lower bounds. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/random_events.h"

BEFORE_EACH(skylake);

#define LONG_CASES 20

/*
 * Returns the smallest number of passes for events that differ only in their counter masks, by
 * Hall's theorem. Each set of counters gives a lower bound: the number of events that only these
 * counters can count, divided by the number of counters, rounded up. The result is the largest of
 * these bounds.
 */
static unsigned least_for_masks(void)
{
    unsigned least = 1;

    for (unsigned set = 1; set < 1u << caps.gp_count; set++) {
        unsigned within = 0;

        for (size_t e = 0; e < events; e++)
            within += event[e].counters != 0 && (event[e].counters & ~set) == 0;
        if (set == (1u << caps.gp_count) - 1)
            within = (unsigned)events;
        if ((within + count_bits(set) - 1) / count_bits(set) > least)
            least = (within + count_bits(set) - 1) / count_bits(set);
    }
    return least;
}

static void make_long(unsigned list, const struct taste *taste, unsigned least, unsigned most)
{
    seed = list;
    events = 0;
    caps.gp_count = least + random_below(most - least + 1);
    while (events < EVENTS_MAX)
        add_random(taste);
    make_and_check();
}

TEST(long_lists_of_masks)
{
    unsigned over = 0;

    for (unsigned i = 0; i < LONG_CASES; i++) {
        struct taste taste = {1 + random_below(8), 0, 0, 1};

        make_long(i, &taste, 2, 8);
        assert_in_range(schedule.passes, least_for_masks(), least_for_masks() * 21 / 20 + 1);
        over += schedule.passes - least_for_masks();
    }
    print_message("%u lists of %u events, %u passes too many in all\n", LONG_CASES, EVENTS_MAX,
                  over);
}

TEST(long_lists_end)
{
    unsigned over = 0;
    uint32_t most_steps = 0;

    for (unsigned i = 0; i < LONG_CASES; i++) {
        struct taste taste = {random_below(9), random_below(2), random_below(9),
                              1 + random_below(400)};

        make_long(i, &taste, 1, 8);
        assert_in_range(work.search.steps, 1, STEPS_MAX);
        assert_in_range(work.search.best_passes, work.search.bound, work.search.bound * 9 / 8 + 1);
        if (work.search.steps > most_steps)
            most_steps = work.search.steps;
        over += work.search.best_passes - work.search.bound;
    }
    print_message("%u lists of %u events, %u passes above the bound in all, at most %u steps\n",
                  LONG_CASES, EVENTS_MAX, over, most_steps);
    assert_in_range(over, 0, LONG_CASES);
}

/* Each frontend value needs its own pass. Two offcore values share a pass. */
TEST(long_lists_of_registers)
{
    static const struct {
        unsigned frontend, offcore, any, expected;
    } ROWS[] = {
        {1024, 0, 0, 1024},   {0, 1024, 0, 512},   {0, 0, 1024, 256}, {300, 600, 124, 300},
        {100, 400, 200, 200}, {20, 250, 300, 143}, {1, 1, 2, 1},      {100, 200, 102, 101},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        events = 0;
        for (unsigned e = 0; e < ROWS[i].any; e++)
            add_event(0x0100 + e % 0x80);
        for (unsigned e = 0; e < ROWS[i].offcore; e++)
            add_extra(0x01b7, 0x1a6, e);
        for (unsigned e = 0; e < ROWS[i].frontend; e++)
            add_extra(0x01c6, 0x3f7, e);
        make_passes(ROWS[i].expected);
    }
}
