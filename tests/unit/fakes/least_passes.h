/* SPDX-License-Identifier: BSD-2-Clause */
/* The fewest passes for a short list of events, by exhaustive search. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_LEAST_PASSES_H
#define BARECOUNT_TESTS_UNIT_FAKES_LEAST_PASSES_H

#include "pmu/counters/event.h"

#define LIST_MAX 10

/* Whether one pass with `room` slots can count the events of `list` whose bits are set in `map`. */
typedef bool pass_is_possible(const struct event *const *list, unsigned map, unsigned room);

static inline unsigned least_passes(const struct event *const *list, unsigned count, unsigned room,
                                    pass_is_possible *is_possible)
{
    static bool possible[1 << LIST_MAX];
    static unsigned least[1 << LIST_MAX];

    for (unsigned map = 1; map < 1u << count; map++) {
        unsigned first = map & -map, others = map ^ first;

        possible[map] = is_possible(list, map, room);
        least[map] = count + 1;
        for (unsigned part = others;; part = (part - 1) & others) { /* events that join `first` */
            if (possible[part | first] && 1 + least[others ^ part] < least[map])
                least[map] = 1 + least[others ^ part];
            if (part == 0)
                break;
        }
    }
    return least[(1u << count) - 1];
}

#endif
