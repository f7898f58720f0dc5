/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How events are written in plans and on the command line: as perf and libpfm4 take them.
 *
 *   MEM_INST_RETIRED.ALL_LOADS       a name; ':' may stand for '.'
 *   instructions, branch-misses      perf's generic names
 *   NAME:cmask=1:inv:edge:any:u:k    modifiers, each once; libpfm4's c=, i, e, t as well
 *   A|B or A+B                       unit masks ORed
 *   r412e, r41412e:u                 a select in hexadecimal
 *   cpu/event=0x2e,umask=0x41,inv/u  perf's terms; cpu_core and cpu_atom as well
 *
 * Only the form is looked at here; what a name means is pmu/events/find.h's.
 */
#ifndef BARECOUNT_PMU_EVENTS_TEXT_H
#define BARECOUNT_PMU_EVENTS_TEXT_H

#include "pmu/base/piece.h"
#include "pmu/counters/select.h"
#include "pmu/base/status.h"

#define EVENT_PARTS_MAX 8u

/* A name, or a select given as a number. */
struct event_part {
    struct piece name;
    uint64_t select; /* of a number */
    bool is_number;
};

struct event_request {
    struct event_part part[EVENT_PARTS_MAX]; /* their unit masks are ORed */
    unsigned parts;                          /* at least 1 */
    uint64_t select;                         /* what modifiers and terms ask for */
    uint64_t given;                          /* the bits of the fields that they speak of */
    uint64_t extra;
    uint32_t extra_msr;  /* 0: none asked for */
    uint8_t rings;       /* RING_*; 0: not said */
    uint8_t core_type;   /* CORE_TYPE_*; 0: not said; a CPU that is not hybrid is a core */
    struct piece called; /* name=; size 0: not said */
};

/*
 * Who knows names: only that tells the unit mask of INST_RETIRED:ANY from the modifier of X:any. No
 * name of EVENT_NAME_BYTES or more is asked for.
 */
struct event_names {
    const void *context;
    bool (*known)(const void *context, struct piece name);
};

/* STATUS_OK; or STATUS_EVENT_SYNTAX, and `why` gets a sentence: what was expected, what found. */
enum status event_text_parse(struct piece text, const struct select_layout *layout,
                             const struct event_names *names, struct event_request *request,
                             struct out *why);

/* Names an event. A text that is too long for a name is cut and ends in '~' and its checksum. */
void event_put_name(struct piece text, struct event *event);

/*
 * Gives an event a name of the plan's own. The one that it had stays behind that name's zero, where
 * there is room; event_table_name() has it.
 */
void event_rename(struct piece name, struct event *event);

/*
 * What the event is called without the plan's own name, as the tables have it. Of an older journal
 * it may be the end of such a name.
 */
const char *event_table_name(const struct event *event);

/* An event of which no more is known than its text. */
void event_begin(struct piece text, uint8_t rings, struct event *event);

/*
 * Gives an event its status, which is returned, and says why: "TEXT: sentence of the status, and
 * more". STATUS_EVENT_SYNTAX: `more` alone, which says what is wrong. STATUS_OK: nothing.
 */
enum status event_end(struct piece text, enum status status, const char *more, struct event *event,
                      struct out *why);

/* What such a sentence says of the text, without it. */
const char *event_why_alone(struct piece text, const char *why);

#endif
