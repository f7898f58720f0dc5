/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds whether events fit into one pass, and which counter and extra register each event takes.
 * The functions are only for pmu/counters/schedule*.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/cpu/caps.h"

#define SLOTS_MAX  COUNTERS_MAX /* events in a pass */
#define EXTRAS_MAX 8u           /* extra registers in a pass: those of EXTRA_MSRS (program.h) */

/* An extra register and its value. */
struct pass_extra {
    uint32_t msr;
    uint32_t reserved;
    uint64_t value;
};

#define ITEM_KINDS 32u /* the most kinds of units with counters, including the CPU itself */

/* What a pass must provide for an event on a general or uncore counter. */
struct item {
    uint64_t value;      /* the value that msr must hold */
    uint32_t msr;        /* 0: none */
    uint16_t select_xor; /* offcore_select_xor(); not 0 if it can use either offcore register */
    uint16_t counters;   /* bit i: counter i can count it; 0: no general or uncore counter can */
    uint8_t kind;        /* the kind of unit that has the counters, below ITEM_KINDS; 0: the CPU */
    uint8_t more;        /* 1 if the event needs a second counter, else 0 */
};

/*
 * 0 if an event needs one particular extra register, 1 if it can use either offcore register, 2 if
 * it needs no extra register.
 */
unsigned item_freedom(const struct item *item);

/*
 * item_shares_register() is true if two events need the same extra register, if both can use either
 * offcore register, or if both need no extra register. item_shares_value() is true if the events
 * also need the same value in the register, if any. item_is_alike() is true if, in addition, the
 * same counters of the same kind of unit can count both events, and both need the same number of
 * counters.
 */
bool item_shares_register(const struct item *a, const struct item *b);
bool item_shares_value(const struct item *a, const struct item *b);
bool item_is_alike(const struct item *a, const struct item *b);

/* Whether there is a counter for an event, or two for a sum of two events. */
bool item_has_counters(const struct item *item);

/* Events of one pass, as indices into an array of items. */
struct group {
    uint16_t items;
    uint16_t item[SLOTS_MAX];
};

/* The extra registers that a group needs. */
struct fit_extras {
    uint32_t count;
    uint32_t moved; /* bit i: the group's item i uses the offcore register other than its msr */
    struct pass_extra extra[EXTRAS_MAX];
};

/* The counter of an event, and the second counter if the event takes two. */
struct fit_seat {
    uint8_t counter, second;
};

/*
 * Whether a group fits into one pass: each event gets a counter of its kind, each extra register
 * has to hold only one value, and all uncore events of one kind need the same filters.
 */
bool fit_group(const struct item *item, const struct group *group);

/*
 * Chooses the counters for the events of a group that fits. Each event, in turn, gets the lowest
 * counter that leaves enough counters for all later events.
 */
void fit_counters(const struct item *item, const struct group *group,
                  struct fit_seat seat[SLOTS_MAX]);

/* Finds the extra registers of a group. False if a register would have to hold two values. */
bool fit_extras(const struct item *item, const struct group *group, struct fit_extras *extras);

#endif
