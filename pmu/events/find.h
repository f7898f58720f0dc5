/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From an event's text to what a CPU is to be programmed with, or why it cannot count it.
 */
#ifndef BARECOUNT_PMU_EVENTS_FIND_H
#define BARECOUNT_PMU_EVENTS_FIND_H

#include "pmu/events/table.h"
#include "pmu/events/built_in.h"
#include "pmu/base/status.h"
#include "pmu/counters/event.h"
#include "pmu/base/piece.h"

#define EVENT_WHY_BYTES 480u /* room for any sentence of event_find() */

/*
 * What `text`, in any of the forms of pmu/events/text.h, is on a CPU. Names are looked for in the
 * tables (in which the user's rows have replaced others), then in the built-in events.
 *
 * rings: RING_OS, RING_USR or both; used unless the text says :u or :k.
 *
 * *event is set in any case, as far as the text is understood; its name is the text, or what name=
 * says. A text that is too long for a name is cut and ends in '~' and its checksum. Of a number
 * nothing is known but the select: it is taken that every general counter counts it.
 *
 * Returns event->status. When that is not STATUS_OK, `why` gets a sentence, which begins with the
 * event; names that are not known come with those nearest to them.
 */
enum status event_find(const struct event_tables *tables, const struct event *builtin,
                       size_t builtins, const struct cpu_caps *caps, const char *text, size_t size,
                       uint8_t rings, struct event *event, struct out *why);

/*
 * "; nearest: A, B": the names that are most like one that is not known, those of what is counted
 * outside the cores among them; nothing when none is alike.
 */
void event_say_nearest(const struct event_tables *tables, const struct event *builtin,
                       size_t builtins, struct piece name, struct out *out);

#endif
