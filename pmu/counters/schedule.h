/* SPDX-License-Identifier: BSD-2-Clause */
/* Assigns events to passes and counters. */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_H

#include <stddef.h>

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"
#include "pmu/counters/schedule_search.h"
#include "pmu/base/status.h"

enum slot_where { SLOT_GENERAL, SLOT_FIXED, SLOT_UNCORE };

struct slot {
    uint16_t event; /* index into the events of schedule_make() */
    uint8_t where;  /* enum slot_where; SLOT_UNCORE: one counter in each unit of event.kind */
    uint8_t counter;
    uint16_t select_xor; /* bits of event.select to flip; see offcore_select_xor() */
    uint8_t second;      /* counter for event_second(), if any */
    uint8_t reserved;
};

/*
 * Slots on fixed counters come first, then general, then uncore counters; each kind in the order of
 * the events.
 */
struct pass {
    uint32_t slots;
    uint32_t extras;
    struct slot slot[SLOTS_MAX];
    /* values of the CPU's extra registers, which are written before the counters are enabled */
    struct pass_extra extra[EXTRAS_MAX];
};
_Static_assert(sizeof(struct pass) == 8 + 8 * SLOTS_MAX + 16 * EXTRAS_MAX, "journal layout");

/* Too large for a stack. Elements of pass[] after the last pass are 0. */
struct schedule {
    uint32_t events;
    uint32_t passes; /* at least 1, even without counters */
    struct pass pass[PASSES_MAX];
};

/* Journals store only the used passes. */
#define SCHEDULE_BYTES(passes) (offsetof(struct schedule, pass) + (passes) * sizeof(struct pass))

enum place {
    PLACE_NONE,
    PLACE_FIXED,   /* on its fixed counter, in every pass in which no PLACE_GUEST event uses it */
    PLACE_GUEST,   /* in one pass, on a fixed counter that another event owns */
    PLACE_GENERAL, /* in one pass, on a general counter */
    PLACE_ANCHOR,  /* on a general counter, in every pass without a PLACE_ALONE event */
    PLACE_ALONE,   /* in one pass, as the only event on a general counter */
    PLACE_UNCORE,  /* in one of the last passes, on an uncore counter */
};

/* Working memory of schedule_make(). Too large for a stack. */
struct schedule_work {
    struct search search;
    uint8_t place[EVENTS_MAX];    /* enum place */
    uint16_t pass[EVENTS_MAX];    /* undefined for PLACE_NONE, _FIXED and _ANCHOR */
    uint16_t number[PASSES_MAX];  /* a pass's final number, indexed by its number in the search */
    uint8_t is_alone[PASSES_MAX]; /* 1: contains a PLACE_ALONE event */
};

/* Without a global control, at most this many general counters are used. */
#define SELECTS_MAX 6u

/*
 * The general counters that may be used: bit i for IA32_PMCi. IA32_PMC3 is left out if microcode
 * may use it for TSX force abort (pmu/counters/errata.h).
 */
uint32_t schedule_general(const struct cpu_caps *caps);

/* The largest number of slots in a pass. */
uint32_t schedule_slots_max(const struct schedule *schedule);

/*
 * Gives each event with STATUS_OK a counter in a pass. If no counter can count an event, its status
 * says why. A limited search (schedule_search.h) keeps the number of passes low. There are at most
 * EVENTS_MAX events, and at least one is not an uncore event. Sets EVENT_MISCOUNTS on events with
 * an erratum.
 *
 * - A fixed counter counts its event in every pass. A later event for the same fixed counter goes
 *   to a general counter if one can count it; otherwise the later event replaces the first event in
 *   a single pass.
 * - If no fixed counter counts instructions, one event that counts instructions (the anchor) is in
 *   every pass without an EVENT_ALONE event. The anchor has number C0H, unit mask 0, no flags, no
 *   extra register, and at least two possible counters.
 * - With `one_a_pass`, each event on a general counter has a pass of its own.
 * - An extra register has one value per pass. The select of an offcore event is adapted to its
 *   offcore register.
 * - Uncore events have their own passes at the end. Events of one kind of unit share a pass only
 *   if all of them need the same filter value, or none of them needs a filter.
 * - Events keep their order if this takes no additional passes.
 */
void schedule_make(const struct cpu_caps *caps, bool one_a_pass, struct event *event, size_t events,
                   struct schedule *schedule, struct schedule_work *work);

/*
 * Whether a pass can use only one general counter. Without a global control, one write cannot start
 * two counters. METHOD_DELTAS needs no such write, because the counters run before the window
 * opens.
 */
static inline bool schedule_one_a_pass(const struct cpu_caps *caps, enum count_method method)
{
    return caps->pmu_version == 1 && method != METHOD_DELTAS;
}

/* Finds an event's first pass and its slot there; false if there is none. */
bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot);

#endif
