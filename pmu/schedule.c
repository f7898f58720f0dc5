/* SPDX-License-Identifier: BSD-2-Clause */
#include "schedule.h"

static void add_slot(struct pass *pass, unsigned event, bool fixed, unsigned counter)
{
    pass->slot[pass->slots++] =
        (struct slot){.event = (uint8_t)event, .fixed = fixed, .counter = (uint8_t)counter};
}

void schedule_make(const struct cpu_caps *caps, struct schedule *schedule)
{
    unsigned general_per_pass = caps->pmu_version == 1 ? 1 : caps->gp_count;
    unsigned general = 0;

    *schedule = (struct schedule){.passes = 1};
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        const struct event *event = &EVENTS[e];

        schedule->status[e] = (uint8_t)event_available(event, caps);
        if (schedule->status[e] != STATUS_OK)
            continue;
        if (event->fixed != EVENT_NOT_FIXED) {
            add_slot(&schedule->pass[0], e, true, (unsigned)event->fixed);
            continue;
        }
        schedule->passes = general / general_per_pass + 1;
        add_slot(&schedule->pass[schedule->passes - 1], e, false, general % general_per_pass);
        general++;
    }
}

bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot)
{
    for (*pass = 0; *pass < schedule->passes; ++*pass)
        for (*slot = 0; *slot < schedule->pass[*pass].slots; ++*slot)
            if (schedule->pass[*pass].slot[*slot].event == event)
                return true;
    return false;
}
