/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves the text of an uncore event in a plan:
 *
 *   dram_read_bytes                          a built-in name: pmu/uncore/names.h
 *   UNC_CBO_CACHE_LOOKUP.READ_MESI:cmask=2   a name in a table row with a unit; ':' may stand for
 *                                            '.'; modifiers edge, inv, cmask= (also thresh=, c=,
 *                                            t=, i, e), occ_rst and match= (Nehalem), and filters
 *                                            such as filter0= (servers), each at most once
 *   UNC_M_CAS_COUNT.RD|UNC_M_CAS_COUNT.WR    ORed unit masks
 *   uncore_cha/event=0x34,umask=0x11/        perf's terms for a kind of unit
 */
#ifndef BARECOUNT_PMU_EVENTS_UNCORE_H
#define BARECOUNT_PMU_EVENTS_UNCORE_H

#include "pmu/events/table.h"
#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

/*
 * Whether a text is an uncore event: a built-in name, the name of a table row with a unit, or
 * perf's terms. Other names with "UNC_" are uncore events too, unless a core event has the name.
 */
bool uncore_event_is(const struct event_tables *tables, struct piece text);

/* Resolves an uncore event's text for a package; `why` and the result are as for event_find(). */
enum status uncore_event_find(const struct event_tables *tables, const struct uncore *uncore,
                              const char *text, size_t size, struct event *event, struct out *why);

#endif
