/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that stay 0 in a whole run while others of their group do not: nothing is declared of
 * them, so no verdict tells a machine that does not count them from kernels that do not cause them.
 */
#ifndef BARECOUNT_PMU_VERDICTS_ZEROS_H
#define BARECOUNT_PMU_VERDICTS_ZEROS_H

#include "pmu/plan/cpu_events.h"
#include "pmu/verdicts/rows.h"

/* An undeclared event of a run, by its name. */
struct zero_event {
    const struct event *event;
    uint8_t group; /* as cpu_events.group has it */
    bool ran;      /* there are accepted samples of it */
    bool counted;  /* one of them, or the empty window, is not 0 */
};

struct zeros {
    struct zero_event *event;
    unsigned events;
    unsigned room; /* further events are not watched */
};

/* Room for all events of a plan; where core types take other alternatives, perhaps too little. */
static inline unsigned zeros_room(const struct plan *plan)
{
    return EVENTS_BUILTIN_MAX + plan->events;
}

/* A run begins. `memory`: `room` of them; null: nothing is watched. */
void zeros_start(struct zeros *zeros, struct zero_event *memory, unsigned room);

/* A CPU of the run was described: its events, which stay where they are, and the groups of each. */
void zeros_expect(struct zeros *zeros, const struct event *event, const uint8_t *group,
                  unsigned events);

/* Takes the rows of a result. Uses their view's scratch. */
void zeros_take(struct zeros *zeros, const struct rows *rows);

/*
 * The remark on a group, from 0 to GROUP_BUILT_IN; NOTE_BYTES have room for it. False: there is
 * nothing to say.
 */
bool zeros_say(const struct zeros *zeros, const struct plan *plan, unsigned group, struct out *out);

#endif
