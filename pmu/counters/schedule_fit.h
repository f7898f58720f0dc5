/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether events fit into one pass, and which counter and extra register each takes. Part of
 * pmu/counters/schedule.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/cpu/caps.h"

#define SLOTS_MAX  (FIXED_COUNTERS_MAX + GP_COUNTERS_MAX) /* events in a pass */
#define EXTRAS_MAX 4u /* extra registers in a pass: 1A6H, 1A7H, 3F6H, 3F7H */

/* An extra register and its value. */
struct pass_extra {
    uint32_t msr;
    uint32_t reserved;
    uint64_t value;
};

#define ITEM_KINDS 32u /* at most, counting the CPU itself */

/* What a pass must provide for an event on a general or uncore counter. */
struct item {
    uint64_t value;      /* the value of msr */
    uint32_t msr;        /* 0: none */
    uint16_t select_xor; /* pmu/counters/select.h: nonzero if the other register can be used */
    uint8_t counters;    /* the usable counters that can count it; 0 on a fixed counter */
    uint8_t kind;        /* below ITEM_KINDS: the unit that has the counters; 0: the CPU */
    uint8_t more;        /* counters needed in addition to the first: 0 or 1 */
};

/* An event's choice of registers: 0: it needs a certain one; 1: either of two; 2: none. */
unsigned item_freedom(const struct item *item);

/*
 * Whether two events need the same register or have the same choice of two; whether they also need
 * the same value in it; and whether they also need the same number of the same counters.
 */
bool item_shares_register(const struct item *a, const struct item *b);
bool item_shares_value(const struct item *a, const struct item *b);
bool item_is_alike(const struct item *a, const struct item *b);

/* Whether an event has as many counters as it needs. */
bool item_has_counters(const struct item *item);

/* Events of one pass, as indices into an array of items. */
struct group {
    uint16_t items;
    uint16_t item[SLOTS_MAX];
};

/* The extra registers that a group needs. */
struct fit_extras {
    uint32_t count;
    uint32_t moved; /* bit i: item i uses the other offcore register */
    struct pass_extra extra[EXTRAS_MAX];
};

/* The counter of an event, and the second one of an event that takes two. */
struct fit_seat {
    uint8_t counter, second;
};

/*
 * Whether all events of a group get counters of their kind and their values in registers. Uncore
 * events of one kind must agree on the filters.
 */
bool fit_group(const struct item *item, const struct group *group);

/*
 * The counters of each event in a group that fits. The first event gets the lowest counter that
 * leaves enough for all others, then the second, and so on.
 */
void fit_counters(const struct item *item, const struct group *group,
                  struct fit_seat seat[SLOTS_MAX]);

/* The extra registers of a group. False if it does not fit. */
bool fit_extras(const struct item *item, const struct group *group, struct fit_extras *extras);

#endif
