/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of events that a person asks for. */
#ifndef BARECOUNT_PMU_EVENTS_LIST_H
#define BARECOUNT_PMU_EVENTS_LIST_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"
#include "pmu/uncore/uncore.h"
#include "pmu/events/tables.h"

#define LIST_COLUMNS 79u /* of a console */

/*
 * What --list-events says: the events that a CPU has whose names hold a pattern, of any case; "":
 * all. With `package`, those that it can count too, behind the CPU's, each marked by its unit;
 * null: none of them. False: there is none.
 */
bool event_list(const struct table_source *source, const struct cpu_caps *caps,
                const struct uncore *uncore, const char *pattern, struct out *to);

#endif
