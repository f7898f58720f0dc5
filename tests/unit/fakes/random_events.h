/* SPDX-License-Identifier: BSD-2-Clause */
/* Reproducible random events for the scheduler. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_RANDOM_EVENTS_H
#define BARECOUNT_TESTS_UNIT_FAKES_RANDOM_EVENTS_H

#include "tests/unit/fakes/schedule_holds.h"

static uint64_t seed;

/* The upper bits of Knuth's MMIX generator. */
static unsigned random_below(unsigned limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % limit);
}

static void add_random_extra(unsigned values)
{
    static const struct {
        uint16_t select;
        uint16_t msr;
    } KINDS[] = {
        {0x01b7, 0x1a6}, {0x01bb, 0x1a7}, {0x01b7, 0x1a6}, /* either register */
        {0x0111, 0x1a6}, {0x0112, 0x1a7},                  /* only this register */
        {0x01cd, 0x3f6}, {0x01c6, 0x3f7},
    };
    unsigned kind = random_below(7);

    add_extra(KINDS[kind].select, KINDS[kind].msr, 1 + random_below(values));
}

/*
 * Of 8 events, `masks` have a counter mask, `alone` must be alone in a pass, and `extras` need an
 * extra register, on average. `values` is the number of different values of an extra register.
 */
struct taste {
    unsigned masks, alone, extras, values;
};

/* The mask contains one random counter, and each other counter with a probability of 1/4. */
static uint16_t random_mask(void)
{
    unsigned some = random_below(1u << caps.gp_count), others = random_below(1u << caps.gp_count);

    return (uint16_t)((some & others) | 1u << random_below(caps.gp_count));
}

static inline void add_random(const struct taste *taste)
{
    if (random_below(8) < taste->extras)
        add_random_extra(taste->values);
    else
        add_event(0x0100 + random_below(64));
    if (random_below(8) < taste->masks)
        event[events - 1].counters = random_mask();
    if (random_below(8) < taste->alone)
        event[events - 1].flags = EVENT_ALONE;
}

#endif
