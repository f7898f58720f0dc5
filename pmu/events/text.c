/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms of an event's text, its terms and modifiers. */
#include "pmu/cpu/caps.h"
#include "pmu/base/bytes.h"
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

enum kind { IS_FIELD, IS_RING, IS_EXTRA, IS_CONFIG, IS_NAME };

struct term {
    const char *word;
    const char *other; /* libpfm4's word for it */
    unsigned where;
    enum kind kind;
    uint32_t what; /* the field, the ring, or the extra register */
    uint64_t max;  /* of an extra register's value */
};

static const struct term TERMS[] = {
    {"event", "", IN_SLASHES, IS_FIELD, SELECT_EVENT, 0},
    {"umask", "", IN_SLASHES, IS_FIELD, SELECT_UMASK, 0},
    {"cmask", "c", ANYWHERE, IS_FIELD, SELECT_CMASK, 0},
    {"inv", "i", ANYWHERE, IS_FIELD, SELECT_INV, 0},
    {"edge", "e", ANYWHERE, IS_FIELD, SELECT_E, 0},
    {"any", "t", ANYWHERE, IS_FIELD, SELECT_ANY, 0},
    {"in_tx", "intx", ANYWHERE, IS_FIELD, SELECT_IN_TX, 0},
    {"in_tx_cp", "intxcp", ANYWHERE, IS_FIELD, SELECT_IN_TXCP, 0},
    {"eq", "", ANYWHERE, IS_FIELD, SELECT_EQ, 0},
    {"offcore_rsp", "", ANYWHERE, IS_EXTRA, 0x1a6, UINT64_MAX},
    {"ldlat", "", ANYWHERE, IS_EXTRA, 0x3f6, 0xffff},
    {"frontend", "", ANYWHERE, IS_EXTRA, 0x3f7, 0xffffff},
    {"config", "", IN_SLASHES, IS_CONFIG, 0, 0},
    {"name", "", IN_SLASHES, IS_NAME, 0, 0},
    {"u", "", BEHIND_COLON, IS_RING, RING_USR, 0},
    {"k", "", BEHIND_COLON, IS_RING, RING_OS, 0},
};
#define TERMS_COUNT (sizeof(TERMS) / sizeof(TERMS[0]))
_Static_assert(TERMS_COUNT <= 32, "bits of parser.seen");

bool event_refuse(struct out *why, const char *expected, struct piece found)
{
    char shown[PIECE_SHOW_BYTES];

    out_printf(why, "%s, found '%s'", expected, piece_show(found, shown));
    return false;
}

bool event_refuse_number(struct out *why, const char *word, uint64_t max, struct piece found)
{
    char shown[PIECE_SHOW_BYTES];

    out_printf(why, "%s: expected a number from 0 to %llu, found '%s'", word,
               (unsigned long long)max, piece_show(found, shown));
    return false;
}

bool event_refuse_term(struct out *why, unsigned where, struct piece found,
                       const char *(*word)(unsigned i, unsigned where))
{
    const char *before = "", *next;
    char shown[PIECE_SHOW_BYTES];

    out_printf(why, "unknown %s '%s'; expected ", where == IN_SLASHES ? "term" : "modifier",
               piece_show(found, shown));
    for (unsigned i = 0; (next = word(i, where)) != 0; i++)
        if (next[0]) {
            out_printf(why, "%s%s", before, next);
            before = ", ";
        }
    return false;
}

bool event_part_fits(struct out *why, struct piece whole, struct piece name, unsigned parts,
                     bool modifiers_fit)
{
    if (name.size == 0)
        return event_refuse(why, "expected the name of an event", whole);
    if (parts == EVENT_PARTS_MAX)
        return event_refuse(why, "expected at most 8 unit masks", name);
    return modifiers_fit || event_refuse(why, "expected modifiers at the end only", whole);
}

bool event_is_rings(struct piece word)
{
    for (size_t i = 0; i < word.size; i++)
        if (piece_lower(word.at[i]) != 'u' && piece_lower(word.at[i]) != 'k')
            return false;
    return word.size > 0;
}

static const char *word_of(unsigned i, unsigned where)
{
    if (i >= TERMS_COUNT)
        return 0;
    return TERMS[i].where & where ? TERMS[i].word : "";
}

static const struct term *find_term(struct piece word, unsigned where)
{
    for (unsigned i = 0; i < TERMS_COUNT; i++)
        if (TERMS[i].where & where && (piece_is_any_case(word, TERMS[i].word) ||
                                       (word.size > 0 && piece_is_any_case(word, TERMS[i].other))))
            return &TERMS[i];
    return 0;
}

static bool set_field(struct event_parser *p, const struct term *term, struct piece text)
{
    enum select_field field = (enum select_field)term->what;
    uint64_t max = select_max(p->layout, field);
    uint64_t value = 1;

    if (max == 0)
        return event_refuse(p->why, "this vendor's CPUs have no such field", piece_of(term->word));
    if ((text.at || max > 1) && (!piece_number(text, &value) || value > max))
        return event_refuse_number(p->why, term->word, max, text);
    select_set(p->layout, field, value, &p->request->select);
    p->request->given |= p->layout->field[field];
    return true;
}

static bool set_ring(struct event_parser *p, const struct term *term, struct piece text)
{
    uint64_t value = 1;

    if (text.at && (!piece_number(text, &value) || value > 1))
        return event_refuse_number(p->why, term->word, 1, text);
    p->rings_seen = true;
    if (value)
        p->request->rings |= (uint8_t)term->what;
    return true;
}

static bool set_extra(struct event_parser *p, const struct term *term, struct piece text)
{
    uint64_t value;

    if (p->request->extra_msr)
        return event_refuse(p->why, "expected only one of offcore_rsp, ldlat and frontend",
                            piece_of(term->word));
    if (!piece_number(text, &value) || value > term->max)
        return event_refuse_number(p->why, term->word, term->max, text);
    p->request->extra_msr = term->what;
    p->request->extra = value;
    return true;
}

bool event_set_number(struct event_parser *p, struct event_part *part, uint64_t value,
                      struct piece found)
{
    if (value & ~select_bits(p->layout))
        return event_refuse(
            p->why, "expected a select without USR, OS, PC, INT, EN and reserved bits", found);
    part->select = value;
    part->is_number = true;
    return true;
}

bool event_set_part(struct event_parser *p, struct piece found, bool is_number, uint64_t value)
{
    struct event_part *part = &p->request->part[0];

    if (p->request->parts > 0)
        return event_refuse(p->why, "expected one event between the slashes", found);
    p->request->parts = 1;
    part->name = found;
    return !is_number || event_set_number(p, part, value, found);
}

static bool set_term(struct event_parser *p, const struct term *term, struct piece text)
{
    uint64_t value;

    if (p->seen >> (term - TERMS) & 1)
        return event_refuse(p->why, "expected each modifier once", piece_of(term->word));
    p->seen |= 1u << (term - TERMS);
    switch (term->kind) {
    case IS_FIELD:
        return set_field(p, term, text);
    case IS_RING:
        return set_ring(p, term, text);
    case IS_EXTRA:
        return set_extra(p, term, text);
    case IS_CONFIG:
        if (!piece_number(text, &value))
            return event_refuse_number(p->why, term->word, UINT64_MAX, text);
        return event_set_part(p, text, true, value);
    default:
        p->request->called = text;
        return text.size > 0 || event_refuse(p->why, "expected a name behind name=", text);
    }
}

static bool take_modifier(struct event_parser *p, struct piece item)
{
    struct piece text;
    struct piece word = piece_cut(item, '=', &text);
    const struct term *term = find_term(word, BEHIND_COLON);

    if (term)
        return set_term(p, term, text);
    if (text.at || !event_is_rings(word))
        return event_refuse_term(p->why, BEHIND_COLON, item, word_of);
    for (size_t i = 0; i < word.size; i++)
        if (!set_term(p, find_term((struct piece){word.at + i, 1}, BEHIND_COLON), text))
            return false;
    return true;
}

bool event_take_modifiers(struct event_parser *p, struct piece rest)
{
    while (rest.at)
        if (!take_modifier(p, piece_cut(rest, ':', &rest)))
            return false;
    if (!p->rings_seen || p->request->rings)
        return true;
    out_text(p->why, "expected a ring to count in, u or k; both are 0");
    return false;
}

bool event_is_modifier(struct piece item)
{
    struct piece text;
    struct piece word = piece_cut(item, '=', &text);

    return find_term(word, BEHIND_COLON) || event_is_rings(word);
}

bool event_is_term(struct piece item)
{
    struct piece text;

    return find_term(piece_cut(item, '=', &text), IN_SLASHES);
}

bool event_take_term(struct event_parser *p, struct piece item)
{
    struct piece text;
    const struct term *term = find_term(piece_cut(item, '=', &text), IN_SLASHES);

    return term ? set_term(p, term, text) : event_refuse_term(p->why, IN_SLASHES, item, word_of);
}

#define SHOWN_BYTES_MAX 64u /* of a text in a sentence */
#define CUT_BYTES       9u  /* '~' and a checksum */

void event_put_name(struct piece text, struct event *event)
{
    struct out out = out_buffer(event->name, sizeof(event->name));

    if (text.size < EVENT_NAME_BYTES) {
        piece_put(text, &out);
    } else {
        piece_put((struct piece){text.at, EVENT_NAME_BYTES - 1 - CUT_BYTES}, &out);
        out_printf(&out, "~%08x", crc32_ieee(0, text.at, text.size));
    }
    out_end(&out);
}

void event_put_why(struct piece text, enum status status, const char *more, struct out *why)
{
    if (status == STATUS_OK)
        return;
    piece_put((struct piece){text.at, text.size < SHOWN_BYTES_MAX ? text.size : SHOWN_BYTES_MAX},
              why);
    out_printf(why, "%s: ", text.size > SHOWN_BYTES_MAX ? "..." : "");
    if (status != STATUS_EVENT_SYNTAX)
        out_text(why, status_text(status));
    out_text(why, more);
}
