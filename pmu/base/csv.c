/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/base/csv.h"

#define SENTENCE_BYTES 200u

void event_lines_complain(const struct event_lines *lines, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    struct out out = out_buffer(sentence, sizeof(sentence));
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    lines->complaints->line(lines->complaints->context, lines->number, out_end(&out));
}

static bool starts_with(const struct event_lines *lines, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (i >= lines->left || lines->at[i] != bytes[i])
            return false;
    return true;
}

bool event_lines_open(struct event_lines *lines, const char *text, size_t size, const char *format,
                      const struct event_complaints *complaints)
{
    struct piece line, rest, version;
    char shown[PIECE_SHOW_BYTES];

    *lines = (struct event_lines){.at = text, .left = size, .number = 1, .complaints = complaints};
    if (starts_with(lines, "\xff\xfe", 2) || starts_with(lines, "\xfe\xff", 2)) {
        event_lines_complain(lines, "the file is UTF-16; save it as UTF-8 or ANSI text");
        return false;
    }
    lines->number = 0;
    if (starts_with(lines, "\xef\xbb\xbf", 3)) {
        lines->at += 3;
        lines->left -= 3;
    }
    if (!event_lines_next(lines, &line)) {
        lines->number = 1;
        event_lines_complain(lines, "the file is empty; expected '%s,1' as its first line", format);
        return false;
    }
    if (!piece_is(piece_cut(line, ',', &rest), format)) {
        event_lines_complain(lines, "expected '%s,1' as the first line, found '%s'", format,
                             piece_show(line, shown));
        return false;
    }
    version = piece_cut(rest, ',', &rest);
    if (!piece_is(version, "1")) {
        event_lines_complain(lines, "expected version 1 ('%s,1'), found '%s'", format,
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

/* Cuts a quoted field off a line; false when its end is not found where it must be. */
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

/* Cuts a field without quotes off a line; false when there is one in it. */
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

/* Whether a list of hexadecimal numbers and ranges has a number; an empty one has every number. */
static enum event_match list_has(struct piece list, uint32_t number)
{
    bool found = list.size == 0;

    while (list.size > 0) {
        struct piece last;
        struct piece item = piece_cut(list, ' ', &list);
        struct piece first = piece_cut(item, '-', &last);
        uint64_t low, high;

        if (!piece_hex(first, &low))
            return MATCH_WRONG;
        high = low;
        if (first.size < item.size && (!piece_hex(last, &high) || high < low))
            return MATCH_WRONG;
        found |= low <= number && number <= high;
    }
    return found ? MATCH_YES : MATCH_NO;
}

static enum event_match core_type_is(struct piece type, const struct cpu_caps *caps)
{
    bool is_atom = caps->core_type == CORE_TYPE_ATOM;

    if (type.size == 0)
        return MATCH_YES;
    if (piece_is(type, "core"))
        return is_atom ? MATCH_NO : MATCH_YES;
    if (piece_is(type, "atom"))
        return is_atom ? MATCH_YES : MATCH_NO;
    return MATCH_WRONG;
}

enum event_match event_lines_match(const struct event_lines *lines,
                                   const struct piece field[FOR_FIELDS],
                                   const struct cpu_caps *caps)
{
    static const char *const EXPECTED[FOR_FIELDS] = {
        [FOR_VENDOR] = "the vendor: expected GenuineIntel or AuthenticAMD",
        [FOR_FAMILY] = "the family: expected hexadecimal numbers, as '6' or '17 19'",
        [FOR_MODELS] = "the models: expected hexadecimal numbers, as '97 9a' or '0-f'",
        [FOR_STEPPINGS] = "the steppings: expected hexadecimal numbers, as '0-4'",
        [FOR_CORE_TYPE] = "the core type: expected 'core', 'atom' or nothing",
    };
    const struct piece vendor = field[FOR_VENDOR];
    bool known =
        vendor.size == 0 || piece_is(vendor, "GenuineIntel") || piece_is(vendor, "AuthenticAMD");
    const enum event_match match[FOR_FIELDS] = {
        [FOR_VENDOR] = !known                                                  ? MATCH_WRONG
                       : vendor.size == 0 || piece_is(vendor, caps->vendor_id) ? MATCH_YES
                                                                               : MATCH_NO,
        [FOR_FAMILY] = list_has(field[FOR_FAMILY], caps->family),
        [FOR_MODELS] = list_has(field[FOR_MODELS], caps->model),
        [FOR_STEPPINGS] = list_has(field[FOR_STEPPINGS], caps->stepping),
        [FOR_CORE_TYPE] = core_type_is(field[FOR_CORE_TYPE], caps),
    };
    enum event_match all = MATCH_YES;
    char shown[PIECE_SHOW_BYTES];

    for (unsigned i = 0; i < FOR_FIELDS; i++) {
        if (match[i] == MATCH_WRONG) {
            event_lines_complain(lines, "%s, found '%s'", EXPECTED[i], piece_show(field[i], shown));
            return MATCH_WRONG;
        }
        if (match[i] == MATCH_NO)
            all = MATCH_NO;
    }
    return all;
}
