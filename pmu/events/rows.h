/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the reader of event tables (pmu/events/table.c) and the two forms that a row may have. */
#ifndef BARECOUNT_PMU_EVENTS_ROWS_H
#define BARECOUNT_PMU_EVENTS_ROWS_H

#include "pmu/events/table.h"
#include "pmu/counters/select.h"

#define EVENT_ROW_NAMES      "name,select,counters,fixed,flags,msr,value,description"
#define EVENT_ROW_NAMES_UNIT EVENT_ROW_NAMES ",unit"

/* Whether the rows of a file have the column `unit`: each its own way where no line says it. */
enum event_row_form { ROW_WITHOUT_UNIT, ROW_WITH_UNIT, ROW_ANY };

/* A row to an entry; false when it is not as it should be, which is an error. */
bool event_row_csv(const struct event_lines *lines, struct piece line, enum event_row_form form,
                   const struct select_layout *layout, struct event_entry *entry);

/* The same for `3C.00.CMSK=1.INV Name`. */
bool event_row_nanobench(const struct event_lines *lines, struct piece line,
                         const struct select_layout *layout, struct event_entry *entry);

/* Adds an error of a piece of a line: what was expected, what was found. Returns false. */
bool event_row_refuse(const struct event_lines *lines, struct piece found, const char *expected);

/* Whether a piece can be the name of an event: printable, without blanks and , " : / | + = # */
bool event_name_valid(struct piece name);

/* The name of an entry; false when no event can have it, which is an error. */
bool event_row_name(const struct event_lines *lines, struct piece name, struct event_entry *entry);

#endif
