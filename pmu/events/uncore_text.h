/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the text of an uncore event, whose syntax is described in pmu/events/uncore.h. */
#ifndef BARECOUNT_PMU_EVENTS_UNCORE_TEXT_H
#define BARECOUNT_PMU_EVENTS_UNCORE_TEXT_H

#include "pmu/events/text.h"
#include "pmu/uncore/uncore.h"

/* The register to which uncore_request.extra is written: a unit's filter, or Nehalem's match. */
enum uncore_extra { EXTRA_NONE, EXTRA_FILTER0, EXTRA_FILTER1, EXTRA_MATCH };

struct uncore_request {
    struct piece part[EVENT_PARTS_MAX]; /* if several: their unit masks are ORed */
    unsigned parts;                     /* 0: perf's terms */
    uint8_t kind;                       /* enum uncore_kind; only with perf's terms */
    uint8_t extra_register;             /* enum uncore_extra */
    bool has_rings;                     /* u or k was given */
    uint64_t select;                    /* bits set by modifiers and terms */
    uint64_t given;                     /* mask of given fields */
    uint64_t extra;
    struct piece called; /* value of name=; size 0: none */
};

/* Whether a text begins with uncore_X/ or uncore/, as perf's terms do. */
bool uncore_text_has_terms(struct piece text);

/* The name at the beginning of a text, before '|', '+' or a modifier; size 0 if there is none. */
struct piece uncore_text_name(struct piece text, const struct event_names *names);

/* STATUS_OK, or STATUS_EVENT_SYNTAX after writing to `why` what was expected and found. */
enum status uncore_text_parse(struct piece text, const struct event_names *names,
                              struct uncore_request *request, struct out *why);

#endif
