/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event that a CPU counts, made by pmu/events/find.h from its text in a plan. Journals contain
 * events.
 */
#ifndef BARECOUNT_PMU_COUNTERS_EVENT_H
#define BARECOUNT_PMU_COUNTERS_EVENT_H

#include "pmu/counters/property.h"

#include <stdbool.h>
#include <stdint.h>

#define EVENTS_MAX       2048u /* 10 counters, 3 conditions, and more than 60 events */
#define EVENT_NAME_BYTES 96u
#define EVENT_NOT_FIXED  (-1)
#define EVENT_NOT_ARCH   (-1)
#define EVENT_UNDECLARED (-1)

/* METHOD_RESET: counters are reset before each sample. METHOD_DELTAS: readings are subtracted. */
enum count_method { METHOD_RESET, METHOD_DELTAS };

enum event_unit {
    UNIT_COUNT,
    UNIT_CYCLES,
    UNIT_REFERENCE_CYCLES,
    UNIT_SLOTS,
    UNIT_UNCORE_CYCLES,
    UNIT_BYTES,       /* counts 64-byte lines */
    UNIT_MICROJOULES, /* counts steps of event.extra x 2^-32 uJ */
    UNIT_BUS_CYCLES,  /* of the bus clock or the crystal */
    UNITS
};

/* Whether an event is counted for a CPU or for its package (pmu/uncore/uncore.h). */
enum event_scope { SCOPE_CPU, SCOPE_UNCORE };

/* The conditions of conditions= in a plan. CONDITION_HIGH: the counter starts at HIGH_START. */
enum event_condition { CONDITION_NONE, CONDITION_ALONE, CONDITION_HIGH, CONDITIONS };

/* With HIGH_START, the first event carries into bit 32. */
#define HIGH_START 0xffffffffull

/* Bits of event.rings. */
#define RING_OS  1u /* CPL 0 */
#define RING_USR 2u /* CPL 1 to 3 */

/* The lowest flag bit of event.select. The bits below contain the event number and unit mask. */
#define SELECT_FLAGS_SHIFT 16u

/* Bits of event.flags. */
#define EVENT_ALONE      (1u << 0) /* must be the only event on general counters */
#define EVENT_DEPRECATED (1u << 1)
#define EVENT_PRECISE    (1u << 2)
#define EVENT_MISCOUNTS  (1u << 3) /* see event_erratum() */
#define EVENT_SUM        (1u << 4) /* uncore: see event_second() */
#define EVENT_OTHERWISE  (1u << 5) /* other tools encode this name differently */
#define EVENT_AT_LEAST   (1u << 6) /* speculative: counts the declared number or more */
#define EVENT_MERGED     (1u << 7) /* AMD: also uses the next counter, whose select is extra_msr */

struct event {
    /*
     * The name in the plan, with modifiers. The name in the event table may follow: see
     * event_table_name().
     */
    char name[EVENT_NAME_BYTES];
    uint64_t select;    /* IA32_PERFEVTSELx or PERF_CTL, without USR, OS, INT, PC and EN */
    uint64_t extra;     /* value of extra_msr, or event_second(), or the energy counter's step in
                         * 2^-32 uJ */
    uint32_t extra_msr; /* 0: none */
    uint16_t counters;  /* bit i: general or the unit's counter i can count it; 0: all general */
    int8_t arch;        /* index of the architectural event, or EVENT_NOT_ARCH */
    int8_t fixed;       /* its fixed counter, or EVENT_NOT_FIXED */
    int8_t declared;    /* enum event_declared, or EVENT_UNDECLARED */
    uint8_t unit;       /* enum event_unit */
    uint8_t rings;      /* RING_OS, RING_USR */
    uint8_t flags;
    uint8_t status;     /* STATUS_OK, or why this CPU cannot count it */
    uint8_t fixed_only; /* 1: no general counter can count it */
    uint8_t scope;      /* enum event_scope */
    uint8_t kind;       /* SCOPE_UNCORE: enum uncore_kind of its unit; SCOPE_CPU: see below */
};
_Static_assert(sizeof(struct event) == 128, "journal layout");

/*
 * `kind` of an event of SCOPE_CPU: bits 5:0 are an enum property, bits 7:6 an enum event_condition.
 */
#define EVENT_PROPERTY        0x3fu
#define EVENT_CONDITION_SHIFT 6
_Static_assert(PROPERTY_NUMBERS - 1 == EVENT_PROPERTY, "journal layout");

/* The order is that of enum kernel_declares (kernels/kernel.h). */
enum event_declared {
    DECLARED_INSTRUCTIONS,
    DECLARED_BRANCHES,
    DECLARED_TAKEN_BRANCHES,
    DECLARED_LOADS,
    DECLARED_STORES,
    DECLARED_COUNT,
};
_Static_assert((int)DECLARED_COUNT == PROPERTY_FIRST, "one sequence of numbers");

/* Whether a number is a property, or a sum of properties, that this program knows. */
static inline bool is_property(unsigned number)
{
    return (number >= PROPERTY_FIRST && number < PROPERTY_END) ||
           (number >= PROPERTY_SUM_FIRST && number < PROPERTY_NUMBERS);
}

/* What kernels declare for the event: enum event_declared, enum property or EVENT_UNDECLARED. */
static inline int event_declares(const struct event *event)
{
    const unsigned property = event->scope == SCOPE_CPU ? event->kind & EVENT_PROPERTY : 0;

    return is_property(property) ? (int)property : event->declared;
}

/* Whether an event needs an extra register other than a merged counter's select. */
static inline bool event_has_extra(const struct event *event)
{
    return event->extra_msr != 0 && !(event->flags & EVENT_MERGED);
}

static inline enum event_condition event_condition(const struct event *event)
{
    return event->scope == SCOPE_CPU ? (enum event_condition)(event->kind >> EVENT_CONDITION_SHIFT)
                                     : CONDITION_NONE;
}

/* Whether two events count the same, perhaps on other counters or under other conditions. */
static inline bool event_is_same(const struct event *a, const struct event *b)
{
    return a->select == b->select && a->extra_msr == b->extra_msr && a->extra == b->extra &&
           a->rings == b->rings && a->scope == b->scope;
}

/* Whether an event can occur while no instruction retires. */
static inline bool event_is_of_time(const struct event *event)
{
    return event->unit != UNIT_COUNT || event->scope == SCOPE_UNCORE;
}

/*
 * The select of a second event, whose count is added to that of the first; 0: none. The second
 * event needs a separate counter.
 */
static inline uint64_t event_second(const struct event *event)
{
    return event->flags & EVENT_SUM ? event->extra : 0;
}

/* "count", "cycles", "reference cycles", "slots", "uncore cycles", "bytes", "uJ", "bus cycles". */
const char *event_unit_name(const struct event *event);

#endif
