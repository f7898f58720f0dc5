/* SPDX-License-Identifier: BSD-2-Clause */
#include "schedule.h"

static void add_slot(struct pass *pass, unsigned event, bool fixed, unsigned counter)
{
    pass->slot[pass->slots++] =
        (struct slot){.event = (uint8_t)event, .fixed = fixed, .counter = (uint8_t)counter};
}

uint32_t schedule_general(const struct cpu_caps *caps)
{
    uint32_t all = caps->pmu_version == 1 ? 1 : (1u << caps->gp_count) - 1;

    return caps_has(caps, FEATURE_TSX_ABORT) ? all & ~(1u << 3) : all;
}

/* The counters of a pass that are free and can count an event. */
static uint32_t free_general(const struct pass *pass, const struct event *event, uint32_t usable)
{
    uint32_t map = event->counters ? usable & event->counters : usable;

    for (unsigned s = 0; s < pass->slots; s++)
        if (!pass->slot[s].fixed)
            map &= ~(1u << pass->slot[s].counter);
    return map;
}

/* No general counter at all can count the event. */
static bool is_out_of_reach(const struct event *event, uint32_t usable)
{
    static const struct pass EMPTY;

    return event->fixed == EVENT_NOT_FIXED && free_general(&EMPTY, event, usable) == 0;
}

/* Puts an event into the first pass that has a counter for it, or into a new one. */
static void place(struct schedule *schedule, unsigned event, uint32_t usable)
{
    unsigned p = 0, counter = 0;
    uint32_t map;

    while (p < schedule->passes && !free_general(&schedule->pass[p], &EVENTS[event], usable))
        p++;
    if (p == schedule->passes)
        schedule->passes++;
    map = free_general(&schedule->pass[p], &EVENTS[event], usable);
    while (!(map >> counter & 1))
        counter++;
    add_slot(&schedule->pass[p], event, false, counter);
}

/* General-purpose events: those that only some counters can count go first. */
static void place_general(const struct cpu_caps *caps, struct schedule *schedule, bool constrained)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (schedule->status[e] == STATUS_OK && EVENTS[e].fixed == EVENT_NOT_FIXED &&
            (EVENTS[e].counters != 0) == constrained)
            place(schedule, e, schedule_general(caps));
}

void schedule_make(const struct cpu_caps *caps, struct schedule *schedule)
{
    *schedule = (struct schedule){.passes = 1};
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        const struct event *event = &EVENTS[e];

        schedule->status[e] = (uint8_t)event_available(event, caps);
        if (schedule->status[e] == STATUS_OK && is_out_of_reach(event, schedule_general(caps)))
            schedule->status[e] = STATUS_NO_COUNTER;
        if (schedule->status[e] == STATUS_OK && event->fixed != EVENT_NOT_FIXED)
            add_slot(&schedule->pass[0], e, true, (unsigned)event->fixed);
    }
    place_general(caps, schedule, true);
    place_general(caps, schedule, false);
}

bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot)
{
    for (*pass = 0; *pass < schedule->passes; ++*pass)
        for (*slot = 0; *slot < schedule->pass[*pass].slots; ++*slot)
            if (schedule->pass[*pass].slot[*slot].event == event)
                return true;
    return false;
}
