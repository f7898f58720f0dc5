/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether events fit into one pass together, and where: which counter each takes, which extra
 * register. A part of pmu/counters/schedule.c.
 */
#ifndef BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H
#define BARECOUNT_PMU_COUNTERS_SCHEDULE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/cpu/caps.h"

#define SLOTS_MAX  (FIXED_COUNTERS_MAX + GP_COUNTERS_MAX) /* events of a pass */
#define EXTRAS_MAX 4u /* extra registers of a pass: 1A6H, 1A7H, 3F6H, 3F7H */

/* An extra register and what it must hold. */
struct pass_extra {
    uint32_t msr;
    uint32_t reserved;
    uint64_t value;
};

#define ITEM_KINDS 32u /* that there is room for */

/* What an event asks of a pass when a general counter counts it, or one outside the cores. */
struct item {
    uint64_t value;      /* what msr must hold */
    uint32_t msr;        /* 0: none */
    uint16_t select_xor; /* pmu/counters/select.h: not 0 when the other register serves as well */
    uint8_t counters;    /* those that can count it and may be used; 0 on a fixed counter */
    uint8_t kind;        /* below ITEM_KINDS: whose counters these are; 0: the CPU's own */
    uint8_t more;        /* counters that it takes beyond one: 0 or 1 */
};

/* 0: an event needs one register for itself; 1: it has the choice of two; 2: it needs none. */
unsigned item_freedom(const struct item *item);

/* Whether two events ask for the same register, or the same choice of two; and for the same value
 * there; and can be counted by the same counters of the same kind, as many of them. */
bool item_shares_register(const struct item *a, const struct item *b);
bool item_shares_value(const struct item *a, const struct item *b);
bool item_is_alike(const struct item *a, const struct item *b);

/* Whether there are as many counters as an event takes. */
bool item_has_counters(const struct item *item);

/* Some events of one pass: indices into an array of items. */
struct group {
    uint16_t items;
    uint16_t item[SLOTS_MAX];
};

/* The extra registers of a group. */
struct fit_extras {
    uint32_t count;
    uint32_t moved; /* bit i: item i of the group uses the other offcore register */
    struct pass_extra extra[EXTRAS_MAX];
};

/* A counter of an event, and the other one of an event that takes two. */
struct fit_seat {
    uint8_t counter, second;
};

/*
 * Whether each event of a group gets its counters of its own kind, and its value in a register;
 * those of a kind outside the cores want the same of its filters.
 */
bool fit_group(const struct item *item, const struct group *group);

/*
 * For a group that fits: the counters of each event. The first event has the lowest counter that
 * leaves enough for all others, then the second, and so on.
 */
void fit_counters(const struct item *item, const struct group *group,
                  struct fit_seat seat[SLOTS_MAX]);

/* The extra registers. False: they cannot hold what the group asks. */
bool fit_extras(const struct item *item, const struct group *group, struct fit_extras *extras);

#endif
