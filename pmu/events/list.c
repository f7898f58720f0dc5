/* SPDX-License-Identifier: BSD-2-Clause */
/* Listing events. */
#include "pmu/events/list.h"
#include "pmu/events/built_in.h"
#include "pmu/events/uncore.h"
#include "pmu/uncore/names.h"

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

/* Writes "cbox 8f34 description" ("uncore 308+309" for a sum) if the package can count it. */
static bool put_of_uncore(const struct table_source *source, const struct uncore *uncore,
                          struct piece name, const char *description, struct out *to)
{
    char text[LIST_COLUMNS + 1], unused[LIST_COLUMNS];
    struct out out = out_buffer(text, sizeof(text));
    struct out why = out_buffer(unused, sizeof(unused));
    struct event event;
    size_t line = out.used;

    if (uncore_event_find(&source->tables, uncore, name.at, name.size, &event, &why) != STATUS_OK)
        return false;
    piece_put(name, &out);
    out_pad(&out, line, NAME_WIDTH);
    out_printf(&out, " %s", uncore_kind_name(event.kind));
    if (event.select)
        out_printf(&out, " %llx", (unsigned long long)event.select);
    if (event_second(&event))
        out_printf(&out, "+%llx", (unsigned long long)event_second(&event));
    out_pad(&out, line, NAME_WIDTH + 11);
    out_printf(&out, " %s", description);
    out_printf(to, "%s\n", out_end(&out));
    return true;
}

static unsigned list_uncore(const struct table_source *source, const struct uncore *uncore,
                            const char *pattern, struct out *to)
{
    char description[120];
    unsigned listed = 0;

    for (unsigned i = 0; i < UNCORE_READIES; i++) {
        struct piece name = piece_of(uncore_ready_name(i));

        if (piece_holds(name, pattern))
            listed += put_of_uncore(source, uncore, name, "built in", to);
    }
    for (size_t i = 0; i < source->tables.count; i++) {
        const struct event_entry *entry = &source->tables.entry[i];
        struct out out = out_buffer(description, sizeof(description));

        if (entry->kind == KIND_NONE || !piece_holds(entry->name, pattern))
            continue;
        event_entry_describe(entry, &out);
        listed += put_of_uncore(source, uncore, entry->name, out_end(&out), to);
    }
    return listed;
}

bool event_list(const struct table_source *source, const struct cpu_caps *caps,
                const struct uncore *uncore, const char *pattern, struct out *to)
{
    char description[120];
    unsigned listed = 0;

    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        struct event event;
        struct piece name;

        event_builtin(i, caps, 0, &event);
        name = piece_of(event.name);
        if (!piece_holds(name, pattern) || event_table_find(&source->tables, name) ||
            event.status != STATUS_OK)
            continue;
        put_event(name, event.select, event.fixed_only, event.fixed, "built in", to);
        listed++;
    }
    for (size_t i = 0; i < source->tables.count; i++) {
        const struct event_entry *entry = &source->tables.entry[i];
        struct out out = out_buffer(description, sizeof(description));

        if (entry->kind != KIND_NONE || !piece_holds(entry->name, pattern))
            continue;
        event_entry_describe(entry, &out);
        put_event(entry->name, entry->select, !entry->has_select, entry->fixed, out_end(&out), to);
        listed++;
    }
    if (uncore)
        listed += list_uncore(source, uncore, pattern, to);
    out_printf(to, "%u events", listed);
    if (pattern[0])
        out_printf(to, " with '%s' in their names", pattern);
    out_printf(to, "; table: %s\n", source->file[0] ? source->file : "none for this CPU");
    return listed > 0;
}
