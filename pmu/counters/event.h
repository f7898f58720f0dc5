/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event as a CPU is to count it: what the counters are programmed with, and what may be expected
 * of them. Made from a name by the event tables (pmu/events/find.h); written to the journal as it
 * is, so that a later program can render an earlier one's run.
 */
#ifndef BARECOUNT_PMU_COUNTERS_EVENT_H
#define BARECOUNT_PMU_COUNTERS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define EVENTS_MAX       1024u
#define EVENT_NAME_BYTES 96u
#define EVENT_NOT_FIXED  (-1)
#define EVENT_NOT_ARCH   (-1)
#define EVENT_UNDECLARED (-1)

/* How a sample is counted: from 0 and read; or as differences of counters that run freely. */
enum count_method { METHOD_RESET, METHOD_DELTAS };

enum event_unit {
    UNIT_COUNT,
    UNIT_CYCLES,
    UNIT_REFERENCE_CYCLES,
    UNIT_SLOTS,
    UNIT_UNCORE_CYCLES,
    UNIT_BYTES,       /* the counter counts lines of 64 */
    UNIT_MICROJOULES, /* the counter counts steps of event.extra x 2^-32 uJ */
    UNIT_BUS_CYCLES,  /* of the bus clock or the crystal */
    UNITS
};

/* What an event is counted for: the CPU alone, or all of its package (pmu/uncore/uncore.h). */
enum event_scope { SCOPE_CPU, SCOPE_UNCORE };

/* Bits of event.rings: which rings a counter counts. */
#define RING_OS  1u /* CPL 0 */
#define RING_USR 2u /* CPL 1 to 3 */

/* event.select without its low bits: the fields that are not event and unit mask. */
#define SELECT_FLAGS_SHIFT 16u

/* Bits of event.flags. */
#define EVENT_ALONE      (1u << 0) /* no other event on a general counter in its pass */
#define EVENT_DEPRECATED (1u << 1)
#define EVENT_PRECISE    (1u << 2)
#define EVENT_MISCOUNTS  (1u << 3) /* an erratum of this CPU: see event_errata() */
#define EVENT_SUM        (1u << 4) /* of SCOPE_UNCORE: see event_second() */

struct event {
    /* As the plan has it, with its modifiers; behind its zero may stand event_table_name(). */
    char name[EVENT_NAME_BYTES];
    uint64_t select;    /* IA32_PERFEVTSELx without USR, OS, INT, PC and EN */
    uint64_t extra;     /* what extra_msr must hold; of EVENT_SUM the second select */
    uint32_t extra_msr; /* 0: none */
    uint16_t counters;  /* general counters that can count it, bit i; 0: all */
    int8_t arch;        /* index of the architectural event, or EVENT_NOT_ARCH */
    int8_t fixed;       /* the fixed counter that counts it, or EVENT_NOT_FIXED */
    int8_t declared;    /* the kernels' declaration it must meet, or EVENT_UNDECLARED */
    uint8_t unit;       /* enum event_unit */
    uint8_t rings;      /* RING_OS, RING_USR */
    uint8_t flags;
    uint8_t status;     /* enum status: why this CPU cannot count it, or STATUS_OK */
    uint8_t fixed_only; /* 1: no general counter can count it */
    uint8_t scope;      /* enum event_scope */
    uint8_t kind;       /* enum uncore_kind of SCOPE_UNCORE: select, counters are its units' */
};
_Static_assert(sizeof(struct event) == 128, "journal layout");

/*
 * What the kernels declare, in the order of their record (kernels/kernel.h, which tests compare).
 */
enum event_declared {
    DECLARED_INSTRUCTIONS,
    DECLARED_BRANCHES,
    DECLARED_TAKEN_BRANCHES,
    DECLARED_LOADS,
    DECLARED_STORES,
    DECLARED_COUNT,
};

/*
 * Whether an event counts cycles and the like, which take time even while nothing retires; or what
 * is outside the cores, which goes on while the core stands still.
 */
static inline bool event_is_of_time(const struct event *event)
{
    return event->unit != UNIT_COUNT || event->scope == SCOPE_UNCORE;
}

/*
 * The select of another event of the same units, whose counts are added to an event's; a second
 * counter counts it. 0: there is none.
 */
static inline uint64_t event_second(const struct event *event)
{
    return event->flags & EVENT_SUM ? event->extra : 0;
}

/* "count", "cycles", "reference cycles", "slots", "uncore cycles", "bytes", "uJ", "bus cycles". */
const char *event_unit_name(const struct event *event);

#endif
