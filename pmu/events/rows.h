/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a row of an event table. */
#ifndef BARECOUNT_PMU_EVENTS_ROWS_H
#define BARECOUNT_PMU_EVENTS_ROWS_H

#include "pmu/events/table.h"
#include "pmu/counters/select.h"

#define EVENT_ROW_COLUMNS      8u /* without `unit` and `errata` */
#define EVENT_ROW_NAMES        "name,select,counters,fixed,flags,msr,value,description"
#define EVENT_ROW_NAMES_UNIT   EVENT_ROW_NAMES ",unit"
#define EVENT_ROW_NAMES_ERRATA EVENT_ROW_NAMES_UNIT ",errata"

/*
 * Parses a row of at most `columns` fields; false after reporting an error. Empty fields at the
 * row's end may be missing.
 */
bool event_row_csv(const struct event_lines *lines, struct piece line, unsigned columns,
                   const struct select_layout *layout, struct event_entry *entry);

/* Like event_row_csv(), for a row in nanoBench's form, `3C.00.CMSK=1.INV Name`. */
bool event_row_nanobench(const struct event_lines *lines, struct piece line,
                         const struct select_layout *layout, struct event_entry *entry);

/* Reports an error, with what was expected and found. Returns false. */
bool event_row_refuse(const struct event_lines *lines, struct piece found, const char *expected);

/* Valid names are printable ASCII without blanks and , " : / | + = # */
bool event_name_valid(struct piece name);

/* Sets an entry's name; false after reporting that the name is not valid. */
bool event_row_name(const struct event_lines *lines, struct piece name, struct event_entry *entry);

#endif
