/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least number of passes for events on general counters, or for those outside the cores. A part
 * of pmu/counters/schedule.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_SEARCH_H

#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"

#define PASSES_MAX       EVENTS_MAX
#define SEARCH_NO_ANCHOR 0xffffu

/*
 * A step is an event tried in a pass. The search for fewer passes ends after so many; what comes
 * before it goes over the list 12 times at most, with two steps for each event and pass.
 */
#define SEARCH_STEPS_MAX 100000u
#define STEPS_MAX        (24u * EVENTS_MAX * PASSES_MAX + 2u * SEARCH_STEPS_MAX)

/* The search's memory. Large: never on a stack. */
struct search {
    struct item item[EVENTS_MAX];    /* by event */
    uint16_t listed[EVENTS_MAX];     /* the events to place, in the list's order */
    uint16_t hard_first[EVENTS_MAX]; /* the same, those that are hard to place first */
    uint32_t count;                  /* of those */
    uint16_t anchor;                 /* stands in every pass besides them, or SEARCH_NO_ANCHOR */
    uint32_t room;                   /* how many events a pass has room for, the anchor included */
    uint16_t pass_of[EVENTS_MAX];    /* by event: its pass in the try that is under way */
    uint16_t best[EVENTS_MAX];       /* by event: its pass in the best try */
    uint32_t passes;                 /* of the try */
    uint32_t best_passes;
    uint32_t bound; /* fewer passes than these are impossible */
    uint32_t steps;
    uint32_t steps_end; /* for the search */
    bool is_least;      /* there is no way with fewer passes; false: not known */
    struct group group[PASSES_MAX];
};

/* Fills hard_first: those that are alike side by side, in the list's order. */
void search_sort(struct search *search);

/* How many passes there must be at least; hard_first is filled. */
uint32_t search_bound(const struct search *search);

/*
 * Finds passes for search->listed: fills what stands behind the anchor in the struct. item (of the
 * listed events and the anchor), listed, count, anchor and room are given; an anchor has two
 * counters at least and no extra register, and the listed events beside it are of kind 0. room is 1
 * to SLOTS_MAX. The order of the list is kept where it needs no more passes. With at most 10 events
 * the number has always been the least (tests/unit/counters/test_schedule_least.c).
 */
void search_passes(struct search *search);

#endif
