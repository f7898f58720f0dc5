/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/events/index.h"
#include "pmu/events/rows.h"

#define FORMAT "barecount-events"

/* A file while it is read. */
struct reader {
    struct event_tables *tables;
    const struct cpu_caps *caps;
    const struct select_layout *layout;
    struct event_lines lines;
    size_t left_out;
    bool users_own;
    bool names_seen; /* the line of names */
    enum event_row_form form;
    bool refusing;           /* the rest is not used, which has been said */
    enum event_match for_us; /* what the last `for` said */
};

static char name_character(char c)
{
    return c == ':' ? '.' : piece_lower(c);
}

bool event_name_same(struct piece a, struct piece b)
{
    size_t i = a.size;

    if (a.size != b.size)
        return false;
    while (i > 0 && name_character(a.at[i - 1]) == name_character(b.at[i - 1]))
        i--; /* from the end: names begin alike */
    return i == 0;
}

/* The first entry of a name: bit 0 of `which` asks for events of the cores, bit 1 for others. */
static struct event_entry *find(const struct event_tables *tables, struct piece name,
                                unsigned which)
{
    for (size_t i = 0; i < tables->count; i++)
        if (which >> (tables->entry[i].kind != 0) & 1 &&
            event_name_same(tables->entry[i].name, name))
            return &tables->entry[i];
    return 0;
}

struct event_entry *event_table_find(const struct event_tables *tables, struct piece name)
{
    return find(tables, name, 1);
}

struct event_entry *event_table_find_unit(const struct event_tables *tables, struct piece name)
{
    return find(tables, name, 2);
}

void event_entry_describe(const struct event_entry *entry, struct out *out)
{
    struct piece rest = entry->description;

    while (rest.size > 0) {
        size_t quote = piece_find(rest, '"');
        size_t shown = quote < rest.size ? quote + 1 : quote;
        size_t used = shown < rest.size && quote < rest.size ? shown + 1 : shown;

        piece_put((struct piece){rest.at, shown}, out);
        rest = (struct piece){rest.at + used, rest.size - used};
    }
}

/* Whether a line is the one with the names of the columns, or stands where that should be. */
static bool take_names(struct reader *r, struct piece line)
{
    struct piece rest;
    char shown[PIECE_SHOW_BYTES];
    bool looks_like_names = piece_is(piece_cut(line, ',', &rest), "name");

    if (r->names_seen || (r->users_own && !looks_like_names))
        return false;
    r->names_seen = true;
    if (piece_is(line, EVENT_ROW_NAMES_UNIT)) {
        r->form = ROW_WITH_UNIT;
    } else if (piece_is(line, EVENT_ROW_NAMES)) {
        r->form = ROW_WITHOUT_UNIT;
    } else {
        event_lines_error(&r->lines,
                          "expected '" EVENT_ROW_NAMES_UNIT "', found '%s'; the rest is left out",
                          piece_show(line, shown));
        r->refusing = true;
    }
    return true;
}

/* `for,...`, or `for` alone; false when the line is none. */
static bool take_for(struct reader *r, struct piece line)
{
    struct piece field[EVENT_LINE_FIELDS_MAX] = {0};
    struct piece rest;
    unsigned count;

    if (!r->users_own || !piece_is(piece_cut(line, ',', &rest), "for"))
        return false;
    count = event_line_fields(line, field);
    if (count == 1) {
        r->for_us = MATCH_YES;
        return true;
    }
    if (count == 1 + FOR_FIELDS) {
        r->for_us = event_lines_match(&r->lines, field + 1, r->caps);
    } else {
        event_lines_error(&r->lines, "expected for,vendor,family,models,steppings,core_type, or "
                                     "'for' alone; all lines up to the next are left out");
        r->for_us = MATCH_WRONG;
    }
    if (r->for_us == MATCH_WRONG)
        r->left_out++;
    return true;
}

/* nanoBench's lines have a blank before any comma, or no comma at all. */
static bool take_row(const struct reader *r, struct piece line, struct event_entry *entry)
{
    size_t comma = piece_find(line, ',');

    if (r->users_own && (comma == line.size || piece_find_blank(line) < comma))
        return event_row_nanobench(&r->lines, line, r->layout, entry);
    return event_row_csv(&r->lines, line, r->form, r->layout, entry);
}

static bool add(struct reader *r, const struct event_entry *entry)
{
    struct event_tables *tables = r->tables;
    struct event_entry *same = r->users_own ? find(tables, entry->name, 3) : 0;

    if (same) {
        *same = *entry;
        return true;
    }
    if (tables->count == tables->room) {
        event_lines_error(&r->lines, "there is room for %u events; the rest is left out",
                          (unsigned)tables->room);
        r->refusing = true;
        return false;
    }
    tables->entry[tables->count++] = *entry;
    return true;
}

size_t event_table_read(struct event_tables *tables, const char *text, size_t size,
                        const struct cpu_caps *caps, bool users_own,
                        const struct event_errors *errors)
{
    struct reader r = {
        .tables = tables,
        .caps = caps,
        .layout = select_layout(caps->vendor),
        .users_own = users_own,
        .for_us = MATCH_YES,
        .form = ROW_ANY,
    };
    struct event_entry entry;
    struct piece line;

    r.refusing = !event_lines_open(&r.lines, text, size, FORMAT, errors);
    if (r.refusing) /* all its lines are counted */
        r.lines = (struct event_lines){.at = text, .left = size};
    while (event_lines_next(&r.lines, &line)) {
        if (r.refusing || take_names(&r, line) || take_for(&r, line))
            r.left_out += r.refusing;
        else if (r.for_us != MATCH_YES)
            r.left_out += r.for_us == MATCH_WRONG;
        else if (!take_row(&r, line, &entry) || !add(&r, &entry))
            r.left_out++;
    }
    return r.left_out;
}
