/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves the text of an uncore event in a plan (pmu/uncore/uncore.h):
 *
 *   dram_read_bytes                          a built-in name: pmu/uncore/names.h
 *   UNC_CBO_CACHE_LOOKUP.READ_MESI:cmask=2   a name in a table row with a unit; ':' may stand for
 *                                            '.'; modifiers edge, inv, cmask= (also thresh=, c=,
 *                                            t=, i, e), occ_rst and match= (Nehalem), and filters
 *                                            such as filter0= (servers), each once
 *   UNC_M_CAS_COUNT.RD|UNC_M_CAS_COUNT.WR    ORed unit masks
 *   uncore_cha/event=0x34,umask=0x11/        perf's terms for a kind of unit
 */
#ifndef BARECOUNT_PMU_EVENTS_UNCORE_H
#define BARECOUNT_PMU_EVENTS_UNCORE_H

#include "pmu/events/table.h"
#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

/*
 * Whether a text is an uncore event, which uncore_event_find() resolves instead of event_find().
 * Such a text is a built-in name, the name of a table row with a unit, or perf's terms, such as
 * "uncore_cha/...". A name that begins with "UNC_" is an uncore event too, unless a core event has
 * that name.
 */
bool uncore_event_is(const struct event_tables *tables, struct piece text);

/*
 * Resolves an uncore event's text for a package. Like event_find(), always sets *event, and returns
 * event->status. The scope of the event is SCOPE_UNCORE. If the status is not STATUS_OK, `why` gets
 * a sentence of at most EVENT_WHY_BYTES (pmu/events/find.h) that begins with the event.
 */
enum status uncore_event_find(const struct event_tables *tables, const struct uncore *uncore,
                              const char *text, size_t size, struct event *event, struct out *why);

#endif
