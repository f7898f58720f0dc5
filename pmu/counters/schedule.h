/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns events to passes and counters. In each pass, the counters are programmed with different
 * events, and the kernel runs again.
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
    uint8_t where;       /* enum slot_where; SLOT_UNCORE: one counter in each unit of event.kind */
    uint8_t counter;     /* the counter's number */
    uint16_t select_xor; /* bits of event.select to flip in this pass; see offcore_select_xor() */
    uint8_t second;      /* the number of the counter for event_second(), if any */
    uint8_t reserved;
};

/*
 * Slots on fixed counters come first, then slots on general counters, then slots on uncore
 * counters. Within each kind, slots are in the order of the events. `extra` contains only registers
 * of the CPU; the extra register of an uncore unit is in the slot's event.
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
    uint32_t passes; /* at least 1; without counters, a pass reads only the time stamp */
    struct pass pass[PASSES_MAX];
};

/* The size of a schedule in journals, which store only the used passes. */
#define SCHEDULE_BYTES(passes) (offsetof(struct schedule, pass) + (passes) * sizeof(struct pass))

/* Where an event is counted. */
enum place {
    PLACE_NONE,
    PLACE_FIXED,   /* on its fixed counter, in every pass in which no PLACE_GUEST event uses it */
    PLACE_GUEST,   /* in one pass, on a fixed counter that another event owns */
    PLACE_GENERAL, /* in one pass, on a general counter */
    PLACE_ANCHOR,  /* on a general counter, in every pass without a PLACE_ALONE event */
    PLACE_ALONE,   /* in one pass, as the only event on a general counter */
    PLACE_UNCORE,  /* in one of the last passes, on an uncore counter */
};

/* Working memory of schedule_make(). Large: never on a stack. */
struct schedule_work {
    struct search search;
    uint8_t place[EVENTS_MAX];    /* enum place */
    uint16_t pass[EVENTS_MAX];    /* an event's pass; not set for PLACE_NONE, _FIXED and _ANCHOR */
    uint16_t number[PASSES_MAX];  /* a pass's final number, indexed by its number in the search */
    uint8_t is_alone[PASSES_MAX]; /* 1: the pass contains an event with PLACE_ALONE */
};

/*
 * The most general counters that are used without a global control, where each counter is enabled
 * by its own select.
 */
#define SELECTS_MAX 6u

/*
 * The general counters that may be used; bit i is for IA32_PMCi. IA32_PMC3 is left out if microcode
 * may use it for TSX force abort (pmu/counters/errata.h).
 */
uint32_t schedule_general(const struct cpu_caps *caps);

/* The largest number of slots in a pass. */
uint32_t schedule_slots_max(const struct schedule *schedule);

/*
 * Gives each event with STATUS_OK a counter in a pass. Uses the fewest passes that it finds in a
 * limited search (schedule_search.h). An event that no counter can count gets the reason as its
 * status. There are at most EVENTS_MAX events. At least one event is not an uncore event. Sets
 * EVENT_MISCOUNTS on events with an erratum.
 *
 * - An event that a fixed counter can count is in every pass. This takes no additional passes, and
 *   the counts in different passes can be compared. If an earlier event already owns the fixed
 *   counter, the event goes to a general counter or, if no general counter can count it, replaces
 *   the owner in a single pass.
 * - If no fixed counter counts instructions, one event of instructions (the anchor) is in every
 *   pass without an EVENT_ALONE event. The anchor is the first event that at least two general
 *   counters can count and that has number C0H, unit mask 0 and no flags.
 * - With `one_a_pass`, each event that needs a general counter has a pass of its own.
 * - An extra register has one value per pass. An offcore event that can use either of the two
 *   offcore registers gets, in its select, the encoding for the register that it uses.
 * - Uncore events (SCOPE_UNCORE) are in passes of their own at the end. The only other events in
 *   these passes are those that are in every pass. Events of one unit that need different filters
 *   are in different passes. The sum of two events takes two counters.
 * - Events keep their order unless this would take additional passes.
 */
void schedule_make(const struct cpu_caps *caps, bool one_a_pass, struct event *event, size_t events,
                   struct schedule *schedule, struct schedule_work *work);

/*
 * Whether a pass can use only one general counter. Without a global control (PMU version 1), one
 * write cannot start two counters. With METHOD_DELTAS, the counters run before the window opens.
 */
static inline bool schedule_one_a_pass(const struct cpu_caps *caps, enum count_method method)
{
    return caps->pmu_version == 1 && method != METHOD_DELTAS;
}

/* Finds the first pass that counts an event, and the event's slot in it. False if there is none. */
bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot);

#endif
