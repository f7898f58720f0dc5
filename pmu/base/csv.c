/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes lines of CSV files. */
#include "pmu/base/csv.h"

#define SENTENCE_BYTES 200u

void event_lines_error(const struct event_lines *lines, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];

    OUT_FORMAT(sentence, sizeof(sentence), format);
    lines->errors->line(lines->errors->context, lines->number, sentence);
}

static bool starts_with(const struct event_lines *lines, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (i >= lines->left || lines->at[i] != bytes[i])
            return false;
    return true;
}

bool event_lines_open(struct event_lines *lines, const char *text, size_t size, const char *format,
                      const struct event_errors *errors)
{
    struct piece line, rest, version;
    char shown[PIECE_SHOW_BYTES];

    *lines = (struct event_lines){.at = text, .left = size, .number = 1, .errors = errors};
    if (starts_with(lines, "\xff\xfe", 2) || starts_with(lines, "\xfe\xff", 2)) {
        event_lines_error(lines, "the file is UTF-16; save it as UTF-8 or ANSI text");
        return false;
    }
    lines->number = 0;
    if (starts_with(lines, "\xef\xbb\xbf", 3)) {
        lines->at += 3;
        lines->left -= 3;
    }
    if (!event_lines_next(lines, &line)) {
        lines->number = 1;
        event_lines_error(lines, "the file is empty; expected '%s,1' as its first line", format);
        return false;
    }
    if (!piece_is(piece_cut(line, ',', &rest), format)) {
        event_lines_error(lines, "expected '%s,1' as the first line, found '%s'", format,
                          piece_show(line, shown));
        return false;
    }
    version = piece_cut(rest, ',', &rest);
    if (!piece_is(version, "1")) {
        event_lines_error(lines, "expected version 1 ('%s,1'), found '%s'", format,
                          piece_show(version, shown));
        return false;
    }
    return true;
}

bool event_lines_next(struct event_lines *lines, struct piece *line)
{
    while (lines->left > 0) {
        struct piece text = {lines->at, lines->left};
        size_t end = piece_find(text, '\n');

        lines->at += end < text.size ? end + 1 : end;
        lines->left -= end < text.size ? end + 1 : end;
        lines->number++;
        *line = piece_trim((struct piece){text.at, end});
        if (line->size > 0 && line->at[0] != '#')
            return true;
    }
    return false;
}

/* Cuts a quoted field off a line; false if its closing quote is missing or misplaced. */
static bool cut_quoted(struct piece *line, struct piece *field)
{
    struct piece between;
    size_t end = 1;

    while (end < line->size &&
           (line->at[end] != '"' || (end + 1 < line->size && line->at[end + 1] == '"')))
        end += line->at[end] == '"' ? 2 : 1;
    if (end >= line->size)
        return false;
    *field = (struct piece){line->at + 1, end - 1};
    between = piece_cut((struct piece){line->at + end + 1, line->size - end - 1}, ',', line);
    return between.size == 0;
}

/* Cuts an unquoted field off a line; false if it contains a quote. */
static bool cut_plain(struct piece *line, struct piece *field)
{
    size_t end = 0;

    while (end < line->size && line->at[end] != ',' && line->at[end] != '"')
        end++;
    *field = (struct piece){line->at, end};
    if (end == line->size) {
        *line = (struct piece){0};
        return true;
    }
    *line = (struct piece){line->at + end + 1, line->size - end - 1};
    return line->at[-1] == ',';
}

unsigned event_line_fields(struct piece line, struct piece field[EVENT_LINE_FIELDS_MAX])
{
    unsigned count = 0;

    do {
        struct piece next;

        line = piece_trim(line);
        if (line.size > 0 && line.at[0] == '"' ? !cut_quoted(&line, &next)
                                               : !cut_plain(&line, &next))
            return 0;
        if (count < EVENT_LINE_FIELDS_MAX)
            field[count] = piece_trim(next);
        count++;
    } while (line.at);
    return count;
}

void csv_write(struct out *out, const char *text)
{
    bool quotes = false;

    for (const char *at = text; *at; at++)
        quotes |= *at == ',' || *at == '"' || *at == '\r' || *at == '\n';
    if (quotes)
        out_char(out, '"');
    for (const char *at = text; *at; at++) {
        if (*at == '"')
            out_char(out, '"');
        out_char(out, *at);
    }
    if (quotes)
        out_char(out, '"');
}
