/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolves an event's text for a CPU. */
#ifndef BARECOUNT_PMU_EVENTS_FIND_H
#define BARECOUNT_PMU_EVENTS_FIND_H

#include "pmu/events/table.h"
#include "pmu/events/built_in.h"
#include "pmu/base/status.h"
#include "pmu/counters/event.h"
#include "pmu/base/piece.h"

#define EVENT_WHY_BYTES 480u

/*
 * Resolves `text`, in any form of pmu/events/text.h. Names are looked up in the tables, then among
 * the built-in events, then among perf's generic names.
 *
 * `rings` applies to a text without the modifiers u and k. A name that is too long is cut, and then
 * ends in '~' and the checksum of the whole name. A numeric select is assumed to count on every
 * general counter.
 *
 * Returns event->status. If the status is not STATUS_OK, *event contains what was understood, and
 * `why` gets a sentence that begins with the event's text. The event's name is the value of name=
 * or, if the text has no name=, the text.
 */
enum status event_find(const struct event_tables *tables, const struct event *builtin,
                       size_t builtins, const struct cpu_caps *caps, const char *text, size_t size,
                       uint8_t rings, struct event *event, struct out *why);

/*
 * Writes "; nearest: A, B" with the known names that are most similar to an unknown name. Writes
 * nothing if no name is similar.
 */
void event_say_nearest(const struct event_tables *tables, uint32_t vendor,
                       const struct event *builtin, size_t builtins, struct piece name,
                       struct out *out);

#endif
