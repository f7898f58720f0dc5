/* SPDX-License-Identifier: BSD-2-Clause */
/* [state]. */
#include "pmu/plan/keys.h"

static void take_switch(struct parser *p, const char *key, struct piece value, enum plan_switch *to)
{
    static const char *const WORDS[] = {
        [SWITCH_KEEP] = "keep", [SWITCH_OFF] = "off", [SWITCH_ON] = "on"};
    unsigned which = PLAN_TAKE_WORD(p, key, value, WORDS);

    if (which <= SWITCH_ON)
        *to = (enum plan_switch)which;
}

static void take_turbo(struct parser *p, struct piece value)
{
    take_switch(p, "turbo", value, &p->plan->state.turbo);
}

static void take_prefetch(struct parser *p, struct piece value)
{
    take_switch(p, "prefetch", value, &p->plan->state.prefetch);
}

static void take_ratio(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"keep", "base"};
    static const uint32_t RATIOS[] = {PLAN_RATIO_KEEP, PLAN_RATIO_BASE};
    unsigned word = plan_find_word(value, WORDS, 2);
    char shown[PLAN_NAME_BYTES];
    uint64_t found;

    if (word < 2)
        p->plan->state.ratio = RATIOS[word];
    else if (plan_decimal(value, &found) && found >= 1 && found <= PLAN_RATIO_MAX)
        p->plan->state.ratio = (uint32_t)found;
    else
        plan_add_error(p->plan, p->line,
                       "ratio: expected keep, base or a number from 1 to %u, found '%s'",
                       PLAN_RATIO_MAX, piece_show(value, shown));
}

static void take_park(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {
        [PARK_AUTO] = "auto", [PARK_FIRMWARE] = "firmware", [PARK_MWAIT] = "mwait"};
    unsigned which = PLAN_TAKE_WORD(p, "park", value, WORDS);

    if (which <= PARK_MWAIT)
        p->plan->state.park = (enum plan_park)which;
}

static void take_bus_masters(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"keep", "off"};

    p->plan->state.bus_masters_off = PLAN_TAKE_WORD(p, "bus_masters", value, WORDS) == 1;
}

/* In the order of plan_state.line. */
static const struct plan_key KEYS[] = {
    {"turbo", take_turbo}, {"prefetch", take_prefetch},       {"ratio", take_ratio},
    {"park", take_park},   {"bus_masters", take_bus_masters},
};
#define KEYS_COUNT (sizeof(KEYS) / sizeof(KEYS[0]))
_Static_assert(KEYS_COUNT == sizeof(((struct plan_state *)0)->line) / sizeof(uint32_t),
               "a line for each key");
static const struct plan_section STATE = {"[state]", KEYS, KEYS_COUNT};

void plan_state_line(struct parser *p, struct piece line)
{
    unsigned taken = plan_take_key(p, &STATE, &p->state_seen, line);

    if (taken < KEYS_COUNT)
        p->plan->state.line[taken] = p->line;
}
