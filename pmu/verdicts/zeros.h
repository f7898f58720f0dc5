/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds events that stay 0 in a whole run although other events of their group count. The machine
 * may lack such an event, or no kernel causes it.
 */
#ifndef BARECOUNT_PMU_VERDICTS_ZEROS_H
#define BARECOUNT_PMU_VERDICTS_ZEROS_H

#include "pmu/plan/cpu_events.h"
#include "pmu/verdicts/rows.h"

/* An event is identified by its name. */
struct zero_event {
    const struct event *event;
    uint8_t group;
    bool ran;     /* a row has accepted samples */
    bool counted; /* a sample of a kernel or of the empty window is not 0 */
};

struct zeros {
    struct zero_event *event;
    unsigned events;
    unsigned room; /* elements of event[] */
};

/*
 * This many elements of event[] are enough unless core types count different alternatives of an
 * event.
 */
static inline unsigned zeros_room(const struct plan *plan)
{
    return EVENTS_BUILTIN_MAX + plan->events;
}

/* Call this before a run. If `memory` is null, no event is watched. */
void zeros_start(struct zeros *zeros, struct zero_event *memory, unsigned room);

/*
 * Watches the built-in events and the events of groups, except events whose counts are declared by
 * kernels. The events must stay in memory.
 */
void zeros_expect(struct zeros *zeros, const struct event *event, const uint8_t *group,
                  unsigned events);

/* Adds the rows of a result. Uses rows->view->scratch. */
void zeros_take(struct zeros *zeros, const struct rows *rows);

/*
 * Writes the names of a group's events that stayed 0, in at most NOTE_BYTES. `group` is from 0 to
 * GROUP_BUILT_IN. Returns false if there are none, or if no other event of the group counted.
 */
bool zeros_say(const struct zeros *zeros, const struct plan *plan, unsigned group, struct out *out);

#endif
