/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes CSV. */
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

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && piece_is_blank(*at))
        at++;
    return at;
}

/* False if the closing quote is missing. */
static bool take_quoted(const char **at, const char *end, struct piece *field)
{
    const char *from = *at + 1, *to = from;

    while (to < end && (*to != '"' || (to + 1 < end && to[1] == '"')))
        to += *to == '"' ? 2 : 1;
    if (to >= end)
        return false;
    *field = piece_trim((struct piece){from, (size_t)(to - from)});
    *at = skip_blanks(to + 1, end);
    return true;
}

static void take_plain(const char **at, const char *end, struct piece *field)
{
    static const bool ENDS[UINT8_MAX + 1] = {[','] = true, ['"'] = true};
    const char *from = *at, *to = from;

    while (to < end && !ENDS[(uint8_t)*to])
        to++;
    *field = piece_trim((struct piece){from, (size_t)(to - from)});
    *at = to;
}

unsigned event_line_fields(struct piece line, struct piece field[EVENT_LINE_FIELDS_MAX])
{
    const char *at = line.at, *const end = line.at + line.size;
    struct piece beyond;

    for (unsigned count = 0;; at++) {
        struct piece *next = count < EVENT_LINE_FIELDS_MAX ? field++ : &beyond;

        count++;
        if (at < end && *at == ',') {
            *next = (struct piece){at, 0};
            continue;
        }
        at = skip_blanks(at, end);
        if (at >= end || *at != '"')
            take_plain(&at, end, next);
        else if (!take_quoted(&at, end, next))
            return 0;
        if (at >= end)
            return count;
        if (*at != ',')
            return 0;
    }
}

void csv_write(struct out *out, const char *text)
{
    bool quotes = false;

    for (const char *at = text; *at; at++)
        quotes |= *at == ',' || *at == '"' || *at == '\r' || *at == '\n';
    if (!quotes) {
        out_text(out, text);
        return;
    }
    out_char(out, '"');
    for (const char *at = text; *at; at++) {
        if (*at == '"')
            out_char(out, '"');
        out_char(out, *at);
    }
    out_char(out, '"');
}
