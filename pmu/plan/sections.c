/* SPDX-License-Identifier: BSD-2-Clause */
/* [state]. */
#include "pmu/plan/keys.h"
#include "pmu/base/text.h"
#include "pmu/base/url.h"

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

_Static_assert(PLAN_SERVER_BYTES >= URL_TEXT_BYTES, "every address that is taken fits");

static void take_server(struct parser *p, struct piece value)
{
    char expected[PLAN_ERROR_BYTES];
    struct out why = out_buffer(expected, sizeof(expected));
    struct out server = out_buffer(p->plan->results.server, sizeof(p->plan->results.server));
    struct url url;

    if (!url_parse(value, &url, &why)) {
        plan_add_error(p->plan, p->line, "server: %s", out_end(&why));
        return;
    }
    if (!url_as_folder(&url)) {
        plan_add_error(p->plan, p->line, "server: expected a path of at most 126 characters");
        return;
    }
    url_put(&url, "", &server);
    out_end(&server);
}

static void take_frames(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {
        [FRAMES_AUTO] = "auto", [FRAMES_ALWAYS] = "always", [FRAMES_NEVER] = "never"};
    unsigned which = PLAN_TAKE_WORD(p, "frames", value, WORDS);

    if (which <= FRAMES_NEVER)
        p->plan->results.frames = (enum plan_frames)which;
}

/* In the order of plan_results.line. */
static const struct plan_key RESULTS_KEYS[] = {{"server", take_server}, {"frames", take_frames}};
#define RESULTS_COUNT (sizeof(RESULTS_KEYS) / sizeof(RESULTS_KEYS[0]))
_Static_assert(RESULTS_COUNT == sizeof(((struct plan_results *)0)->line) / sizeof(uint32_t),
               "a line for each key");
static const struct plan_section RESULTS = {"[results]", RESULTS_KEYS, RESULTS_COUNT};

void plan_results_line(struct parser *p, struct piece line)
{
    unsigned taken = plan_take_key(p, &RESULTS, &p->results_seen, line);

    if (taken < RESULTS_COUNT)
        p->plan->results.line[taken] = p->line;
}
