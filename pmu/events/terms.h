/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the texts of a CPU's events (pmu/events/text.c) and of a package's
 * (pmu/events/uncore_text.c) have in common: terms and modifiers.
 */
#ifndef BARECOUNT_PMU_EVENTS_TERMS_H
#define BARECOUNT_PMU_EVENTS_TERMS_H

#include "pmu/events/text.h"

/* Where a term may stand. */
#define IN_SLASHES   1u /* cpu/term,term/ */
#define BEHIND_COLON 2u /* NAME:term:term */
#define ANYWHERE     (IN_SLASHES | BEHIND_COLON)
#define UNSAID       4u /* not among those that are expected */

#define EVENT_TERM_OTHERS 3u

/* A term; the file with the table says what `what` and `which` mean. */
struct event_term {
    const char *word;
    const char *other[EVENT_TERM_OTHERS]; /* libpfm4's words for it, and perfmon's */
    uint8_t where;
    uint8_t what;
    uint32_t which;
    uint64_t bits;
};

/* A table of them, at most 32. */
struct event_terms {
    const struct event_term *term;
    unsigned count;
};
#define EVENT_TERMS(table)                                                                         \
    {                                                                                              \
        table, sizeof(table) / sizeof((table)[0])                                                  \
    }

/* What was expected and a piece that was found, into `why`. They return false. */
bool event_refuse(struct out *why, const char *expected, struct piece found);
bool event_refuse_number(struct out *why, const char *word, uint64_t max, struct piece found);

/*
 * Whether a name may be the next part of `A|B:modifiers`, behind so many others: not empty, not too
 * many, and without modifiers unless it is the last. Else it is refused. `whole` has the modifiers.
 */
bool event_part_fits(struct out *why, struct piece whole, struct piece name, unsigned parts,
                     bool modifiers_fit);

/* Whether a word is letters u and k alone, as perf has rings. */
bool event_is_rings(struct piece word);

/* Whether a text is printable ASCII; else it is refused. */
bool event_is_printable(struct out *why, struct piece text);

/* The term of a word of any case that may stand there, or null. */
const struct event_term *event_find_term(const struct event_terms *terms, struct piece word,
                                         unsigned where);

/* Refuses what is no term. */
bool event_refuse_term(struct out *why, const struct event_terms *terms, unsigned where,
                       struct piece found);

/* Sets a term's bit in *seen; refuses it a second time. */
bool event_take_once(struct out *why, const struct event_terms *terms,
                     const struct event_term *term, uint32_t *seen);

/* Where the first of the parts that are ORed ends. */
size_t event_part_size(struct piece text);

/* How much of `NAME:UMASK:modifier` is the name: the most that is known as one, 0: nothing is. */
size_t event_known_size(struct piece text, const struct event_names *names);

/* The same of an unknown one: what stands before the first modifier. */
size_t event_unknown_size(struct piece text, const struct event_terms *terms);

#endif
