/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches for the fewest passes in three stages, until the lower bound is reached. First, each
 * event goes to the first pass with room. The first stage tries the events in the list's order, and
 * then again with the hardest events first. Second, events are spread over fewer passes. Third,
 * branch and bound repeats with one pass fewer until it fails or the steps are used up.
 */
#include "pmu/counters/select.h"
#include "pmu/counters/schedule_search.h"

static void open_pass(struct search *search, uint32_t pass)
{
    search->group[pass].items = 0;
    if (search->anchor != SEARCH_NO_ANCHOR)
        search->group[pass].item[search->group[pass].items++] = search->anchor;
}

static bool put(struct search *search, uint16_t event, uint32_t pass)
{
    struct group *group = &search->group[pass];

    search->steps++;
    if (pass == search->passes)
        open_pass(search, pass);
    if (group->items == search->room)
        return false;
    group->item[group->items++] = event;
    if (!fit_group(search->item, group)) {
        group->items--;
        return false;
    }
    search->pass_of[event] = (uint16_t)pass;
    if (pass == search->passes)
        search->passes++;
    return true;
}

static uint32_t take_back(struct search *search, uint16_t event)
{
    uint32_t pass = search->pass_of[event];
    struct group *group = &search->group[pass];

    group->items--;
    if (group->items == (search->anchor != SEARCH_NO_ANCHOR))
        search->passes--;
    return pass;
}

/*
 * Assigns an event to the first pass that has room, from `pass` on. Only one empty pass is tried,
 * because all empty passes are equivalent.
 */
static bool put_from(struct search *search, uint16_t event, uint32_t pass, uint32_t passes_max)
{
    for (; pass <= search->passes && pass < passes_max; pass++)
        if (put(search, event, pass))
            return true;
    return false;
}

/*
 * The first pass to try for the event at `place`. Of two equivalent events, the second starts at
 * the pass of the first.
 */
static uint32_t first_pass(const struct search *search, const uint16_t *order, uint32_t place)
{
    if (place == 0 || place == search->count ||
        !item_is_alike(&search->item[order[place]], &search->item[order[place - 1]]))
        return 0;
    return search->pass_of[order[place - 1]];
}

/* False if passes_max is too small or the steps are used up. */
static bool place_all(struct search *search, const uint16_t *order, uint32_t passes_max)
{
    uint32_t place = 0, from = 0;

    search->passes = 0;
    while (place < search->count) {
        if (put_from(search, order[place], from, passes_max)) {
            place++;
            from = first_pass(search, order, place);
        } else if (place > 0 && search->steps < search->steps_end) {
            place--;
            from = take_back(search, order[place]) + 1;
        } else {
            return false;
        }
    }
    return true;
}

static bool has_value(const struct search *search, const struct group *group,
                      const struct item *item)
{
    for (unsigned i = 0; i < group->items; i++) {
        const struct item *other = &search->item[group->item[i]];

        if (other->value == item->value &&
            (other->msr == item->msr || (offcore_has(other->msr) && offcore_has(item->msr))))
            return true;
    }
    return false;
}

static bool put_with_its_value(struct search *search, uint16_t event)
{
    const struct item *item = &search->item[event];

    for (uint32_t pass = 0; item->msr && pass < search->passes; pass++, search->steps++)
        if (has_value(search, &search->group[pass], item) && put(search, event, pass))
            return true;
    return false;
}

/*
 * Spreads all events evenly. An event that needs an extra register prefers a pass in which another
 * event needs the same value. All other events go to the passes in rotation. False if an event did
 * not fit.
 */
static bool spread(struct search *search, uint32_t passes)
{
    uint32_t pass = 0;

    for (search->passes = 0; search->passes < passes; search->passes++)
        open_pass(search, search->passes);
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t tries = 0;

        if (put_with_its_value(search, search->hard_first[i]))
            continue;
        while (!put(search, search->hard_first[i], pass)) {
            pass = pass + 1 < passes ? pass + 1 : 0;
            if (++tries == passes)
                return false;
        }
        pass = pass + 1 < passes ? pass + 1 : 0;
    }
    return true;
}

static void keep(struct search *search)
{
    search->best_passes = search->passes;
    for (uint32_t i = 0; i < search->count; i++)
        search->best[search->listed[i]] = search->pass_of[search->listed[i]];
}

static void spread_less(struct search *search)
{
    uint32_t low = search->bound;

    while (low < search->best_passes) {
        uint32_t passes = (low + search->best_passes) / 2;

        if (spread(search, passes))
            keep(search);
        else
            low = passes + 1;
    }
}

void search_passes(struct search *search)
{
    search->steps = 0;
    search->steps_end = 0;
    search_sort(search);
    search->bound = search_bound(search);
    place_all(search, search->listed, PASSES_MAX);
    keep(search);
    if (search->best_passes > search->bound) {
        place_all(search, search->hard_first, PASSES_MAX);
        if (search->passes < search->best_passes)
            keep(search);
    }
    spread_less(search);
    search->steps_end = search->steps + SEARCH_STEPS_MAX;
    while (search->best_passes > search->bound &&
           place_all(search, search->hard_first, search->best_passes - 1))
        keep(search);
    search->is_least = search->best_passes == search->bound || search->steps < search->steps_end;
}
