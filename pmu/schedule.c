/* SPDX-License-Identifier: BSD-2-Clause */
#include "schedule.h"

static void add_slot(struct pass *pass, unsigned event, bool fixed, unsigned counter)
{
    pass->slot[pass->slots++] =
        (struct slot){.event = (uint8_t)event, .fixed = fixed, .counter = (uint8_t)counter};
}

#define TSX_ABORT_COUNTER 3u

/* Microcode may take IA32_PMC3 for TSX force abort (Intel SDM vol. 3B; CPUID.7:EDX[13]). */
static bool loses_counter(const struct cpu_caps *caps)
{
    return caps_has(caps, FEATURE_TSX_ABORT) && caps->gp_count > TSX_ABORT_COUNTER;
}

static unsigned usable_general(const struct cpu_caps *caps)
{
    if (caps->pmu_version == 1)
        return 1;
    return loses_counter(caps) ? caps->gp_count - 1 : caps->gp_count;
}

static unsigned general_counter(const struct cpu_caps *caps, unsigned index)
{
    return index >= TSX_ABORT_COUNTER && loses_counter(caps) ? index + 1 : index;
}

void schedule_make(const struct cpu_caps *caps, struct schedule *schedule)
{
    unsigned general_per_pass = usable_general(caps);
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
        add_slot(&schedule->pass[schedule->passes - 1], e, false,
                 general_counter(caps, general % general_per_pass));
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
