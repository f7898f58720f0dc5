/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fewest passes for events on general counters, or for uncore events. Part of
 * pmu/counters/schedule.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H

#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"

#define PASSES_MAX       EVENTS_MAX
#define SEARCH_NO_ANCHOR 0xffffu

/*
 * A step is an attempt to put an event in a pass. Branch and bound ends after SEARCH_STEPS_MAX; the
 * stages before it run over the list at most 12 times, with two steps for each event and pass.
 */
#define SEARCH_STEPS_MAX 100000u
#define STEPS_MAX        (24u * EVENTS_MAX * PASSES_MAX + 2u * SEARCH_STEPS_MAX)

/* The search's working memory. Large: never on a stack. */
struct search {
    struct item item[EVENTS_MAX];    /* indexed by event */
    uint16_t listed[EVENTS_MAX];     /* the events to place, in the list's order */
    uint16_t hard_first[EVENTS_MAX]; /* the same events, hardest first */
    uint32_t count;                  /* number of events to place */
    uint16_t anchor;                 /* the event that is in every pass, or SEARCH_NO_ANCHOR */
    uint32_t room;                   /* events that fit in a pass, including the anchor */
    uint16_t pass_of[EVENTS_MAX];    /* indexed by event: its pass in the current attempt */
    uint16_t best[EVENTS_MAX];       /* indexed by event: its pass in the best attempt */
    uint32_t passes;                 /* of the current attempt */
    uint32_t best_passes;
    uint32_t bound; /* no solution has fewer passes */
    uint32_t steps;
    uint32_t steps_end; /* the limit of steps for branch and bound */
    bool is_least;      /* best_passes is certainly the minimum */
    struct group group[PASSES_MAX];
};

/* Fills hard_first; equivalent events are adjacent, in the list's order. */
void search_sort(struct search *search);

/* A lower bound of the number of passes; needs hard_first. */
uint32_t search_bound(const struct search *search);

/*
 * Finds passes for search->listed, filling the fields after `anchor` and `room`. The inputs are
 * item (of the listed events and the anchor), listed, count, anchor and room. An anchor has at
 * least two counters and no extra register, and the other events are then of kind 0. room is 1 to
 * SLOTS_MAX. Events keep their order if that costs no pass. In tests with up to 10 events the
 * result has always been the minimum (tests/unit/counters/test_schedule_least.c).
 */
void search_passes(struct search *search);

#endif
