/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/events/terms.h"

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
