/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/events/index.h"

#define FORMAT       "barecount-index"
#define INDEX_FIELDS (1u + FOR_FIELDS)

static void ignore(void *context, uint32_t line, const char *sentence)
{
    (void)context;
    (void)line;
    (void)sentence;
}

/* No folders, drives or wildcards: the file stands beside the index. */
static bool is_file_name(struct piece name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = piece_lower(name.at[i]);

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_')
            return false;
    }
    return name.size > 4 && piece_is_any_case((struct piece){name.at + name.size - 4, 4}, ".csv");
}

/* A line of the index; false when it is not one, which is complained of. */
static bool take_line(const struct event_lines *lines, struct piece line,
                      struct piece field[EVENT_LINE_FIELDS_MAX])
{
    unsigned count = event_line_fields(line, field);
    char shown[PIECE_SHOW_BYTES];

    if (count != INDEX_FIELDS) {
        event_lines_complain(lines,
                             "expected the %u fields file,vendor,family,models,steppings,"
                             "core_type, found %u in '%s'",
                             INDEX_FIELDS, count, piece_show(line, shown));
        return false;
    }
    if (!is_file_name(field[0])) {
        event_lines_complain(lines, "expected the name of a .csv file beside this one, found '%s'",
                             piece_show(field[0], shown));
        return false;
    }
    return true;
}

struct piece event_index_find(const char *text, size_t size, const struct cpu_caps *caps,
                              const struct event_complaints *complaints)
{
    struct piece line, field[EVENT_LINE_FIELDS_MAX], found = {0};
    struct event_lines lines;

    if (!event_lines_open(&lines, text, size, FORMAT, complaints))
        return found;
    while (event_lines_next(&lines, &line))
        if (take_line(&lines, line, field) &&
            event_lines_match(&lines, field + 1, caps) == MATCH_YES && found.size == 0)
            found = field[0];
    return found;
}

bool event_index_names(const char *text, size_t size, const char *file)
{
    static const struct event_complaints NOBODY = {.line = ignore};
    struct piece line, field[EVENT_LINE_FIELDS_MAX];
    struct event_lines lines;

    if (piece_is_any_case(piece_of(file), "index.csv"))
        return true;
    if (!event_lines_open(&lines, text, size, FORMAT, &NOBODY))
        return false;
    while (event_lines_next(&lines, &line))
        if (take_line(&lines, line, field) && piece_is_any_case(field[0], file))
            return true;
    return false;
}
