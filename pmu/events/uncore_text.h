/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The form of a package event's text, which pmu/events/uncore.h shows: names with modifiers, or
 * perf's terms for a kind of unit. What names mean, and which fields a unit has,
 * pmu/events/uncore.c knows.
 */
#ifndef BARECOUNT_PMU_EVENTS_UNCORE_TEXT_H
#define BARECOUNT_PMU_EVENTS_UNCORE_TEXT_H

#include "pmu/events/text.h"
#include "pmu/uncore/uncore.h"

/* Which of a unit's registers uncore_request.extra is for: a filter, or Nehalem's match. */
enum uncore_extra { EXTRA_NONE, EXTRA_FILTER0, EXTRA_FILTER1, EXTRA_MATCH };

struct uncore_request {
    struct piece part[EVENT_PARTS_MAX]; /* names, whose unit masks are ORed */
    unsigned parts;                     /* 0: perf's terms */
    uint8_t kind;                       /* enum uncore_kind that perf's terms are for */
    uint8_t extra_register;             /* enum uncore_extra */
    bool has_rings;                     /* u or k was said */
    uint64_t select;                    /* what modifiers and terms ask for */
    uint64_t given;                     /* the bits of the fields that they speak of */
    uint64_t extra;
    struct piece called; /* name=; size 0: not said */
};

/* Whether a text begins as perf's name of a unit with terms does: uncore_X/ or uncore/. */
bool uncore_text_has_terms(struct piece text);

/*
 * The name that stands first in a text: the most of it that is known as one, before '|', '+' and
 * modifiers. size 0: there is none.
 */
struct piece uncore_text_name(struct piece text, const struct event_names *names);

/* STATUS_OK; or STATUS_EVENT_SYNTAX, and `why` gets a sentence: what was expected, what found. */
enum status uncore_text_parse(struct piece text, const struct event_names *names,
                              struct uncore_request *request, struct out *why);

#endif
