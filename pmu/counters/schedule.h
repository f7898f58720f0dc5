/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which counter counts which event, in which pass. A pass is one programming of the counters; a
 * kernel is run anew in each.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_H

#include <stddef.h>

#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/counters/schedule_fit.h"
#include "pmu/counters/schedule_search.h"
#include "pmu/base/status.h"

/* What counts a slot's event. */
enum slot_where { SLOT_GENERAL, SLOT_FIXED, SLOT_UNCORE };

struct slot {
    uint16_t event;      /* index into the events that the schedule was made for */
    uint8_t where;       /* enum slot_where; SLOT_UNCORE: a counter of each unit of event.kind */
    uint8_t counter;     /* its number */
    uint16_t select_xor; /* the bits of the event's select that change in this pass:
                            pmu/counters/select.h */
    uint8_t second;      /* the counter of event_second(), where there is one */
    uint8_t reserved;
};

/*
 * Fixed counters come first, then the general ones, then those outside the cores, each in the order
 * of the events. `extra` are the CPU's own registers: what a package slot's unit needs beside its
 * select, its event says.
 */
struct pass {
    uint32_t slots;
    uint32_t extras;
    struct slot slot[SLOTS_MAX];
    struct pass_extra extra[EXTRAS_MAX]; /* registers to write before the counters open */
};
_Static_assert(sizeof(struct pass) == 8 + 8 * SLOTS_MAX + 16 * EXTRAS_MAX, "journal layout");

/* Large: never on a stack. What stands behind the last pass is zero. */
struct schedule {
    uint32_t events;
    uint32_t passes; /* at least 1: without a counter, one pass that takes only the time stamp */
    struct pass pass[PASSES_MAX];
};

/* A schedule's bytes in the journal: the passes that are used. */
#define SCHEDULE_BYTES(passes) (offsetof(struct schedule, pass) + (passes) * sizeof(struct pass))

/* Where an event stands. */
enum place {
    PLACE_NONE,
    PLACE_FIXED,   /* on its fixed counter, in every pass that no guest has taken */
    PLACE_GUEST,   /* on a fixed counter that another event has, in one pass */
    PLACE_GENERAL, /* on a general counter, in one pass */
    PLACE_ANCHOR,  /* on a general counter, in every pass but those of PLACE_ALONE */
    PLACE_ALONE,   /* on a general counter, with no other general event in its pass */
    PLACE_UNCORE,  /* outside the cores, in one pass behind all of those */
};

/* Memory that schedule_make() works in. Large: never on a stack. */
struct schedule_work {
    struct search search;
    uint8_t place[EVENTS_MAX];    /* enum place */
    uint16_t pass[EVENTS_MAX];    /* of all places but PLACE_FIXED and PLACE_ANCHOR */
    uint16_t number[PASSES_MAX];  /* of a pass of the search */
    uint8_t is_alone[PASSES_MAX]; /* 1: the pass of a PLACE_ALONE */
};

/*
 * The general counters that may be used, bit i for IA32_PMCi. Microcode may take IA32_PMC3 for TSX
 * force abort (pmu/counters/errata.h); version 1 opens IA32_PMC0 alone.
 */
uint32_t schedule_general(const struct cpu_caps *caps);

/*
 * Gives each event whose status is STATUS_OK a counter in a pass, in as few passes as there can be
 * (pmu/counters/schedule_search.h says when that is not certain); one that no counter of the CPU
 * can count gets its status instead. At most EVENTS_MAX events, one of them at least of the CPU.
 * Sets EVENT_MISCOUNTS where an erratum is known.
 *
 * - An event that a fixed counter can count stands on it in every pass: it costs nothing, and
 * passes can be checked against each other. If another event has that counter already it goes to a
 *   general one; if none can count it, it takes the fixed one over in a single pass.
 * - Without the fixed counter of instructions, the first event C0H with unit mask 0 and no flags
 *   stands in every pass but those of EVENT_ALONE, if it has two general counters to choose from.
 * - No two values of an extra register meet in a pass; an offcore event may get the other of the
 *   two registers, and the encoding that goes with it.
 * - What counts outside the cores (SCOPE_UNCORE) has passes of its own behind all others, which
 *   nothing shares but what stands in every pass; events of a kind with other filters are in
 * others. The sum of two events takes two counters of a pass.
 * - The order of the events is kept where that costs no pass.
 */
void schedule_make(const struct cpu_caps *caps, struct event *event, size_t events,
                   struct schedule *schedule, struct schedule_work *work);

/* The first pass that counts an event, and its slot there. False: none does. */
bool schedule_find(const struct schedule *schedule, unsigned event, unsigned *pass, unsigned *slot);

#endif
