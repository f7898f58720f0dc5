/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out whether events fit into one pass, and which counter and which extra register each event
 * takes. Only for schedule*.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/cpu/caps.h"

#define SLOTS_MAX  COUNTERS_MAX /* the most events in a pass */
#define EXTRAS_MAX 8u           /* number of EXTRA_MSRS (program.h) */

struct pass_extra {
    uint32_t msr;
    uint32_t reserved;
    uint64_t value;
};

#define ITEM_KINDS 32u /* kinds of units, including the CPU */

struct item {
    uint64_t value;      /* the value that msr must contain */
    uint32_t msr;        /* 0: none */
    uint16_t select_xor; /* offcore_select_xor(); not 0: either offcore register will do */
    uint16_t counters;   /* bit i: counter i; 0: none */
    uint8_t kind;        /* kind of unit, below ITEM_KINDS; 0: the CPU */
    uint8_t more;        /* 1: needs a second counter */
};

/*
 * Returns 0 if the event needs a particular extra register, 1 if it can use either offcore
 * register, 2 if it needs no extra register.
 */
unsigned item_freedom(const struct item *item);

/*
 * item_shares_register(): whether both events need the same extra register, both can use either
 * offcore register, or both need no extra register. item_shares_value(): whether they also need the
 * same value in that register. item_is_alike(): whether, in addition, the same counters can count
 * both events, and both events need the same number of counters.
 */
bool item_shares_register(const struct item *a, const struct item *b);
bool item_shares_value(const struct item *a, const struct item *b);
bool item_is_alike(const struct item *a, const struct item *b);

/* Whether a counter can count the event or, for a sum, two counters can. */
bool item_has_counters(const struct item *item);

struct group {
    uint16_t items;
    uint16_t item[SLOTS_MAX];
};

struct fit_extras {
    uint32_t count;
    uint32_t moved; /* bit i: item i uses the other offcore register instead of its msr */
    struct pass_extra extra[EXTRAS_MAX];
};

struct fit_seat {
    uint8_t counter, second;
};

/*
 * Whether a group fits into one pass: each event gets a counter of its kind, no extra register
 * needs two values, and uncore events of one kind need the same filters.
 */
bool fit_group(const struct item *item, const struct group *group);

/*
 * Chooses counters for a group that fits. Each event in turn gets the lowest counter that leaves
 * enough counters for the later events.
 */
void fit_counters(const struct item *item, const struct group *group,
                  struct fit_seat seat[SLOTS_MAX]);

/* Finds the extra registers of a group. False if a register would have to contain two values. */
bool fit_extras(const struct item *item, const struct group *group, struct fit_extras *extras);

#endif
