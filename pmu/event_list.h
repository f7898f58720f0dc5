/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_PMU_EVENT_LIST_H
#define BARECOUNT_PMU_EVENT_LIST_H

#include "caps.h"
#include "out.h"
#include "tables.h"

#define LIST_COLUMNS 79u /* of a console */

/*
 * What --list-events says: the events that a CPU has whose names hold a pattern, of any case; "":
 * all. False: there is none.
 */
bool event_list(const struct table_source *source, const struct cpu_caps *caps, const char *pattern,
                struct out *to);

#endif
