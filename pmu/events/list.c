/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists events. */
#include "pmu/events/list.h"
#include "pmu/events/built_in.h"
#include "pmu/events/uncore.h"
#include "pmu/uncore/names.h"

#define SELECT_COLUMN 40u
#define WORDS_COLUMN  51u
#define HEAD_BYTES    (EVENT_NAME_BYTES + 64u)
#define WHY_BYTES     80u

static void put_words(const struct event_entry *entry, struct out *to)
{
    const char *between = entry->description.size > 0 ? "; " : "";

    event_entry_describe(entry, to);
    if (entry->flags & EVENT_DEPRECATED) {
        out_printf(to, "%sdeprecated", between);
        between = "; ";
    }
    if (entry->errata.size > 0) {
        out_printf(to, "%serratum ", between);
        piece_put(entry->errata, to);
    }
}

static void put_line(struct out *head, const struct event_entry *entry, struct out *to)
{
    bool has_words = !entry || entry->description.size > 0 || entry->flags & EVENT_DEPRECATED ||
                     entry->errata.size > 0;

    if (has_words)
        out_pad(head, 0, WORDS_COLUMN);
    out_printf(to, has_words ? "%s " : "%s", out_end(head));
    if (entry)
        put_words(entry, to);
    else
        out_text(to, "built in");
    out_char(to, '\n');
}

/* `entry` is null for a built-in event. */
static void put_event(struct piece name, uint64_t select, bool fixed_only, int fixed,
                      const struct event_entry *entry, struct out *to)
{
    char text[HEAD_BYTES];
    struct out head = out_buffer(text, sizeof(text));

    piece_put(name, &head);
    out_pad(&head, 0, SELECT_COLUMN);
    if (fixed_only)
        out_printf(&head, " fixed%d", fixed);
    else
        out_printf(&head, " r%04llx", (unsigned long long)select);
    put_line(&head, entry, to);
}

/*
 * The columns are as in "cbox 8f34 description", or "uncore 308+309 description" for the sum of two
 * events.
 */
static bool put_of_uncore(const struct table_source *source, const struct uncore *uncore,
                          struct piece name, const struct event_entry *entry, struct out *to)
{
    char text[HEAD_BYTES], unused[WHY_BYTES];
    struct out head = out_buffer(text, sizeof(text));
    struct out why = out_buffer(unused, sizeof(unused));
    struct event event;

    if (uncore_event_find(&source->tables, uncore, name.at, name.size, &event, &why) != STATUS_OK)
        return false;
    piece_put(name, &head);
    out_pad(&head, 0, SELECT_COLUMN);
    out_printf(&head, " %s", uncore_kind_name(event.kind));
    if (event.select)
        out_printf(&head, " %llx", (unsigned long long)event.select);
    if (event_second(&event))
        out_printf(&head, "+%llx", (unsigned long long)event_second(&event));
    put_line(&head, entry, to);
    return true;
}

static unsigned list_uncore(const struct table_source *source, const struct uncore *uncore,
                            const char *pattern, struct out *to)
{
    unsigned listed = 0;

    for (unsigned i = 0; i < UNCORE_READIES; i++) {
        struct piece name = piece_of(uncore_ready_name(i));

        if (piece_holds(name, pattern))
            listed += put_of_uncore(source, uncore, name, 0, to);
    }
    for (size_t i = 0; i < source->tables.count; i++) {
        const struct event_entry *entry = &source->tables.entry[i];

        if (entry->kind != KIND_NONE && piece_holds(entry->name, pattern))
            listed += put_of_uncore(source, uncore, entry->name, entry, to);
    }
    return listed;
}

bool event_list(const struct table_source *source, const struct cpu_caps *caps,
                const struct uncore *uncore, const char *pattern, struct out *to)
{
    char number[COUNTED_BYTES];
    unsigned listed = 0, builtins;

    event_builtins(caps->vendor, &builtins);
    for (unsigned i = 0; i < builtins; i++) {
        struct event event;
        struct piece name;

        event_builtin(i, caps, 0, &event);
        name = piece_of(event.name);
        if (!piece_holds(name, pattern) || event_table_find(&source->tables, name) ||
            event.status != STATUS_OK)
            continue;
        put_event(name, event.select, event.fixed_only, event.fixed, 0, to);
        listed++;
    }
    for (size_t i = 0; i < source->tables.count; i++) {
        const struct event_entry *entry = &source->tables.entry[i];

        if (entry->kind != KIND_NONE || !piece_holds(entry->name, pattern))
            continue;
        put_event(entry->name, entry->select, !entry->has_select, entry->fixed, entry, to);
        listed++;
    }
    if (uncore)
        listed += list_uncore(source, uncore, pattern, to);
    out_text(to, counted(listed, "event", number));
    if (pattern[0])
        out_printf(to, " with '%s' in their names", pattern);
    out_printf(to, "; table: %s\n", source->file[0] ? source->file : "none for this CPU");
    return listed > 0;
}
