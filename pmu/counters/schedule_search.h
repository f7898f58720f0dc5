/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the fewest passes for events on general or uncore counters. Only for schedule*.c. */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H

#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"

#define PASSES_MAX       EVENTS_MAX
#define SEARCH_NO_ANCHOR 0xffffu

/*
 * A step tries to put an event in a pass. Branch and bound ends after SEARCH_STEPS_MAX steps. The
 * two earlier stages of the search go through the list at most 12 times, with at most two steps per
 * event and pass.
 */
#define SEARCH_STEPS_MAX 100000u
#define STEPS_MAX        (24u * EVENTS_MAX * PASSES_MAX + 2u * SEARCH_STEPS_MAX)

/* Too large for a stack. */
struct search {
    struct item item[EVENTS_MAX];    /* by event */
    uint16_t listed[EVENTS_MAX];     /* the events to place */
    uint16_t hard_first[EVENTS_MAX]; /* the same events, hardest first */
    uint32_t count;                  /* elements of listed[] */
    uint16_t anchor;                 /* the event in every pass, or SEARCH_NO_ANCHOR */
    uint32_t room;                   /* slots in a pass, including the anchor's */
    uint16_t pass_of[EVENTS_MAX];    /* by event: current pass */
    uint16_t best[EVENTS_MAX];       /* by event: best pass */
    uint32_t passes;                 /* number of passes in the current attempt */
    uint32_t best_passes;
    uint32_t bound; /* lower bound of passes */
    uint32_t steps;
    uint32_t steps_end; /* limit of `steps` */
    bool is_least;
    struct group group[PASSES_MAX];
};

/* Fills hard_first; equivalent events stay in order. */
void search_sort(struct search *search);

/* A lower bound for the number of passes. Requires hard_first. */
uint32_t search_bound(const struct search *search);

/*
 * Finds passes for the listed events. The caller sets `listed`, `count`, `anchor`, `room` (1 to
 * SLOTS_MAX), and item[] for the listed events and the anchor. If there is an anchor, all events
 * must be of kind 0 (counted by the CPU). At least two counters must be able to count the anchor,
 * and it must need no extra register. Events keep their order unless another order takes fewer
 * passes.
 */
void search_passes(struct search *search);

#endif
