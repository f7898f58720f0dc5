/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_list.h"
#include "events.h"

#define NAME_WIDTH 40

static void put_event(struct piece name, uint64_t select, bool fixed_only, int fixed,
                      const char *description, struct out *to)
{
    char text[LIST_COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));
    size_t line = out.used;

    piece_put(name, &out);
    out_pad(&out, line, NAME_WIDTH);
    if (fixed_only)
        out_printf(&out, " fixed%d", fixed);
    else
        out_printf(&out, " r%04llx", (unsigned long long)select);
    out_pad(&out, line, NAME_WIDTH + 11);
    out_printf(&out, " %s", description);
    out_printf(to, "%s\n", out_end(&out));
}

bool event_list(const struct table_source *source, const struct cpu_caps *caps, const char *pattern,
                struct out *to)
{
    char description[120];
    unsigned listed = 0;

    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        struct piece name = piece_of(EVENTS[i].name);

        if (!piece_holds(name, pattern) || event_table_find(&source->tables, name) ||
            event_available(&EVENTS[i], caps) != STATUS_OK)
            continue;
        put_event(name, EVENTS[i].select, EVENTS[i].fixed_only, EVENTS[i].fixed, "built in", to);
        listed++;
    }
    for (size_t i = 0; i < source->tables.count; i++) {
        const struct event_entry *entry = &source->tables.entry[i];
        struct out out = out_buffer(description, sizeof(description));

        if (!piece_holds(entry->name, pattern))
            continue;
        event_entry_describe(entry, &out);
        put_event(entry->name, entry->select, !entry->has_select, entry->fixed, out_end(&out), to);
        listed++;
    }
    out_printf(to, "%u events", listed);
    if (pattern[0])
        out_printf(to, " with '%s' in their names", pattern);
    out_printf(to, "; table: %s\n", source->file[0] ? source->file : "none for this CPU");
    return listed > 0;
}
