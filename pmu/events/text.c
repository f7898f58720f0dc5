/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/cpu/caps.h"
#include "pmu/events/terms.h"

#define RAW_DIGITS_MAX 16u

/* r and hexadecimal digits. */
static bool is_raw(struct piece piece, uint64_t *value)
{
    if (piece.size < 2 || piece.size > 1 + RAW_DIGITS_MAX || piece_lower(piece.at[0]) != 'r' ||
        piece_find(piece, 'x') < piece.size || piece_find(piece, 'X') < piece.size)
        return false;
    return piece_hex((struct piece){piece.at + 1, piece.size - 1}, value);
}

static bool is_known(const struct event_parser *p, struct piece name)
{
    return name.size > 0 && name.size < EVENT_NAME_BYTES &&
           p->names->known(p->names->context, name);
}

/*
 * How much of `NAME:UMASK:modifier` is the name: the most that is known as one; else what stands
 * before the first colon, if it is a number, or before the first modifier.
 */
static size_t name_size(const struct event_parser *p, struct piece text)
{
    size_t first = piece_find(text, ':');
    size_t end = text.size < EVENT_NAME_BYTES ? text.size : EVENT_NAME_BYTES;
    uint64_t value;

    for (; end > 0; end--)
        if ((end == text.size || text.at[end] == ':') &&
            is_known(p, piece_trim((struct piece){text.at, end})))
            return end;
    if (is_raw(piece_trim((struct piece){text.at, first}), &value))
        return first;
    for (end = first; end < text.size;) {
        struct piece rest = {text.at + end + 1, text.size - end - 1};
        size_t size = piece_find(rest, ':');

        if (event_is_modifier(piece_trim((struct piece){rest.at, size})))
            break;
        end += 1 + size;
    }
    return end;
}

/* The parts of `A|B:modifiers`. */
static bool parse_names(struct event_parser *p, struct piece text)
{
    struct event_request *request = p->request;
    bool last;

    do {
        size_t bar = piece_find(text, '|'), plus = piece_find(text, '+');
        size_t end = bar < plus ? bar : plus;
        struct piece whole = piece_trim((struct piece){text.at, end});
        size_t size = name_size(p, whole);
        struct piece name = piece_trim((struct piece){whole.at, size});
        struct event_part *part = &request->part[request->parts];
        uint64_t value;

        last = end == text.size;
        if (!event_part_fits(p->why, whole, name, request->parts, size == whole.size || last))
            return false;
        *part = (struct event_part){.name = name};
        request->parts++;
        if (!is_known(p, name) && is_raw(name, &value) && !event_set_number(p, part, value, name))
            return false;
        if (size < whole.size)
            return event_take_modifiers(
                p, piece_trim((struct piece){whole.at + size + 1, whole.size - size - 1}));
        if (!last)
            text = (struct piece){text.at + end + 1, text.size - end - 1};
    } while (!last);
    return true;
}

static bool take_slash_item(struct event_parser *p, struct piece item)
{
    uint64_t value = 0;
    bool is_number;

    if (event_is_term(item) || item.size == 0 || piece_find(item, '=') < item.size)
        return event_take_term(p, item);
    is_number = !is_known(p, item) && is_raw(item, &value);
    return event_set_part(p, item, is_number, value);
}

/* What stands behind `cpu/`. */
static bool parse_slashes(struct event_parser *p, struct piece text)
{
    size_t end = piece_find(text, '/');
    struct piece rest = {text.at, end};
    struct piece rings;
    struct event_part *part = &p->request->part[0];

    if (end == text.size)
        return event_refuse(p->why, "expected a '/' at the end of the terms", text);
    while (rest.at)
        if (!take_slash_item(p, piece_cut(rest, ',', &rest)))
            return false;
    if (p->request->given & p->layout->field[SELECT_EVENT]) {
        if (p->request->parts > 0 && !part->is_number) /* beside event=, a word is no name */
            return event_take_term(p, part->name);
        part->is_number = true;
        p->request->parts = 1;
    }
    if (p->request->parts == 0)
        return event_refuse(p->why, "expected event= between the slashes", text);
    rings = piece_trim((struct piece){text.at + end + 1, text.size - end - 1});
    if (rings.size > 0 && rings.at[0] == ':')
        rings = (struct piece){rings.at + 1, rings.size - 1};
    else if (rings.size == 0)
        rings.at = 0;
    return event_take_modifiers(p, rings);
}

/* perf's name of a PMU with a slash behind it, and what stands behind that. */
static bool starts_slashes(struct piece text, struct piece *rest, uint8_t *core_type)
{
    static const struct {
        const char *word;
        uint8_t core_type;
    } PMUS[] = {{"cpu", 0}, {"cpu_core", CORE_TYPE_CORE}, {"cpu_atom", CORE_TYPE_ATOM}};
    struct piece pmu = piece_cut(text, '/', rest);

    for (unsigned i = 0; rest->at && i < sizeof(PMUS) / sizeof(PMUS[0]); i++)
        if (piece_is(pmu, PMUS[i].word)) {
            *core_type = PMUS[i].core_type;
            return true;
        }
    return false;
}

enum status event_text_parse(struct piece text, const struct select_layout *layout,
                             const struct event_names *names, struct event_request *request,
                             struct out *why)
{
    struct event_parser p = {.layout = layout, .names = names, .request = request, .why = why};
    struct piece rest;
    bool ok = true;

    *request = (struct event_request){0};
    text = piece_trim(text);
    for (size_t i = 0; i < text.size && ok; i++)
        if (text.at[i] < ' ' || text.at[i] > '~')
            ok = event_refuse(p.why, "expected printable ASCII", text);
    if (ok && starts_slashes(text, &rest, &request->core_type))
        ok = parse_slashes(&p, rest);
    else if (ok)
        ok = parse_names(&p, text);
    return ok ? STATUS_OK : STATUS_EVENT_SYNTAX;
}
