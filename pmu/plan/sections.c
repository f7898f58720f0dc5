/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses [state] and [results]. */
#include "pmu/plan/keys.h"
#include "pmu/base/text.h"
#include "pmu/base/url.h"

static void take_ratio(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"keep", "base", 0};
    static const uint32_t RATIOS[] = {PLAN_RATIO_KEEP, PLAN_RATIO_BASE};
    unsigned word = plan_find_word(value, WORDS);
    uint64_t found;

    if (word < 2)
        p->plan->state.ratio = RATIOS[word];
    else if (piece_size(value, &found) && found >= 1 && found <= PLAN_RATIO_MAX)
        p->plan->state.ratio = (uint32_t)found;
    else
        plan_word_error(p, value, WORDS, "ratio: expected keep, base or a number from 1 to %u",
                        PLAN_RATIO_MAX);
}

#define SWITCH_WORDS [SWITCH_KEEP] = "keep", [SWITCH_OFF] = "off", [SWITCH_ON] = "on"

/* In the order of plan_state.line. */
static const struct plan_key KEYS[] = {
    {"turbo", PLAN_WORD(struct plan_state, turbo, SWITCH_WORDS)},
    {"prefetch", PLAN_WORD(struct plan_state, prefetch, SWITCH_WORDS)},
    {"ratio", .take = take_ratio},
    {"lock_speculation", PLAN_WORD(struct plan_state, lock_speculation, SWITCH_WORDS)},
    {"lfence_serializes", PLAN_WORD(struct plan_state, lfence_serializes, SWITCH_WORDS)},
    {"park",
     PLAN_WORD(struct plan_state,
               park, [PARK_AUTO] = "auto", [PARK_FIRMWARE] = "firmware", [PARK_MWAIT] = "mwait")},
    {"bus_masters", PLAN_WORD(struct plan_state, bus_masters_off, "keep", "off")},
};
#define KEYS_COUNT (sizeof(KEYS) / sizeof(KEYS[0]))
_Static_assert(KEYS_COUNT == sizeof(((struct plan_state *)0)->line) / sizeof(uint32_t),
               "a line for each key");
static const struct plan_section STATE = {"[state]", KEYS, KEYS_COUNT,
                                          offsetof(struct plan_state, line)};

void plan_state_line(struct parser *p, struct piece line)
{
    plan_take_key(p, &STATE, &p->state_seen, line, &p->plan->state);
}

_Static_assert(PLAN_SERVER_BYTES >= URL_TEXT_BYTES, "every URL that url_parse() accepts fits");

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

/* In the order of plan_results.line. */
static const struct plan_key RESULTS_KEYS[] = {
    {"server", .take = take_server},
    {"frames",
     PLAN_WORD(
         struct plan_results,
         frames, [FRAMES_AUTO] = "auto", [FRAMES_ALWAYS] = "always", [FRAMES_NEVER] = "never")},
    {"check", PLAN_WORD(struct plan_results, check, "no", "yes")},
    {"machine", PLAN_WORD(struct plan_results, machine, "no", "yes")},
};
#define RESULTS_COUNT (sizeof(RESULTS_KEYS) / sizeof(RESULTS_KEYS[0]))
_Static_assert(RESULTS_COUNT == sizeof(((struct plan_results *)0)->line) / sizeof(uint32_t),
               "a line for each key");
static const struct plan_section RESULTS = {"[results]", RESULTS_KEYS, RESULTS_COUNT,
                                            offsetof(struct plan_results, line)};

void plan_results_line(struct parser *p, struct piece line)
{
    plan_take_key(p, &RESULTS, &p->results_seen, line, &p->plan->results);
}
