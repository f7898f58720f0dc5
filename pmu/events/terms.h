/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between the forms of an event's text (pmu/events/text.c) and the terms and modifiers in them; and
 * what the terms of a package's events (pmu/events/uncore_text.c) have in common with these.
 */
#ifndef BARECOUNT_PMU_EVENTS_TERMS_H
#define BARECOUNT_PMU_EVENTS_TERMS_H

#include "pmu/events/text.h"

struct event_parser {
    const struct select_layout *layout;
    const struct event_names *names;
    struct event_request *request;
    struct out *why;
    uint32_t seen; /* bit i: term i of pmu/events/text.c */
    bool rings_seen;
};

/* Where a term may stand. */
#define IN_SLASHES   1u /* cpu/term,term/ */
#define BEHIND_COLON 2u /* NAME:term:term */
#define ANYWHERE     (IN_SLASHES | BEHIND_COLON)

/* What was expected and a piece that was found, into `why`. They return false. */
bool event_refuse(struct out *why, const char *expected, struct piece found);
bool event_refuse_number(struct out *why, const char *word, uint64_t max, struct piece found);

/* The same of what is no term: word() has the i-th that may stand there, "": none; null: no more.
 */
bool event_refuse_term(struct out *why, unsigned where, struct piece found,
                       const char *(*word)(unsigned i, unsigned where));

/*
 * Whether a name may be the next part of `A|B:modifiers`, behind so many others: not empty, not too
 * many, and without modifiers unless it is the last. Else it is refused. `whole` has the modifiers.
 */
bool event_part_fits(struct out *why, struct piece whole, struct piece name, unsigned parts,
                     bool modifiers_fit);

/* Whether a word is letters u and k alone, as perf has rings. */
bool event_is_rings(struct piece word);

/* The select that a part is; false for one that no event can have. */
bool event_set_number(struct event_parser *p, struct event_part *part, uint64_t value,
                      struct piece found);

/* The one event between slashes: a name, or a select when `is_number`. */
bool event_set_part(struct event_parser *p, struct piece found, bool is_number, uint64_t value);

/* Takes a term between slashes; event_is_term() tells whether an item is one. */
bool event_take_term(struct event_parser *p, struct piece item);
bool event_is_term(struct piece item);

/* Takes modifiers separated by colons; none when `rest` stands nowhere. */
bool event_take_modifiers(struct event_parser *p, struct piece rest);

/* Whether an item behind a colon is a modifier rather than a part of a name. */
bool event_is_modifier(struct piece item);

#endif
