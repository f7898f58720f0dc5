/* SPDX-License-Identifier: BSD-2-Clause */
/* [results]. */
#include "pmu/plan/keys.h"
#include "pmu/base/text.h"
#include "pmu/base/url.h"

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
static const struct plan_key KEYS[] = {{"server", take_server}, {"frames", take_frames}};
#define KEYS_COUNT (sizeof(KEYS) / sizeof(KEYS[0]))
_Static_assert(KEYS_COUNT == sizeof(((struct plan_results *)0)->line) / sizeof(uint32_t),
               "a line for each key");
static const struct plan_section RESULTS = {"[results]", KEYS, KEYS_COUNT};

void plan_results_line(struct parser *p, struct piece line)
{
    unsigned taken = plan_take_key(p, &RESULTS, &p->results_seen, line);

    if (taken < KEYS_COUNT)
        p->plan->results.line[taken] = p->line;
}
