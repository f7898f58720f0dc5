/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a name in a plan to an event that is counted outside the cores (pmu/uncore/uncore.h):
 *
 *   dram_read_bytes                          a ready name: pmu/uncore/names.h
 *   UNC_CBO_CACHE_LOOKUP.READ_MESI:cmask=2   a name of the tables' rows with a unit; ':' for '.';
 *                                            modifiers edge, inv, cmask= (also thresh=, c=, t=, i,
 *                                            e), occ_rst and match= (Nehalem), each once
 *   UNC_M_CAS_COUNT.RD|UNC_M_CAS_COUNT.WR    unit masks ORed
 *   uncore_cha/event=0x34,umask=0x11/        perf's terms, for a kind of unit
 */
#ifndef BARECOUNT_PMU_EVENTS_UNCORE_H
#define BARECOUNT_PMU_EVENTS_UNCORE_H

#include "pmu/events/table.h"
#include "pmu/uncore/uncore.h"
#include "pmu/base/status.h"

/*
 * Whether a text names something outside the cores, so that uncore_event_find() is to be asked and
 * not event_find(): a ready name, a table's row with a unit, or perf's "uncore_".
 */
bool uncore_event_is(const struct event_tables *tables, struct piece text);

/*
 * What such a text is on a package. Alike event_find(): *event is set in any case, its scope is
 * SCOPE_UNCORE, its status is returned, and when that is not STATUS_OK, `why` gets a sentence that
 * begins with the event. EVENT_WHY_BYTES (pmu/events/find.h) have room for it.
 */
enum status uncore_event_find(const struct event_tables *tables, const struct uncore *uncore,
                              const char *text, size_t size, struct event *event, struct out *why);

#endif
