/* SPDX-License-Identifier: BSD-2-Clause */
/* Terms and modifiers in the texts of core events (text.c) and uncore events (uncore_text.c). */
#ifndef BARECOUNT_PMU_EVENTS_TERMS_H
#define BARECOUNT_PMU_EVENTS_TERMS_H

#include "pmu/events/text.h"

#define IN_SLASHES   1u /* cpu/term,term/ */
#define BEHIND_COLON 2u /* NAME:term:term */
#define ANYWHERE     (IN_SLASHES | BEHIND_COLON)
#define UNSAID       4u /* not listed in error messages */

#define EVENT_TERM_OTHERS 3u

/* `what`, `which` and `bits` have different meanings in text.c and in uncore_text.c. */
struct event_term {
    const char *word;
    const char *other[EVENT_TERM_OTHERS]; /* words for this term in libpfm4 and perfmon */
    uint8_t where;
    uint8_t what;
    uint32_t which;
    uint64_t bits;
};

/* At most 32 terms. */
struct event_terms {
    const struct event_term *term;
    unsigned count;
};
#define EVENT_TERMS(table)                                                                         \
    {                                                                                              \
        table, sizeof(table) / sizeof((table)[0])                                                  \
    }

/* Write to `why` what was expected and found, and return false. */
bool event_refuse(struct out *why, const char *expected, struct piece found);
bool event_refuse_number(struct out *why, const char *word, uint64_t max, struct piece found);

/*
 * Whether `name` may be the next part of `A|B:modifiers`, after `parts` other parts; if not, `why`
 * gets the reason. `whole` is the part with its modifiers. modifiers_fit: the part has no
 * modifiers, or is the last one.
 */
bool event_part_fits(struct out *why, struct piece whole, struct piece name, unsigned parts,
                     bool modifiers_fit);

/* Whether a word consists only of the letters u and k, perf's names of rings. */
bool event_is_rings(struct piece word);

/* Whether a text is printable ASCII; if not, says so in `why`. */
bool event_is_printable(struct out *why, struct piece text);

/* The term for a word, ignoring case; null if the word is not a term at `where`. */
const struct event_term *event_find_term(const struct event_terms *terms, struct piece word,
                                         unsigned where);

/* Writes to `why` that a word is not a term, and the terms allowed at `where`. Returns false. */
bool event_refuse_term(struct out *why, const struct event_terms *terms, unsigned where,
                       struct piece found);

/* Sets a term's bit in *seen. If the term occurs twice, says so in `why` and returns false. */
bool event_take_once(struct out *why, const struct event_terms *terms,
                     const struct event_term *term, uint32_t *seen);

/* The length of the first part of `A|B` or `A+B`. */
size_t event_part_size(struct piece text);

/* The length of the longest known name at the beginning of `NAME:UMASK:modifier`, or 0. */
size_t event_known_size(struct piece text, const struct event_names *names);

/* The length of an unknown name, which ends at the first modifier. */
size_t event_unknown_size(struct piece text, const struct event_terms *terms);

#endif
