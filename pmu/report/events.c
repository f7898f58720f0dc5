/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the counted events. */
#include "pmu/report/parts.h"
#include "pmu/counters/errata.h"
#include "pmu/uncore/words.h"
#include "pmu/counters/select.h"
#include "pmu/base/text.h"

#define EVENT_WIDTH  33u
#define UNCORE_WIDTH 18u /* for uncore names, whose descriptions are longer */
#define PLACE_WIDTH  7u
#define UNCORE_PLACE 10u
#define NUMBER_WIDTH 4u
#define LONG_INDENT  12
#define WORDS_BYTES  240u
#define PLACE_BYTES  32u
#define ERRATA_SHOWN 4u

/* Writes where an event is counted: "pmc2", with "/" and the pass if there are several. */
static const char *place_of(const struct view *view, const struct slot *slot, unsigned pass,
                            char text[PLACE_BYTES])
{
    struct out out = out_buffer(text, PLACE_BYTES);

    if (view->run->source == SOURCE_LINUX) /* Linux chose the counter, and does not report it */
        out_char(&out, '-');
    else if (slot->where == SLOT_UNCORE)
        uncore_counter_name(&view->event[slot->event], slot, &out);
    else
        counter_name(slot->where == SLOT_FIXED, slot->counter, &out);
    if (slot->where != SLOT_FIXED && view->schedule->passes > 1)
        out_printf(&out, "/%u", pass);
    return out_end(&out);
}

/* The known errata of the counters, each once. */
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

/* Writes number, counter, name and description, with a long description on its own line. */
static void put_event(unsigned number, const char *place, const struct event *event,
                      const char *words, struct out *out)
{
    const bool outside = event->scope == SCOPE_UNCORE;
    const size_t width = outside ? UNCORE_WIDTH : EVENT_WIDTH;
    const size_t place_width = outside ? UNCORE_PLACE : PLACE_WIDTH;
    const size_t column = NUMBER_WIDTH + place_width + 1 + width + 1;
    bool fits = text_length(place) <= place_width && text_length(event->name) <= width &&
                column + text_length(words) <= REPORT_COLUMNS;

    out_printf(out, "%3u %*s ", number, -(int)place_width, place);
    if (fits)
        out_printf(out, "%*s ", -(int)width, event->name);
    else
        out_printf(out, "%s\n%*s", event->name, LONG_INDENT + 1, "");
    report_wrapped(words, LONG_INDENT + 1, out);
}

/* Lists events that the machine's uncore lacks or has no rule for, which are no plan errors. */
static void put_lacking(const struct view *view, struct out *out)
{
    char text[WORDS_BYTES];

    for (unsigned i = 0; i < view->events; i++) {
        const struct event *event = &view->event[i];

        if ((event->scope == SCOPE_UNCORE && event->status != STATUS_OK) ||
            event->status == STATUS_NOT_MODELLED)
            put_event(i, "-", event,
                      out_put(text, sizeof(text), "unavailable: %s", status_text(event->status)),
                      out);
    }
}

void report_events(const struct view *view, struct out *out)
{
    char text[WORDS_BYTES], place[PLACE_BYTES];
    struct errata found = {.count = 0};
    unsigned pass, slot;

    for (unsigned i = 0; i < view->events; i++) {
        const struct event *event = &view->event[i];
        struct out words = out_buffer(text, sizeof(text));
        const struct slot *at;

        if (event->status != STATUS_OK || !schedule_find(view->schedule, i, &pass, &slot))
            continue;
        at = &view->schedule->pass[pass].slot[slot];
        if (event->scope == SCOPE_UNCORE)
            uncore_event_words(event, &words);
        else
            select_words(event, &words);
        put_event(i, place_of(view, at, pass, place), event, out_end(&words), out);
        add_erratum(&found, event_erratum(event, &view->cpu->caps, at->where == SLOT_FIXED));
    }
    put_lacking(view, out);
    for (unsigned i = 0; i < found.count; i++) {
        out_printf(out, "! %s\n    ", found.erratum[i]->name);
        report_wrapped(found.erratum[i]->sentence, 4, out);
    }
}
