/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the counted events. */
#include "pmu/report/parts.h"
#include "pmu/counters/errata.h"
#include "pmu/uncore/words.h"
#include "pmu/counters/select.h"
#include "pmu/base/text.h"

#define EVENT_WIDTH  33u
#define UNCORE_WIDTH 18u /* less than EVENT_WIDTH, because uncore descriptions are longer */
#define PLACE_WIDTH  7u
#define UNCORE_PLACE 10u
#define NUMBER_WIDTH 4u
#define LONG_INDENT  12
#define WORDS_BYTES  240u
#define PLACE_BYTES  32u

/* "pmc2", or "pmc2/1" in pass 1 of several. */
static const char *place_of(const struct view *view, const struct slot *slot, unsigned pass,
                            char text[PLACE_BYTES])
{
    struct out out = out_buffer(text, PLACE_BYTES);

    if (view->run->source == SOURCE_LINUX) /* Linux chose the counter, and does not name it */
        out_char(&out, '-');
    else if (slot->where == SLOT_UNCORE)
        uncore_counter_name(&view->event[slot->event], slot, &out);
    else
        counter_name(slot->where == SLOT_FIXED, slot->counter, &out);
    if (slot->where != SLOT_FIXED && view->schedule->passes > 1)
        out_printf(&out, "/%u", pass);
    return out_end(&out);
}

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

/* The erratum that affects an event's counts; null if there is none. */
static const struct erratum *erratum_of(const struct view *view, unsigned index)
{
    const struct event *event = &view->event[index];
    unsigned pass, slot;

    if (event->status != STATUS_OK || !schedule_find(view->schedule, index, &pass, &slot))
        return NULL;
    return event_erratum(event, &view->cpu->caps,
                         view->schedule->pass[pass].slot[slot].where == SLOT_FIXED);
}

static void put_erratum(const struct erratum *erratum, uint64_t *told, struct out *out)
{
    const uint64_t bit = 1ull << erratum_number(erratum);

    out_printf(out, ": erratum %s", erratum->name);
    if (*told & bit) {
        out_text(out, ", as above\n");
        return;
    }
    *told |= bit;
    out_text(out, "\n    ");
    report_wrapped(erratum->sentence, 4, out);
}

/* Each erratum is written once, below the first event that it affects. */
static void put_erratum_of(const struct view *view, unsigned index, uint64_t *told, struct out *out)
{
    const struct erratum *erratum = erratum_of(view, index);

    for (unsigned i = 0; i < index; i++)
        if (erratum_of(view, i) == erratum)
            return;
    if (!erratum)
        return;
    out_printf(out, "! %u", index);
    for (unsigned i = index + 1; i < view->events; i++)
        if (erratum_of(view, i) == erratum)
            out_printf(out, ", %u", i);
    put_erratum(erratum, told, out);
}

static bool is_otherwise(const struct view *view, unsigned index)
{
    const struct event *event = &view->event[index];

    return event->status == STATUS_OK && event->flags & EVENT_OTHERWISE;
}

static void put_otherwise(const struct view *view, struct out *out)
{
    unsigned found = 0;

    for (unsigned i = 0; i < view->events; i++)
        if (is_otherwise(view, i))
            out_printf(out, found++ ? ", %u" : "! %u", i);
    if (found == 0)
        return;
    out_text(out, ": lists of events disagree\n    ");
    report_wrapped(
        "the manufacturer's encoding is used; libpfm4, which PAPI uses, has another one under "
        "the same name",
        4, out);
}

static void put_left_out(const struct view *view, uint64_t *told, struct out *out)
{
    const bool by_linux = view->run->source == SOURCE_LINUX;

    for (unsigned i = 0; !by_linux && i < view->cpu->caps.gp_count; i++) {
        const struct erratum *erratum = errata_why_left_out(&view->cpu->caps, i);

        if (!erratum)
            continue;
        out_printf(out, "! pmc%u", i);
        put_erratum(erratum, told, out);
    }
}

/* Errata with the same name share an entry. */
static struct report_erratum *shown_of(struct report *report, const struct erratum *erratum)
{
    struct report_erratum *shown = report->errata;

    while (shown->erratum && !text_same(shown->erratum->name, erratum->name))
        shown++;
    shown->erratum = erratum;
    return shown;
}

/*
 * Whether a row differs from its declared count. The verdict alone does not show this: it is
 * 'noisy' instead of 'off' if only some samples differ, or if there is a hypervisor.
 */
static bool is_off(const struct row *row)
{
    const struct expect *expect = &row->expect;

    return row->verdict == VERDICT_OFF || row->stats.min < expect->low ||
           (expect->kind != EXPECT_AT_LEAST && row->stats.max > expect->high) ||
           (expect->kind == EXPECT_EXACT && row->twice.count > 0 &&
            (row->twice.min != expect->low_2n || row->twice.max != expect->low_2n));
}

void report_add_errata(struct report *report, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->view->events; i++) {
        const struct row *row = &rows->row[i];
        const struct erratum *erratum = row->has_slot ? erratum_of(rows->view, i) : NULL;
        bool is_declared = row->expect.kind != EXPECT_NOTHING && row->accepted > 0;
        struct report_erratum *shown = erratum ? shown_of(report, erratum) : NULL;

        if (!shown)
            continue;
        shown->declared += is_declared;
        shown->off += is_declared && is_off(row);
    }
}

void report_errata(const struct report *report)
{
    const char *start = "Errata    ";
    char counts[COUNTED_BYTES];

    for (const struct report_erratum *shown = report->errata; shown->erratum; shown++) {
        out_printf(report->out, "%s%s: ", start, shown->erratum->name);
        if (shown->declared == 0)
            out_text(report->out, "no declared count\n");
        else
            out_printf(report->out, "%u of %s off\n", shown->off,
                       counted(shown->declared, "declared count", counts));
        start = "          ";
    }
}

void report_events(const struct view *view, uint64_t *told, struct out *out)
{
    char text[WORDS_BYTES], place[PLACE_BYTES];
    unsigned pass, slot;

    for (unsigned i = 0; i < view->events; i++) {
        const struct event *event = &view->event[i];
        struct out words = out_buffer(text, sizeof(text));

        if (event->status != STATUS_OK || !schedule_find(view->schedule, i, &pass, &slot))
            continue;
        if (event->scope == SCOPE_UNCORE)
            uncore_event_words(event, &words);
        else
            select_words(view->cpu->caps.vendor, event, &words);
        put_event(i, place_of(view, &view->schedule->pass[pass].slot[slot], pass, place), event,
                  out_end(&words), out);
        put_erratum_of(view, i, told, out);
    }
    put_otherwise(view, out);
    put_left_out(view, told, out);
    put_lacking(view, out);
}
