/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes schedules. */
#include "pmu/counters/errata.h"
#include "pmu/counters/select.h"
#include "pmu/counters/schedule.h"

#define SELECT_CODE        0xffffull
#define INSTRUCTIONS_CODE  0xc0u
#define INSTRUCTIONS_FIXED 0u

#define NO_EVENT 0xffffu

uint32_t schedule_slots_max(const struct schedule *schedule)
{
    uint32_t slots = 0;

    for (uint32_t p = 0; p < schedule->passes; p++)
        if (schedule->pass[p].slots > slots)
            slots = schedule->pass[p].slots;
    return slots;
}

uint32_t schedule_general(const struct cpu_caps *caps)
{
    const uint32_t all = caps_general(caps);
    const uint32_t usable = caps->pmu_version == 1 ? all & ((1u << SELECTS_MAX) - 1) : all;

    return usable & ~errata_left_out(caps);
}

/* --- what can count an event --- */

/* PMU version 1 has no fixed counters. */
static bool has_fixed(const struct cpu_caps *caps, unsigned counter)
{
    return caps->pmu_version > 1 && counter < FIXED_COUNTERS_MAX && caps->fixed_map >> counter & 1;
}

static bool can_be_fixed(const struct cpu_caps *caps, const struct event *event)
{
    return event->fixed != EVENT_NOT_FIXED && has_fixed(caps, (unsigned)event->fixed) &&
           (event->select & ~SELECT_CODE) == 0 && event->extra_msr == 0;
}

static uint16_t general_counters(const struct cpu_caps *caps, const struct event *event)
{
    uint32_t map = schedule_general(caps);

    if (event->fixed_only)
        return 0;
    return (uint16_t)(event->counters ? map & event->counters : map);
}

static enum status why_not(const struct cpu_caps *caps, const struct event *event)
{
    if (event->scope == SCOPE_UNCORE)
        return STATUS_NO_COUNTER;
    if (caps->pmu_version == 0)
        return STATUS_NO_PMU;
    if (event->fixed_only)
        return event->fixed >= 0 && caps->fixed_refused >> event->fixed & 1 ? STATUS_MSR_FAULT
                                                                            : STATUS_NO_FIXED;
    return caps->gp_count == 0 && caps->gp_refused ? STATUS_MSR_FAULT : STATUS_NO_COUNTER;
}

static struct item item_of(const struct cpu_caps *caps, const struct event *event)
{
    struct item item = {.counters = general_counters(caps, event)};

    if (event->scope == SCOPE_UNCORE)
        return (struct item){.counters = event->counters,
                             .kind = event->kind,
                             .more = event_second(event) != 0,
                             .msr = event->extra_msr,
                             .value = event->extra_msr ? event->extra : 0};
    if (event->extra_msr) {
        item.msr = event->extra_msr;
        item.value = event->extra;
        item.select_xor = offcore_select_xor(event, caps);
    }
    return item;
}

/* --- where each event goes --- */

static bool can_be_anchor(const struct event *event, const struct item *item)
{
    bool has_choice = (item->counters & (item->counters - 1)) != 0;

    return event->select == INSTRUCTIONS_CODE && item->msr == 0 && has_choice;
}

/* `owned`: another event already owns the event's fixed counter. */
static enum place place_of(const struct cpu_caps *caps, const struct event *event,
                           const struct item *item, bool owned, bool one_a_pass)
{
    if (event->scope == SCOPE_UNCORE)
        return item_has_counters(item) ? PLACE_UNCORE : PLACE_NONE;
    if (can_be_fixed(caps, event) && !owned)
        return PLACE_FIXED;
    if (item->counters)
        return one_a_pass || event->flags & EVENT_ALONE ? PLACE_ALONE : PLACE_GENERAL;
    return can_be_fixed(caps, event) ? PLACE_GUEST : PLACE_NONE;
}

/* Fills work->place and the search's list of events on general counters. */
static void sort_out(const struct cpu_caps *caps, bool one_a_pass, struct event *event,
                     size_t events, struct schedule_work *work)
{
    struct search *search = &work->search;
    uint32_t owned = 0;

    search->count = 0;
    search->anchor = SEARCH_NO_ANCHOR;
    search->room = GP_COUNTERS_MAX;
    for (size_t e = 0; e < events; e++) {
        struct item *item = &search->item[e];
        enum place place = PLACE_NONE;

        *item = item_of(caps, &event[e]);
        if (event[e].status == STATUS_OK) {
            place = place_of(caps, &event[e], item,
                             event[e].fixed >= 0 && owned >> event[e].fixed & 1, one_a_pass);
            if (place == PLACE_NONE)
                event[e].status = (uint8_t)why_not(caps, &event[e]);
        }
        if (place == PLACE_FIXED)
            owned |= 1u << event[e].fixed;
        if (place == PLACE_GENERAL && search->anchor == SEARCH_NO_ANCHOR &&
            !has_fixed(caps, INSTRUCTIONS_FIXED) && can_be_anchor(&event[e], item)) {
            place = PLACE_ANCHOR;
            search->anchor = (uint16_t)e;
        }
        if (place == PLACE_GENERAL)
            search->listed[search->count++] = (uint16_t)e;
        work->place[e] = (uint8_t)place;
    }
}

/*
 * Numbers the passes in the order of their first events, and returns how many passes there are.
 * From the second pass on, a PLACE_GUEST event can replace the owner of a fixed counter.
 */
static uint32_t number_passes(const struct event *event, size_t events, struct schedule_work *work)
{
    const struct search *search = &work->search;
    uint32_t passes = 0, guests[FIXED_COUNTERS_MAX] = {0}, with_guests = 1;

    for (uint32_t p = 0; p < PASSES_MAX; p++) {
        work->number[p] = NO_EVENT;
        work->is_alone[p] = 0;
    }
    for (size_t e = 0; e < events; e++) {
        if (work->place[e] == PLACE_ALONE) {
            work->is_alone[passes] = 1;
            work->pass[e] = (uint16_t)passes++;
        } else if (work->place[e] == PLACE_GENERAL) {
            uint16_t *number = &work->number[search->best[e]];

            if (*number == NO_EVENT)
                *number = (uint16_t)passes++;
            work->pass[e] = *number;
        } else if (work->place[e] == PLACE_GUEST) {
            work->pass[e] = (uint16_t)++guests[event[e].fixed];
            if (work->pass[e] >= with_guests)
                with_guests = work->pass[e] + 1u;
        }
    }
    if (search->anchor != SEARCH_NO_ANCHOR && search->count == 0)
        passes++;
    return passes > with_guests ? passes : with_guests;
}

static uint32_t stand_everywhere(size_t events, const struct schedule_work *work)
{
    uint32_t count = 0;

    for (size_t e = 0; e < events; e++)
        count += work->place[e] == PLACE_FIXED || work->place[e] == PLACE_ANCHOR;
    return count;
}

/*
 * Numbers the passes of uncore events from `passes` on, and returns the new total of passes.
 * Overwrites the search's results for events on general counters.
 */
static uint32_t number_uncore_passes(size_t events, struct schedule_work *work, uint32_t passes)
{
    struct search *search = &work->search;

    search->count = 0;
    for (size_t e = 0; e < events; e++)
        if (work->place[e] == PLACE_UNCORE)
            search->listed[search->count++] = (uint16_t)e;
    if (search->count == 0)
        return passes;
    search->anchor = SEARCH_NO_ANCHOR;
    search->room = SLOTS_MAX - stand_everywhere(events, work);
    search_passes(search);
    for (uint32_t p = 0; p < search->best_passes; p++)
        work->number[p] = NO_EVENT;
    for (uint32_t i = 0; i < search->count; i++) {
        uint16_t *number = &work->number[search->best[search->listed[i]]];

        if (*number == NO_EVENT)
            *number = (uint16_t)passes++;
        work->pass[search->listed[i]] = *number;
    }
    return passes;
}

/* --- filling the passes --- */

static void add_slot(struct pass *pass, size_t event, enum slot_where where, unsigned counter)
{
    pass->slot[pass->slots++] = (struct slot){
        .event = (uint16_t)event, .where = (uint8_t)where, .counter = (uint8_t)counter};
}

static bool is_ousted(const struct event *event, size_t events, const struct schedule_work *work,
                      size_t owner, uint32_t pass)
{
    for (size_t e = owner + 1; e < events; e++)
        if (work->place[e] == PLACE_GUEST && event[e].fixed == event[owner].fixed &&
            work->pass[e] == pass)
            return true;
    return false;
}

static void fill_fixed(const struct event *event, size_t events, struct schedule *schedule,
                       const struct schedule_work *work)
{
    for (size_t e = 0; e < events; e++) {
        unsigned counter = (unsigned)event[e].fixed;

        if (work->place[e] == PLACE_GUEST)
            add_slot(&schedule->pass[work->pass[e]], e, SLOT_FIXED, counter);
        if (work->place[e] != PLACE_FIXED)
            continue;
        for (uint32_t p = 0; p < schedule->passes; p++)
            if (!is_ousted(event, events, work, e, p))
                add_slot(&schedule->pass[p], e, SLOT_FIXED, counter);
    }
}

/* seat() chooses the counters afterwards. */
static void fill_general(size_t events, struct schedule *schedule, const struct schedule_work *work)
{
    for (size_t e = 0; e < events; e++) {
        if (work->place[e] == PLACE_GENERAL || work->place[e] == PLACE_ALONE)
            add_slot(&schedule->pass[work->pass[e]], e, SLOT_GENERAL, 0);
        if (work->place[e] != PLACE_ANCHOR)
            continue;
        for (uint32_t p = 0; p < schedule->passes; p++)
            if (!work->is_alone[p])
                add_slot(&schedule->pass[p], e, SLOT_GENERAL, 0);
    }
}

static void fill_uncore(size_t events, struct schedule *schedule, const struct schedule_work *work)
{
    for (size_t e = 0; e < events; e++)
        if (work->place[e] == PLACE_UNCORE)
            add_slot(&schedule->pass[work->pass[e]], e, SLOT_UNCORE, 0);
}

/*
 * Chooses a pass's general and uncore counters, and its extra registers. In a pass with uncore
 * slots, only the anchor can be on a general counter, and it needs no extra register.
 */
static void seat(const struct item *item, struct pass *pass)
{
    struct group group = {0};
    struct slot *slot[SLOTS_MAX];
    struct fit_extras extras;
    struct fit_seat seat_of[SLOTS_MAX] = {{0}};

    for (unsigned s = 0; s < pass->slots; s++)
        if (pass->slot[s].where != SLOT_FIXED) {
            slot[group.items] = &pass->slot[s];
            group.item[group.items++] = pass->slot[s].event;
        }
    fit_counters(item, &group, seat_of);
    fit_extras(item, &group, &extras);
    for (unsigned i = 0; i < group.items; i++) {
        slot[i]->counter = seat_of[i].counter;
        slot[i]->second = seat_of[i].second;
        slot[i]->select_xor = extras.moved >> i & 1 ? item[group.item[i]].select_xor : 0;
    }
    if (pass->slots > 0 && pass->slot[pass->slots - 1].where == SLOT_UNCORE)
        return;
    pass->extras = extras.count;
    for (unsigned i = 0; i < extras.count; i++)
        pass->extra[i] = extras.extra[i];
}

static void flag_errata(const struct cpu_caps *caps, struct event *event, enum place place)
{
    bool fixed = place == PLACE_FIXED || place == PLACE_GUEST;

    event->flags &= (uint8_t)~EVENT_MISCOUNTS;
    if (place != PLACE_NONE && event_erratum(event, caps, fixed))
        event->flags |= EVENT_MISCOUNTS;
}

void schedule_make(const struct cpu_caps *caps, bool one_a_pass, struct event *event, size_t events,
                   struct schedule *schedule, struct schedule_work *work)
{
    static const struct pass EMPTY;

    sort_out(caps, one_a_pass, event, events, work);
    search_passes(&work->search);
    schedule->events = (uint32_t)events;
    schedule->passes = number_passes(event, events, work);
    schedule->passes = number_uncore_passes(events, work, schedule->passes);
    for (uint32_t p = 0; p < PASSES_MAX; p++)
        schedule->pass[p] = EMPTY;
    fill_fixed(event, events, schedule, work);
    fill_general(events, schedule, work);
    fill_uncore(events, schedule, work);
    for (uint32_t p = 0; p < schedule->passes; p++)
        seat(work->search.item, &schedule->pass[p]);
    for (size_t e = 0; e < events; e++)
        flag_errata(caps, &event[e], work->place[e]);
}

bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot)
{
    for (*pass = 0; *pass < schedule->passes; ++*pass)
        for (*slot = 0; *slot < schedule->pass[*pass].slots; ++*slot)
            if (schedule->pass[*pass].slot[*slot].event == event)
                return true;
    return false;
}
