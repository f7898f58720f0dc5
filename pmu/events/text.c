/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the text of a core event. */
#include "pmu/cpu/caps.h"
#include "pmu/base/bytes.h"
#include "pmu/base/text.h"
#include "pmu/events/terms.h"

#define RAW_DIGITS_MAX 16u

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

bool event_is_printable(struct out *why, struct piece text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] != text_printable((uint8_t)text.at[i]))
            return event_refuse(why, "expected printable ASCII", text);
    return true;
}

const struct event_term *event_find_term(const struct event_terms *terms, struct piece word,
                                         unsigned where)
{
    for (unsigned i = 0; i < terms->count; i++) {
        const struct event_term *term = &terms->term[i];
        bool is = piece_is_any_case(word, term->word);

        for (unsigned j = 0; j < EVENT_TERM_OTHERS && term->other[j]; j++)
            is |= piece_is_any_case(word, term->other[j]);
        if (is && term->where & where)
            return term;
    }
    return 0;
}

bool event_refuse_term(struct out *why, const struct event_terms *terms, unsigned where,
                       struct piece found)
{
    const char *before = "";
    char shown[PIECE_SHOW_BYTES];

    out_printf(why, "unknown %s '%s'; expected ", where == IN_SLASHES ? "term" : "modifier",
               piece_show(found, shown));
    for (unsigned i = 0; i < terms->count; i++)
        if (terms->term[i].where & where && !(terms->term[i].where & UNSAID)) {
            out_printf(why, "%s%s", before, terms->term[i].word);
            before = ", ";
        }
    return false;
}

bool event_take_once(struct out *why, const struct event_terms *terms,
                     const struct event_term *term, uint32_t *seen)
{
    uint32_t bit = 1u << (term - terms->term);

    if (*seen & bit)
        return event_refuse(why, "expected each modifier once", piece_of(term->word));
    *seen |= bit;
    return true;
}

size_t event_part_size(struct piece text)
{
    size_t bar = piece_find(text, '|'), plus = piece_find(text, '+');

    return bar < plus ? bar : plus;
}

static bool is_known(const struct event_names *names, struct piece name)
{
    return name.size > 0 && name.size < EVENT_NAME_BYTES && names->known(names->context, name);
}

size_t event_known_size(struct piece text, const struct event_names *names)
{
    size_t end = text.size < EVENT_NAME_BYTES ? text.size : EVENT_NAME_BYTES;

    while (end > 0 && ((end < text.size && text.at[end] != ':') ||
                       !is_known(names, piece_trim((struct piece){text.at, end}))))
        end--;
    return end;
}

size_t event_unknown_size(struct piece text, const struct event_terms *terms)
{
    size_t end = piece_find(text, ':');

    while (end < text.size) {
        struct piece value, rest = {text.at + end + 1, text.size - end - 1};
        size_t size = piece_find(rest, ':');
        struct piece word = piece_cut(piece_trim((struct piece){rest.at, size}), '=', &value);

        if (event_find_term(terms, word, BEHIND_COLON) || event_is_rings(word))
            break;
        end += 1 + size;
    }
    return end;
}

enum what { IS_FIELD, IS_RING, IS_EXTRA, IS_CONFIG, IS_NAME };

/* `which` is the field, the ring or the extra register. `bits` are the register's valid bits. */
static const struct event_term TERM[] = {
    {"event", {0}, IN_SLASHES, IS_FIELD, SELECT_EVENT, 0},
    {"umask", {0}, IN_SLASHES, IS_FIELD, SELECT_UMASK, 0},
    {"cmask", {"c"}, ANYWHERE, IS_FIELD, SELECT_CMASK, 0},
    {"inv", {"i"}, ANYWHERE, IS_FIELD, SELECT_INV, 0},
    {"edge", {"e"}, ANYWHERE, IS_FIELD, SELECT_E, 0},
    {"any", {"t"}, ANYWHERE, IS_FIELD, SELECT_ANY, 0},
    {"in_tx", {"intx"}, ANYWHERE, IS_FIELD, SELECT_IN_TX, 0},
    {"in_tx_cp", {"intxcp"}, ANYWHERE, IS_FIELD, SELECT_IN_TXCP, 0},
    {"eq", {0}, ANYWHERE, IS_FIELD, SELECT_EQ, 0},
    {"prec_ret", {0}, ANYWHERE, IS_FIELD, SELECT_PREC_RET, 0},
    {"offcore_rsp", {0}, ANYWHERE, IS_EXTRA, 0x1a6, UINT64_MAX},
    {"ldlat", {0}, ANYWHERE, IS_EXTRA, 0x3f6, 0xffff},
    {"frontend", {0}, ANYWHERE, IS_EXTRA, 0x3f7, 0xffffff},
    {"config", {0}, IN_SLASHES, IS_CONFIG, 0, 0},
    {"name", {0}, IN_SLASHES, IS_NAME, 0, 0},
    {"u", {0}, BEHIND_COLON, IS_RING, RING_USR, 0},
    {"k", {0}, BEHIND_COLON, IS_RING, RING_OS, 0},
};
static const struct event_terms TERMS = EVENT_TERMS(TERM);
_Static_assert(sizeof(TERM) / sizeof(TERM[0]) <= 32, "bits of parser.seen");

struct parser {
    const struct select_layout *layout;
    const struct event_names *names;
    struct event_request *request;
    struct out *why;
    uint32_t seen;
    bool rings_seen;
};

static bool set_field(struct parser *p, const struct event_term *term, struct piece text)
{
    enum select_field field = (enum select_field)term->which;
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

static bool set_ring(struct parser *p, const struct event_term *term, struct piece text)
{
    uint64_t value = 1;

    if (text.at && (!piece_number(text, &value) || value > 1))
        return event_refuse_number(p->why, term->word, 1, text);
    p->rings_seen = true;
    if (value)
        p->request->rings |= (uint8_t)term->which;
    return true;
}

static bool set_extra(struct parser *p, const struct event_term *term, struct piece text)
{
    uint64_t value;

    if (p->request->extra_msr)
        return event_refuse(p->why, "expected only one of offcore_rsp, ldlat and frontend",
                            piece_of(term->word));
    if (!piece_number(text, &value) || value > term->bits)
        return event_refuse_number(p->why, term->word, term->bits, text);
    p->request->extra_msr = term->which;
    p->request->extra = value;
    return true;
}

static bool set_number(struct parser *p, struct event_part *part, uint64_t value,
                       struct piece found)
{
    if (value & ~select_bits(p->layout))
        return event_refuse(
            p->why, "expected a select without USR, OS, PC, INT, EN and reserved bits", found);
    part->select = value;
    part->is_number = true;
    return true;
}

static bool set_part(struct parser *p, struct piece found, bool is_number, uint64_t value)
{
    struct event_part *part = &p->request->part[0];

    if (p->request->parts > 0)
        return event_refuse(p->why, "expected one event between the slashes", found);
    p->request->parts = 1;
    part->name = found;
    return !is_number || set_number(p, part, value, found);
}

static bool set_term(struct parser *p, const struct event_term *term, struct piece text)
{
    uint64_t value;

    if (!event_take_once(p->why, &TERMS, term, &p->seen))
        return false;
    switch (term->what) {
    case IS_FIELD:
        return set_field(p, term, text);
    case IS_RING:
        return set_ring(p, term, text);
    case IS_EXTRA:
        return set_extra(p, term, text);
    case IS_CONFIG:
        if (!piece_number(text, &value))
            return event_refuse_number(p->why, term->word, UINT64_MAX, text);
        return set_part(p, text, true, value);
    default:
        p->request->called = text;
        return text.size > 0 || event_refuse(p->why, "expected a name after name=", text);
    }
}

static bool take_modifier(struct parser *p, struct piece item)
{
    struct piece text;
    struct piece word = piece_cut(item, '=', &text);
    const struct event_term *term = event_find_term(&TERMS, word, BEHIND_COLON);

    if (term)
        return set_term(p, term, text);
    if (text.at || !event_is_rings(word))
        return event_refuse_term(p->why, &TERMS, BEHIND_COLON, item);
    for (size_t i = 0; i < word.size; i++)
        if (!set_term(p, event_find_term(&TERMS, (struct piece){word.at + i, 1}, BEHIND_COLON),
                      text))
            return false;
    return true;
}

static bool take_modifiers(struct parser *p, struct piece rest)
{
    while (rest.at)
        if (!take_modifier(p, piece_cut(rest, ':', &rest)))
            return false;
    if (!p->rings_seen || p->request->rings)
        return true;
    out_text(p->why, "expected a ring to count in; the modifiers u and k are both 0");
    return false;
}

static const struct event_term *find_slash_term(struct piece item, struct piece *text)
{
    return event_find_term(&TERMS, piece_cut(item, '=', text), IN_SLASHES);
}

static bool take_term(struct parser *p, struct piece item)
{
    struct piece text;
    const struct event_term *term = find_slash_term(item, &text);

    return term ? set_term(p, term, text) : event_refuse_term(p->why, &TERMS, IN_SLASHES, item);
}

static bool is_raw(struct piece piece, uint64_t *value)
{
    if (piece.size < 2 || piece.size > 1 + RAW_DIGITS_MAX || piece_lower(piece.at[0]) != 'r' ||
        piece_find(piece, 'x') < piece.size || piece_find(piece, 'X') < piece.size)
        return false;
    return piece_hex((struct piece){piece.at + 1, piece.size - 1}, value);
}

/*
 * The length of the name in `NAME:UMASK:modifier`, preferably of the longest known name. A number
 * ends at the first colon. Any other unknown name ends at the first modifier.
 */
static size_t name_size(const struct parser *p, struct piece text)
{
    size_t size = event_known_size(text, p->names);
    uint64_t value;

    if (size > 0)
        return size;
    size = piece_find(text, ':');
    if (is_raw(piece_trim((struct piece){text.at, size}), &value))
        return size;
    return event_unknown_size(text, &TERMS);
}

static bool parse_names(struct parser *p, struct piece text)
{
    struct event_request *request = p->request;
    bool last;

    do {
        size_t end = event_part_size(text);
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
        if (!is_known(p->names, name) && is_raw(name, &value) && !set_number(p, part, value, name))
            return false;
        if (size < whole.size)
            return take_modifiers(
                p, piece_trim((struct piece){whole.at + size + 1, whole.size - size - 1}));
        if (!last)
            text = (struct piece){text.at + end + 1, text.size - end - 1};
    } while (!last);
    return true;
}

static bool take_slash_item(struct parser *p, struct piece item)
{
    struct piece text;
    uint64_t value = 0;
    bool is_number;

    if (find_slash_term(item, &text) || item.size == 0 || piece_find(item, '=') < item.size)
        return take_term(p, item);
    is_number = !is_known(p->names, item) && is_raw(item, &value);
    return set_part(p, item, is_number, value);
}

static bool parse_slashes(struct parser *p, struct piece text)
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
        /* event= already gives the event, so this name can only be an unknown term. */
        if (p->request->parts > 0 && !part->is_number)
            return take_term(p, part->name);
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
    return take_modifiers(p, rings);
}

/*
 * Whether a text begins with perf's name of a PMU and a slash. *rest is the text after the slash.
 */
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
    struct parser p = {.layout = layout, .names = names, .request = request, .why = why};
    struct piece rest;
    bool ok;

    *request = (struct event_request){0};
    text = piece_trim(text);
    ok = event_is_printable(why, text);
    if (ok && starts_slashes(text, &rest, &request->core_type))
        ok = parse_slashes(&p, rest);
    else if (ok)
        ok = parse_names(&p, text);
    return ok ? STATUS_OK : STATUS_EVENT_SYNTAX;
}

#define SHOWN_BYTES_MAX 64u /* characters of an event's text in a sentence */
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

void event_rename(struct piece name, struct event *event)
{
    struct event was = *event;
    size_t own = name.size + 1;

    for (size_t i = 0; i < sizeof(event->name); i++)
        event->name[i] = i < name.size ? name.at[i] : 0;
    if (own + text_length(was.name) < sizeof(event->name))
        text_copy(event->name + own, sizeof(event->name) - own, was.name);
}

const char *event_table_name(const struct event *event)
{
    size_t own = text_length(event->name) + 1;

    return own < sizeof(event->name) && event->name[own] ? event->name + own : event->name;
}

void event_begin(struct piece text, uint8_t rings, struct event *event)
{
    *event = (struct event){
        .arch = EVENT_NOT_ARCH,
        .fixed = EVENT_NOT_FIXED,
        .declared = EVENT_UNDECLARED,
        .rings = rings,
    };
    event_put_name(text, event);
}

static void put_shown(struct piece text, struct out *out)
{
    piece_put((struct piece){text.at, text.size < SHOWN_BYTES_MAX ? text.size : SHOWN_BYTES_MAX},
              out);
    out_text(out, text.size > SHOWN_BYTES_MAX ? "...: " : ": ");
}

const char *event_why_alone(struct piece text, const char *why)
{
    char shown[SHOWN_BYTES_MAX + sizeof("...: ")];
    struct out out = out_buffer(shown, sizeof(shown));

    put_shown(text, &out);
    return why + out.used;
}

enum status event_end(struct piece text, enum status status, const char *more, struct event *event,
                      struct out *why)
{
    event->status = (uint8_t)status;
    if (status == STATUS_OK)
        return status;
    put_shown(text, why);
    if (status != STATUS_EVENT_SYNTAX)
        out_text(why, status_text(status));
    out_text(why, more);
    return status;
}
