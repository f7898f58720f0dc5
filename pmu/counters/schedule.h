/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assignment of events to passes and counters. A pass is one programming of the counters; the
 * kernel runs again in each pass.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_H

#include <stddef.h>

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"
#include "pmu/counters/schedule_search.h"
#include "pmu/base/status.h"

/* The kind of counter that a slot uses. */
enum slot_where { SLOT_GENERAL, SLOT_FIXED, SLOT_UNCORE };

struct slot {
    uint16_t event;      /* index into the events passed to schedule_make() */
    uint8_t where;       /* enum slot_where; SLOT_UNCORE: a counter in each unit of event.kind */
    uint8_t counter;     /* its number */
    uint16_t select_xor; /* bits of the event's select to flip in this pass: pmu/counters/select.h
                          */
    uint8_t second;      /* the counter of event_second(), if any */
    uint8_t reserved;
};

/*
 * Slots on fixed counters come first, then general, then uncore ones, each in the order of the
 * events. `extra` has only the CPU's own registers; an uncore slot's event has those of its unit.
 */
struct pass {
    uint32_t slots;
    uint32_t extras;
    struct slot slot[SLOTS_MAX];
    struct pass_extra extra[EXTRAS_MAX]; /* registers to write before the counters are enabled */
};
_Static_assert(sizeof(struct pass) == 8 + 8 * SLOTS_MAX + 16 * EXTRAS_MAX, "journal layout");

/* Large: never on a stack. Everything after the last pass is zero. */
struct schedule {
    uint32_t events;
    uint32_t passes; /* at least 1: without counters, one pass takes only the time stamp */
    struct pass pass[PASSES_MAX];
};

/* The size of a schedule in journals, which store only the used passes. */
#define SCHEDULE_BYTES(passes) (offsetof(struct schedule, pass) + (passes) * sizeof(struct pass))

/* Where an event is counted. */
enum place {
    PLACE_NONE,
    PLACE_FIXED,   /* on its fixed counter, in every pass without a guest there */
    PLACE_GUEST,   /* in one pass, on a fixed counter that another event owns */
    PLACE_GENERAL, /* in one pass, on a general counter */
    PLACE_ANCHOR,  /* in every pass but those of PLACE_ALONE, on a general counter */
    PLACE_ALONE,   /* in one pass, as the only event on a general counter */
    PLACE_UNCORE,  /* in one of the passes at the end, outside the cores */
};

/* Working memory of schedule_make(). Large: never on a stack. */
struct schedule_work {
    struct search search;
    uint8_t place[EVENTS_MAX];    /* enum place */
    uint16_t pass[EVENTS_MAX];    /* for all places but PLACE_FIXED and PLACE_ANCHOR */
    uint16_t number[PASSES_MAX];  /* the final number of a pass of the search */
    uint8_t is_alone[PASSES_MAX]; /* 1: a PLACE_ALONE's pass */
};

/*
 * The general counters that may be used: bit i for IA32_PMCi. Microcode may take IA32_PMC3 for TSX
 * force abort (pmu/counters/errata.h), and version 1 opens only IA32_PMC0.
 */
uint32_t schedule_general(const struct cpu_caps *caps);

/* The largest number of slots in a pass. */
uint32_t schedule_slots_max(const struct schedule *schedule);

/*
 * Assigns each event with STATUS_OK a counter in a pass, in the fewest possible passes
 * (pmu/counters/schedule_search.h says when this is not certain). An event that no counter can
 * count gets the reason as its status. There are at most EVENTS_MAX events, at least one of which
 * is the CPU's. Sets EVENT_MISCOUNTS on events with an erratum.
 *
 * - An event that a fixed counter can count is in every pass: this costs nothing, and lets passes
 *   be checked against each other. If another event already has that counter, the event goes to a
 *   general one, or, if none can count it, replaces the owner in a single pass.
 * - Without the fixed counter of instructions, the first event C0H with unit mask 0 and no flags is
 * in every pass but those of EVENT_ALONE, if it has at least two general counters to choose from.
 * - An extra register has one value per pass; an offcore event may use the other of the two
 *   registers, with the corresponding encoding.
 * - Uncore events (SCOPE_UNCORE) have their own passes at the end, shared only with events that are
 *   in every pass. Events of one unit with different filters are in different passes. The sum of
 * two events takes two counters.
 * - Events keep their order if that costs no pass.
 */
void schedule_make(const struct cpu_caps *caps, struct event *event, size_t events,
                   struct schedule *schedule, struct schedule_work *work);

/* The first pass that counts an event, and its slot there. False if there is none. */
bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot);

#endif
