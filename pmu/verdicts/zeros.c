/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects events that never counted in a run. */
#include "pmu/verdicts/zeros.h"
#include "pmu/base/text.h"

#define NAMES_BYTES 100u /* limit of the list of names; only its first name may exceed it */

void zeros_start(struct zeros *zeros, struct zero_event *memory, unsigned room)
{
    *zeros = (struct zeros){.event = memory, .room = memory ? room : 0};
}

/* Events usually come in order, so the search starts at `from`. */
static unsigned find(const struct zeros *zeros, const char *name, unsigned from)
{
    for (unsigned i = 0; i < zeros->events; i++) {
        unsigned at = (from + i) % zeros->events;

        if (text_same(zeros->event[at].event->name, name))
            return at;
    }
    return zeros->events;
}

void zeros_expect(struct zeros *zeros, const struct event *event, const uint8_t *group,
                  unsigned events)
{
    for (unsigned i = 0; i < events; i++)
        if (event[i].declared == EVENT_UNDECLARED && group[i] <= GROUP_BUILT_IN &&
            zeros->events < zeros->room && find(zeros, event[i].name, i) == zeros->events)
            zeros->event[zeros->events++] =
                (struct zero_event){.event = &event[i], .group = group[i]};
}

static bool is_counted(const struct rows *rows, const struct row *row)
{
    return row->stats.min != 0 || row->stats.max != 0 ||
           view_baseline(rows->view, row->pass, row->slot_index).max != 0;
}

void zeros_take(struct zeros *zeros, const struct rows *rows)
{
    unsigned next = 0;

    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        unsigned at;

        if (!row->event || row->event->declared != EVENT_UNDECLARED || row->accepted == 0 ||
            row->counter_off)
            continue;
        at = find(zeros, row->event->name, next);
        if (at == zeros->events)
            continue;
        next = at + 1;
        if (zeros->event[at].counted)
            continue;
        zeros->event[at].ran = true;
        zeros->event[at].counted = is_counted(rows, row);
    }
}

static bool is_zero(const struct zero_event *event, unsigned group)
{
    return event->group == group && event->ran && !event->counted;
}

bool zeros_say(const struct zeros *zeros, const struct plan *plan, unsigned group, struct out *out)
{
    unsigned silent = 0, counted = 0, named = 0;

    for (unsigned i = 0; i < zeros->events; i++) {
        silent += is_zero(&zeros->event[i], group);
        counted += zeros->event[i].group == group && zeros->event[i].counted;
    }
    if (silent == 0 || counted == 0)
        return false;
    for (unsigned i = 0; i < zeros->events; i++) {
        const char *name = zeros->event[i].event->name;

        if (!is_zero(&zeros->event[i], group) ||
            (named > 0 && out->used + text_length(name) + 2 > NAMES_BYTES))
            continue;
        out_printf(out, "%s%s", named++ > 0 ? ", " : "", name);
    }
    if (silent > named)
        out_printf(out, " and %u more", silent - named);
    out_text(out, ": 0 in all kernels, while others of ");
    if (group == GROUP_BUILT_IN)
        out_text(out, "the built-in events");
    else
        out_printf(out, "group %s", plan->group[group].name);
    out_printf(out, " were not: this machine may not count %s", silent > 1 ? "them" : "it");
    return true;
}
