/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists events for --list-events. */
#ifndef BARECOUNT_PMU_EVENTS_LIST_H
#define BARECOUNT_PMU_EVENTS_LIST_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"
#include "pmu/uncore/uncore.h"
#include "pmu/events/tables.h"

#define LIST_COLUMNS 79u /* the width of a console */

/*
 * Lists the CPU's events whose names match a pattern (piece_holds()). Then lists the uncore events
 * that the package `uncore` can count, if `uncore` is not null. Returns false if no event matches.
 */
bool event_list(const struct table_source *source, const struct cpu_caps *caps,
                const struct uncore *uncore, const char *pattern, struct out *to);

#endif
