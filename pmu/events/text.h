/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syntax of events in plans and on the command line, as in perf and libpfm4:
 *
 *   MEM_INST_RETIRED.ALL_LOADS       a name; ':' may stand for '.'
 *   instructions, branch-misses      perf's generic names
 *   NAME:cmask=1:inv:edge:any:u:k    modifiers, each once; also libpfm4's c=, i, e, t
 *   A|B or A+B                       ORed unit masks
 *   r412e, r41412e:u                 a select in hexadecimal
 *   cpu/event=0x2e,umask=0x41,inv/u  perf's terms; also for cpu_core and cpu_atom
 */
#ifndef BARECOUNT_PMU_EVENTS_TEXT_H
#define BARECOUNT_PMU_EVENTS_TEXT_H

#include "pmu/base/piece.h"
#include "pmu/counters/select.h"
#include "pmu/base/status.h"

#define EVENT_PARTS_MAX 8u

struct event_part {
    struct piece name;
    uint64_t select; /* valid if is_number */
    bool is_number;
};

struct event_request {
    struct event_part part[EVENT_PARTS_MAX]; /* if several: their unit masks are ORed */
    unsigned parts;
    uint64_t select; /* bits set by modifiers and terms */
    uint64_t given;  /* mask of given fields */
    uint64_t extra;
    uint32_t extra_msr;  /* 0: none given */
    uint8_t rings;       /* RING_*; 0: not given */
    uint8_t core_type;   /* CORE_TYPE_*; 0: not given; all cores but Atoms count as Core */
    struct piece called; /* value of name=; size 0: none */
};

/*
 * known() returns whether an event has the name `name`, so that the parser can distinguish the unit
 * mask in INST_RETIRED:ANY from the modifier in X:any. `name` is shorter than EVENT_NAME_BYTES.
 */
struct event_names {
    const void *context;
    bool (*known)(const void *context, struct piece name);
};

/* STATUS_OK, or STATUS_EVENT_SYNTAX after writing to `why` what was expected and found. */
enum status event_text_parse(struct piece text, const struct select_layout *layout,
                             const struct event_names *names, struct event_request *request,
                             struct out *why);

/*
 * Names an event. A text that is too long is truncated and ends in '~' and the checksum of the
 * whole text.
 */
void event_put_name(struct piece text, struct event *event);

/*
 * Gives an event a new name, such as the plan's own name for it. If there is room, the old name
 * follows the new name's terminating zero.
 */
void event_rename(struct piece name, struct event *event);

/*
 * The old name that event_rename() kept or, if there is none, the event's name. In older journals,
 * the result may be the tail of a truncated name.
 */
const char *event_table_name(const struct event *event);

/* Initialises an event for which only the text is known. */
void event_begin(struct piece text, uint8_t rings, struct event *event);

/*
 * Sets and returns an event's status. If the status is not STATUS_OK, writes to `why` the event's
 * text, a colon, the sentence of the status (except for STATUS_EVENT_SYNTAX), and `more`.
 */
enum status event_end(struct piece text, enum status status, const char *more, struct event *event,
                      struct out *why);

/* What follows the event's text and the colon in a sentence from event_end(). */
const char *event_why_alone(struct piece text, const char *why);

#endif
