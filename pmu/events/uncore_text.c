/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the text of an uncore event. */
#include "pmu/events/uncore_text.h"
#include "pmu/events/terms.h"

#define PERF_PREFIX "uncore"

enum what { IS_SELECT, IS_UMASK, IS_CONFIG, IS_EXTRA, IS_RING, IS_NAME };

/*
 * The Intel Xeon Processor Scalable Memory Family Uncore Performance Monitoring Reference Manual,
 * "CHA Filter Registers", describes the filters. The names of the filters are perf's. `which` is
 * enum uncore_extra. `bits` are the term's bits in the select or in the extra register. `u` and `k`
 * are listed only to be refused.
 */
static const struct event_term TERM[] = {
    {"event", {0}, IN_SLASHES, IS_SELECT, 0, UNCORE_SELECT_EVENT},
    {"umask", {0}, IN_SLASHES, IS_UMASK, 0, UNCORE_SELECT_UMASK | UNCORE_SELECT_UMASK_EXT},
    {"config", {0}, IN_SLASHES, IS_CONFIG, 0, UINT64_MAX},
    {"name", {0}, IN_SLASHES, IS_NAME, 0, 0},
    {"edge", {"e"}, ANYWHERE, IS_SELECT, 0, UNCORE_SELECT_E},
    {"inv", {"i"}, ANYWHERE, IS_SELECT, 0, UNCORE_SELECT_INV},
    {"cmask", {"c", "thresh", "t"}, ANYWHERE, IS_SELECT, 0, UNCORE_SELECT_CMASK},
    {"occ_rst", {"occ_ctr_rst"}, ANYWHERE, IS_SELECT, 0, UNCORE_SELECT_OCC_RST},
    {"match", {0}, ANYWHERE, IS_EXTRA, EXTRA_MATCH, UINT64_MAX},
    {"filter0", {"filt0"}, ANYWHERE, IS_EXTRA, EXTRA_FILTER0, UINT32_MAX},
    {"filter1", {"filt1"}, ANYWHERE, IS_EXTRA, EXTRA_FILTER1, UINT32_MAX},
    {"filter_state", {0}, ANYWHERE, IS_EXTRA, EXTRA_FILTER0, 0x3ffull << 17},
    {"filter_opc_0", {0}, ANYWHERE, IS_EXTRA, EXTRA_FILTER1, 0x3ffull << 9},
    {"filter_opc_1", {0}, ANYWHERE, IS_EXTRA, EXTRA_FILTER1, 0x3ffull << 19},
    {"u", {0}, ANYWHERE | UNSAID, IS_RING, 0, 0},
    {"k", {0}, ANYWHERE | UNSAID, IS_RING, 0, 0},
};
static const struct event_terms TERMS = EVENT_TERMS(TERM);
_Static_assert(sizeof(TERM) / sizeof(TERM[0]) <= 32, "bits of parser.seen");

struct parser {
    const struct event_names *names;
    struct uncore_request *request;
    struct out *why;
    uint32_t seen;
};

/*
 * An opcode filter matches only if REM, LOC, NM and NOT_NM are also set, as in perfmon's TOR
 * events.
 */
static uint64_t beside_opcode(const struct event_term *term)
{
    return term->which == EXTRA_FILTER1 && term->bits != UINT32_MAX ? 0x33 : 0;
}

static uint64_t in_field(uint64_t bits, uint64_t value)
{
    return value * (bits & -bits);
}

static uint64_t field_max(uint64_t bits)
{
    return bits / (bits & -bits);
}

static bool set_number(struct parser *p, const struct event_term *term, struct piece text)
{
    struct uncore_request *request = p->request;
    uint64_t max = term->what == IS_UMASK ? (1ull << 40) - 1 : field_max(term->bits);
    uint64_t value = 1;

    if ((text.at || max > 1) && (!piece_number(text, &value) || value > max))
        return event_refuse_number(p->why, term->word, max, text);
    if (term->what == IS_EXTRA) {
        if (request->extra_register)
            return event_refuse(p->why, "expected only one match or filter", piece_of(term->word));
        request->extra_register = (uint8_t)term->which;
        request->extra = in_field(term->bits, value) | beside_opcode(term);
        return true;
    }
    if (request->given & term->bits)
        return event_refuse(p->why, "expected config= or other terms of the select, not both",
                            piece_of(term->word));
    request->given |= term->bits;
    request->select |= term->what == IS_UMASK ? in_field(UNCORE_SELECT_UMASK, value & 0xff) |
                                                    in_field(UNCORE_SELECT_UMASK_EXT, value >> 8)
                                              : in_field(term->bits, value);
    return true;
}

static bool set_term(struct parser *p, const struct event_term *term, struct piece text)
{
    if (!event_take_once(p->why, &TERMS, term, &p->seen))
        return false;
    if (term->what == IS_RING) {
        p->request->has_rings = true;
        return true;
    }
    if (term->what != IS_NAME)
        return set_number(p, term, text);
    p->request->called = text;
    return text.size > 0 || event_refuse(p->why, "expected a name after name=", text);
}

static bool take_terms(struct parser *p, struct piece rest, char separator, unsigned where)
{
    while (rest.at) {
        struct piece text;
        struct piece item = piece_cut(rest, separator, &rest);
        struct piece word = piece_cut(item, '=', &text);
        const struct event_term *term = event_find_term(&TERMS, word, where);

        if (!term && where == BEHIND_COLON && !text.at && event_is_rings(word))
            p->request->has_rings = true;
        else if (!term)
            return event_refuse_term(p->why, &TERMS, where, item);
        else if (!set_term(p, term, text))
            return false;
    }
    return true;
}

static size_t name_size(const struct event_names *names, struct piece text)
{
    size_t size = event_known_size(text, names);

    return size > 0 ? size : event_unknown_size(text, &TERMS);
}

struct piece uncore_text_name(struct piece text, const struct event_names *names)
{
    struct piece whole = piece_trim((struct piece){text.at, event_part_size(text)});

    return piece_trim((struct piece){whole.at, name_size(names, whole)});
}

static bool parse_names(struct parser *p, struct piece text)
{
    struct uncore_request *request = p->request;
    bool last;

    do {
        size_t end = event_part_size(text);
        struct piece whole = piece_trim((struct piece){text.at, end});
        size_t size = name_size(p->names, whole);
        struct piece name = piece_trim((struct piece){whole.at, size});

        last = end == text.size;
        if (!event_part_fits(p->why, whole, name, request->parts, size == whole.size || last))
            return false;
        request->part[request->parts++] = name;
        if (size < whole.size)
            return take_terms(
                p, piece_trim((struct piece){whole.at + size + 1, whole.size - size - 1}), ':',
                BEHIND_COLON);
        if (!last)
            text = (struct piece){text.at + end + 1, text.size - end - 1};
    } while (!last);
    return true;
}

/* Refuses an unknown kind of unit, and also a single unit, such as uncore_cha_3. */
static bool refuse_unit(const struct parser *p, struct piece pmu)
{
    size_t end = pmu.size;

    while (end > 0 && pmu.at[end - 1] >= '0' && pmu.at[end - 1] <= '9')
        end--;
    if (end < pmu.size && end > 0 && pmu.at[end - 1] == '_') {
        enum uncore_kind kind = uncore_kind_of(pmu.at, end - 1);

        if (kind != KIND_NONE) {
            out_printf(p->why,
                       "all units of a kind are counted together; expected " PERF_PREFIX
                       "_%s/ without a number",
                       uncore_kind_name(kind));
            return false;
        }
    }
    out_text(p->why, "expected " PERF_PREFIX "_ and one of");
    for (unsigned i = KIND_NONE + 1; i < UNCORE_KINDS; i++)
        out_printf(p->why, " %s", uncore_kind_name(i));
    return event_refuse(p->why, "", pmu);
}

bool uncore_text_has_terms(struct piece text)
{
    const size_t size = sizeof(PERF_PREFIX) - 1;

    return text.size > size && piece_find(text, '/') < text.size &&
           (text.at[size] == '_' || text.at[size] == '/') &&
           piece_is_any_case((struct piece){text.at, size}, PERF_PREFIX);
}

static bool parse_slashes(struct parser *p, struct piece text)
{
    struct piece rest, behind;
    struct piece pmu = piece_cut(text, '/', &rest);
    size_t end = piece_find(rest, '/');

    p->request->kind = (uint8_t)uncore_kind_of(pmu.at, pmu.size);
    if (p->request->kind == KIND_NONE)
        return refuse_unit(p, pmu);
    if (end == rest.size)
        return event_refuse(p->why, "expected a '/' at the end of the terms", rest);
    behind = piece_trim((struct piece){rest.at + end + 1, rest.size - end - 1});
    if (!take_terms(p, (struct piece){rest.at, end}, ',', IN_SLASHES))
        return false;
    if (!(p->request->given & UNCORE_SELECT_EVENT))
        return event_refuse(p->why, "expected event= between the slashes", text);
    if (behind.size == 0)
        return true;
    if (behind.at[0] == ':')
        behind = (struct piece){behind.at + 1, behind.size - 1};
    return take_terms(p, behind, ':', BEHIND_COLON);
}

enum status uncore_text_parse(struct piece text, const struct event_names *names,
                              struct uncore_request *request, struct out *why)
{
    struct parser p = {.names = names, .request = request, .why = why};
    bool ok;

    *request = (struct uncore_request){0};
    text = piece_trim(text);
    ok = event_is_printable(why, text) &&
         (uncore_text_has_terms(text) ? parse_slashes(&p, text) : parse_names(&p, text));
    return ok ? STATUS_OK : STATUS_EVENT_SYNTAX;
}
