/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the fewest passes for events on general counters, or for uncore events. Only for
 * pmu/counters/schedule*.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H

#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"

#define PASSES_MAX       EVENTS_MAX
#define SEARCH_NO_ANCHOR 0xffffu

/*
 * The steps of a search are limited. A step is an attempt to put an event in a pass. Branch and
 * bound ends after SEARCH_STEPS_MAX steps. The stages before branch and bound go through the list
 * at most 12 times; each time, an event in practice takes at most two steps for each pass.
 */
#define SEARCH_STEPS_MAX 100000u
#define STEPS_MAX        (24u * EVENTS_MAX * PASSES_MAX + 2u * SEARCH_STEPS_MAX)

/* The search's working memory. Large: never on a stack. */
struct search {
    struct item item[EVENTS_MAX];    /* indexed by event */
    uint16_t listed[EVENTS_MAX];     /* the events to place */
    uint16_t hard_first[EVENTS_MAX]; /* the same events, hardest first */
    uint32_t count;                  /* number of events to place */
    uint16_t anchor;                 /* the event that is in every pass, or SEARCH_NO_ANCHOR */
    uint32_t room;                   /* the number of slots in a pass, including the anchor's */
    uint16_t pass_of[EVENTS_MAX];    /* indexed by event: its pass in the current attempt */
    uint16_t best[EVENTS_MAX];       /* indexed by event: its pass in the best attempt */
    uint32_t passes;                 /* number of passes in the current attempt */
    uint32_t best_passes;
    uint32_t bound; /* no solution has fewer passes */
    uint32_t steps;
    uint32_t steps_end; /* the value of `steps` at which branch and bound ends */
    bool is_least;      /* best_passes is certainly the minimum */
    struct group group[PASSES_MAX];
};

/* Fills hard_first, in which equivalent events are adjacent and in the list's order. */
void search_sort(struct search *search);

/* A lower bound for the number of passes. hard_first must be filled. */
uint32_t search_bound(const struct search *search);

/*
 * Finds passes for the listed events. The caller sets `listed`, `count`, `anchor` and `room`. The
 * caller also sets item[] for the listed events and the anchor. The function fills the other
 * fields. If there is an anchor, at least two counters must be able to count it, it must need no
 * extra register, and all events must be the CPU's own (kind 0). `room` must be 1 to SLOTS_MAX.
 * Events keep their order unless another order takes fewer passes. In tests with up to 10 events
 * the result was always the minimum (tests/unit/counters/test_schedule_least.c).
 */
void search_passes(struct search *search);

#endif
