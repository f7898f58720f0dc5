/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts events by how hard they are to place, and finds a lower bound for the number of passes. */
#include <stddef.h>

#include "pmu/counters/select.h"
#include "pmu/counters/schedule_search.h"

/* `map` is not 0. */
static unsigned bits(uint32_t map)
{
    unsigned count = 1;

    while (map &= map - 1)
        count++;
    return count;
}

static uint32_t divide_up(uint32_t amount, uint32_t by)
{
    return (amount + by - 1) / by;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool is_harder(const struct item *a, const struct item *b)
{
    if (item_freedom(a) != item_freedom(b))
        return item_freedom(a) < item_freedom(b);
    if (!item_shares_register(a, b))
        return a->msr < b->msr;
    if (a->value != b->value)
        return a->value < b->value;
    if (bits(a->counters) != bits(b->counters))
        return bits(a->counters) < bits(b->counters);
    if (a->counters != b->counters)
        return a->counters < b->counters;
    return a->kind != b->kind ? a->kind < b->kind : a->more > b->more;
}

/* Insertion sort keeps equally hard events in their order. */
void search_sort(struct search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t to = i;

        for (; to > 0; to--) {
            uint16_t before = search->hard_first[to - 1];

            if (!is_harder(&search->item[search->listed[i]], &search->item[before]))
                break;
            search->hard_first[to] = before;
        }
        search->hard_first[to] = search->listed[i];
    }
}

/*
 * A lower bound from the counters of a kind. If only k counters can count some events, a pass
 * contains at most k of these events, or k - 1 if the anchor needs one of the counters. An event
 * that needs two counters is treated as two events.
 */
static uint32_t bound_of_kind(const struct search *search, uint8_t kind)
{
    uint32_t bound = 0;
    static uint16_t wanted[1u << GP_COUNTERS_MAX]; /* 2 KiB: too large for a stack */
    uint32_t all = 0;
    uint32_t anchor =
        search->anchor == SEARCH_NO_ANCHOR ? ~0u : search->item[search->anchor].counters;

    for (uint32_t i = 0; i < 1u << GP_COUNTERS_MAX; i++)
        wanted[i] = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct item *item = &search->item[search->listed[i]];

        if (item->kind != kind)
            continue;
        wanted[item->counters] = (uint16_t)(wanted[item->counters] + 1 + item->more);
        all |= item->counters;
    }
    for (uint32_t set = all; set; set = (set - 1) & all) {
        uint32_t within = 0, room = bits(set) - ((anchor & ~set) == 0);

        for (uint32_t part = set; part; part = (part - 1) & set)
            within += wanted[part];
        if (within && room)
            bound = larger(bound, divide_up(within, room));
    }
    return bound;
}

/*
 * A lower bound from the counters and the slots. Each kind of unit has its own counters, but all
 * kinds share the slots of a pass.
 */
static uint32_t bound_by_counters(const struct search *search)
{
    uint32_t slots = search->room - (search->anchor != SEARCH_NO_ANCHOR), seen = 0;
    uint32_t bound = slots > 0 ? divide_up(search->count, slots) : 0;

    for (uint32_t i = 0; i < search->count; i++) {
        uint8_t kind = search->item[search->listed[i]].kind;

        if (!(seen >> kind & 1))
            bound = larger(bound, bound_of_kind(search, kind));
        seen |= 1u << kind;
    }
    return bound;
}

/* Whether an event that needs a particular offcore register needs the same value as `item`. */
static bool stands_anyway(const struct search *search, const struct item *item)
{
    for (uint32_t i = 0; i < search->count; i++) {
        const struct item *other = &search->item[search->hard_first[i]];

        if (item_freedom(other) != 0)
            break;
        if (offcore_has(other->msr) && other->value == item->value)
            return true;
    }
    return false;
}

/*
 * The smallest number of passes in which a register must contain the value that the event at *place
 * needs. Moves *place past all events with this value.
 */
static uint32_t times_needed(const struct search *search, uint32_t *place)
{
    const struct item *item = &search->item[search->hard_first[*place]];
    uint32_t counters = item->counters, wanted = 1u + item->more;

    for (++*place; *place < search->count; ++*place) {
        const struct item *next = &search->item[search->hard_first[*place]];

        if (!item_shares_value(item, next))
            break;
        counters |= next->counters;
        wanted += 1u + next->more;
    }
    return divide_up(wanted, bits(counters));
}

/*
 * A lower bound from the extra registers. A register holds one value per pass. Events with the same
 * value may need several passes for lack of counters.
 */
static uint32_t bound_by_registers(const struct search *search)
{
    const struct item *before = NULL;
    uint32_t bound = 0, own = 0, offcore = 0;

    for (uint32_t place = 0; place < search->count;) {
        const struct item *item = &search->item[search->hard_first[place]];
        uint32_t times;

        if (item->msr == 0)
            break;
        times = times_needed(search, &place);
        own = before && item_shares_register(item, before) ? own + times : times;
        before = item;
        if (item_freedom(item) == 0)
            bound = larger(bound, own);
        if (offcore_has(item->msr) && (item_freedom(item) == 0 || !stands_anyway(search, item)))
            offcore += times;
    }
    return larger(bound, divide_up(offcore, 2));
}

uint32_t search_bound(const struct search *search)
{
    return larger(bound_by_counters(search), bound_by_registers(search));
}
