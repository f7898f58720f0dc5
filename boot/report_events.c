/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted, in words. */
#include "boot/console.h"
#include "boot/report.h"
#include "pmu/errata.h"
#include "pmu/select.h"
#include "pmu/text.h"

#define EVENT_WIDTH  33
#define WORDS_COLUMN 46u /* behind number, counter and a name of that width */
#define LONG_INDENT  12
#define WORDS_BYTES  240u
#define ERRATA_SHOWN 4u

/* Where an event is counted: "pmc2", and the pass behind a slash where there are several. */
static const char *place_of(const struct view *view, const struct slot *slot, unsigned pass,
                            char text[16])
{
    struct out out = out_buffer(text, 16);

    counter_name(slot->fixed, slot->counter, &out);
    if (!slot->fixed && view->schedule->passes > 1)
        out_printf(&out, "/%u", pass);
    return out_end(&out);
}

/* What is known to be wrong with some of the counters, each once. */
struct errata {
    unsigned count;
    const struct erratum *erratum[ERRATA_SHOWN];
};

static void add_erratum(struct errata *errata, const struct erratum *erratum)
{
    for (unsigned i = 0; i < errata->count; i++)
        if (errata->erratum[i] == erratum)
            return;
    if (erratum && errata->count < ERRATA_SHOWN)
        errata->erratum[errata->count++] = erratum;
}

void report_events(const struct view *view)
{
    char words[WORDS_BYTES], place[16];
    struct errata found = {.count = 0};
    unsigned pass, slot;

    for (unsigned i = 0; i < view->events; i++) {
        const struct event *event = &view->event[i];
        struct out out = out_buffer(words, sizeof(words));
        const struct slot *at;

        if (event->status != STATUS_OK || !schedule_find(view->schedule, i, &pass, &slot))
            continue;
        at = &view->schedule->pass[pass].slot[slot];
        select_words(event, &out);
        out_end(&out);
        say("%3u %*s %*s", i, -7, place_of(view, at, pass, place), -EVENT_WIDTH, event->name);
        if (text_length(event->name) > EVENT_WIDTH ||
            text_length(words) + WORDS_COLUMN > CONSOLE_COLUMNS)
            say("\n%*s", LONG_INDENT, "");
        say(" ");
        say_wrapped(words, LONG_INDENT + 1);
        add_erratum(&found, event_erratum(event, &view->cpu->caps, at->fixed));
    }
    for (unsigned i = 0; i < found.count; i++) {
        say("! %s\n    ", found.erratum[i]->name);
        say_wrapped(found.erratum[i]->sentence, 4);
    }
}
