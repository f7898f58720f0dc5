/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds events that stay 0 in a whole run, although other events of their group count. Either the
 * machine cannot count such an event, or the kernels do not cause it. If no counts are declared
 * for an event, its verdicts do not show which of the two is true.
 */
#ifndef BARECOUNT_PMU_VERDICTS_ZEROS_H
#define BARECOUNT_PMU_VERDICTS_ZEROS_H

#include "pmu/plan/cpu_events.h"
#include "pmu/verdicts/rows.h"

/* An event without declared counts. Events are identified by name. */
struct zero_event {
    const struct event *event;
    uint8_t group; /* as in cpu_events.group */
    bool ran;      /* a row of the event contains accepted samples */
    bool counted;  /* a sample of a kernel, or of the empty window, is not 0 */
};

struct zeros {
    struct zero_event *event;
    unsigned events;
    unsigned room; /* number of elements of event[] */
};

/*
 * A number of elements that is enough for all events of a plan, unless core types count different
 * alternatives of an event.
 */
static inline unsigned zeros_room(const struct plan *plan)
{
    return EVENTS_BUILTIN_MAX + plan->events;
}

/*
 * To be called before a run. `memory` is an array of `room` elements; if it is null, no event is
 * watched.
 */
void zeros_start(struct zeros *zeros, struct zero_event *memory, unsigned room);

/*
 * Adds those of a CPU's events that are in a group or built in, but have no declared counts. The
 * events must stay in memory.
 */
void zeros_expect(struct zeros *zeros, const struct event *event, const uint8_t *group,
                  unsigned events);

/* Adds the rows of a result. Uses rows->view->scratch. */
void zeros_take(struct zeros *zeros, const struct rows *rows);

/*
 * Writes a remark, of at most NOTE_BYTES, that names the events of a group (0 to GROUP_BUILT_IN)
 * that stayed 0. False if no event stayed 0, or if no other event of the group counted.
 */
bool zeros_say(const struct zeros *zeros, const struct plan *plan, unsigned group, struct out *out);

#endif
