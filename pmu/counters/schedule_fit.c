/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits events into passes. */
#include <stddef.h>

#include "pmu/counters/select.h"
#include "pmu/counters/schedule_fit.h"

#define NOBODY 0xffu

unsigned item_freedom(const struct item *item)
{
    return item->msr == 0 ? 2 : item->select_xor != 0;
}

bool item_shares_register(const struct item *a, const struct item *b)
{
    return item_freedom(a) == item_freedom(b) && (item_freedom(a) == 1 || a->msr == b->msr);
}

bool item_shares_value(const struct item *a, const struct item *b)
{
    return item_shares_register(a, b) && a->value == b->value;
}

bool item_is_alike(const struct item *a, const struct item *b)
{
    return item_shares_value(a, b) && a->counters == b->counters && a->kind == b->kind &&
           a->more == b->more;
}

bool item_has_counters(const struct item *item)
{
    unsigned others = item->counters & (item->counters - 1u);

    return item->more ? others != 0 : item->counters != 0;
}

struct seats {
    uint16_t can[GP_COUNTERS_MAX]; /* for each event: bits of the counters that can count it */
    uint8_t by[GP_COUNTERS_MAX];   /* for each counter: its event, or NOBODY */
    uint32_t asked;
};

/*
 * Gives event `i` a counter, and moves other events if necessary. Each counter is tried once, which
 * limits the recursion.
 */
static bool seat(struct seats *seats, unsigned i)
{
    for (unsigned c = 0; c < GP_COUNTERS_MAX; c++) {
        if (!(seats->can[i] >> c & 1) || seats->asked >> c & 1)
            continue;
        seats->asked |= 1u << c;
        if (seats->by[c] == NOBODY || seat(seats, seats->by[c])) {
            seats->by[c] = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool seat_all(struct seats *seats, unsigned count)
{
    for (unsigned c = 0; c < GP_COUNTERS_MAX; c++)
        seats->by[c] = NOBODY;
    for (unsigned i = 0; i < count; i++) {
        seats->asked = 0;
        if (!seat(seats, i))
            return false;
    }
    return true;
}

/* An event that needs two counters at once (item.more) is listed twice. */
struct of_kind {
    unsigned count;
    uint8_t place[2 * SLOTS_MAX];
};

/* Lists the events of the kind of event `first`, or none if an earlier event has this kind. */
static struct of_kind kind_of(const struct item *item, const struct group *group, unsigned first)
{
    const uint8_t kind = item[group->item[first]].kind;
    struct of_kind of = {0};

    for (unsigned i = 0; i < group->items; i++) {
        if (item[group->item[i]].kind != kind)
            continue;
        if (i < first)
            return of;
        for (unsigned k = 0; k <= item[group->item[i]].more; k++)
            of.place[of.count++] = (uint8_t)i;
    }
    return of;
}

static void seats_of(const struct item *item, const struct group *group, const struct of_kind *of,
                     struct seats *seats)
{
    for (unsigned i = 0; i < of->count; i++)
        seats->can[i] = item[group->item[of->place[i]]].counters;
}

static void fit_kind(const struct item *item, const struct group *group, const struct of_kind *of,
                     struct fit_seat seat[SLOTS_MAX])
{
    struct seats seats;

    seats_of(item, group, of, &seats);
    for (unsigned i = 0; i < of->count; i++) {
        bool is_second = i > 0 && of->place[i] == of->place[i - 1];
        struct fit_seat *of_event = &seat[of->place[i]];
        uint16_t can = seats.can[i];

        for (uint8_t c = 0; c < GP_COUNTERS_MAX; c++) {
            if (!(can >> c & 1))
                continue;
            seats.can[i] = (uint16_t)(1u << c);
            *(is_second ? &of_event->second : &of_event->counter) = c;
            if (seat_all(&seats, of->count))
                break;
        }
    }
}

void fit_counters(const struct item *item, const struct group *group,
                  struct fit_seat seat[SLOTS_MAX])
{
    for (unsigned i = 0; i < group->items; i++) {
        const struct of_kind of = kind_of(item, group, i);

        fit_kind(item, group, &of, seat);
    }
}

/* The value that a register must contain for the events fitted so far, or null. */
static const uint64_t *held(const struct fit_extras *extras, uint32_t msr)
{
    for (unsigned i = 0; i < extras->count; i++)
        if (extras->extra[i].msr == msr)
            return &extras->extra[i].value;
    return NULL;
}

static bool holds(const struct fit_extras *extras, uint32_t msr, uint64_t value)
{
    const uint64_t *there = held(extras, msr);

    return there && *there == value;
}

/* False if the register must contain another value, or if EXTRAS_MAX registers are in use. */
static bool hold(struct fit_extras *extras, uint32_t msr, uint64_t value)
{
    if (held(extras, msr))
        return holds(extras, msr, value);
    if (extras->count == EXTRAS_MAX)
        return false;
    extras->extra[extras->count++] = (struct pass_extra){.msr = msr, .value = value};
    return true;
}

/*
 * Prefers the offcore register that already contains the event's value. False if both registers
 * contain other values.
 */
static bool hold_either(struct fit_extras *extras, const struct item *item, unsigned i)
{
    uint32_t other = item->msr ^ OFFCORE_OTHER;

    if (!holds(extras, other, item->value) && hold(extras, item->msr, item->value))
        return true;
    extras->moved |= 1u << i;
    return hold(extras, other, item->value);
}

/* Events that need a particular register are fitted first. */
bool fit_extras(const struct item *item, const struct group *group, struct fit_extras *extras)
{
    extras->count = 0;
    extras->moved = 0;
    for (unsigned i = 0; i < group->items; i++) {
        const struct item *this = &item[group->item[i]];

        if (this->msr && !this->select_xor && !hold(extras, this->msr, this->value))
            return false;
    }
    for (unsigned i = 0; i < group->items; i++) {
        const struct item *this = &item[group->item[i]];

        if (this->msr && this->select_xor && !hold_either(extras, this, i))
            return false;
    }
    return true;
}

/*
 * A filter applies to all counters of an uncore unit, so all of its events in a pass must need the
 * same filter value, or none.
 */
static bool share_filters(const struct item *item, const struct group *group,
                          const struct of_kind *of)
{
    for (unsigned i = 1; i < of->count; i++) {
        const struct item *one = &item[group->item[of->place[0]]];

        if (one->kind != 0 && !item_shares_value(one, &item[group->item[of->place[i]]]))
            return false;
    }
    return true;
}

bool fit_group(const struct item *item, const struct group *group)
{
    struct fit_extras extras;
    struct seats seats;

    if (!fit_extras(item, group, &extras))
        return false;
    for (unsigned i = 0; i < group->items; i++) {
        const struct of_kind of = kind_of(item, group, i);

        if (of.count > GP_COUNTERS_MAX || !share_filters(item, group, &of))
            return false;
        seats_of(item, group, &of, &seats);
        if (!seat_all(&seats, of.count))
            return false;
    }
    return true;
}
