/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the last result of a run from fakes/run.h. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_ROWS_H
#define BARECOUNT_TESTS_UNIT_FAKES_ROWS_H

#include <string.h>

#include "tests/unit/fakes/run.h"

static struct row row;

/* For a built-in event, row_counter() and row_make() must agree on whether its counter is wrong. */
static inline const struct row *make(unsigned event)
{
    struct row counter;

    memset(&row, 0xa5, sizeof(row));
    row_make(&run_view, run_last, event, &row);
    if (event >= EVENTS_COUNT)
        return &row;
    if (row_counter(&run_view, event, &counter) == row.counter_off ||
        counter.counter_off != row.counter_off)
        fail_msg("%s: its counter is %s", run_events[event].name,
                 row.counter_off ? "off" : "right");
    if (row.counter_off &&
        ((row.verdict != VERDICT_OFF && row.verdict != VERDICT_NOISY) ||
         counter.verdict != row.verdict || strcmp(counter.reason, row.reason) != 0))
        fail_msg("%s: %s, '%s', of its counter %s, '%s'", run_events[event].name,
                 verdict_name(row.verdict), row.reason, verdict_name(counter.verdict),
                 counter.reason);
    return &row;
}

/* The row's reason must contain `reason`, or be empty if `reason` is "". */
static inline void expect_row(unsigned event, enum verdict verdict, const char *reason)
{
    make(event);
    if (row.verdict != verdict || !strstr(row.reason, reason) || (!*reason && *row.reason))
        fail_msg("%s, rings %u, pass %u, kernel in ring %u: %s, '%s'", run_events[event].name,
                 run_events[event].rings, row.pass, run_record.kernel_ring,
                 verdict_name(row.verdict), row.reason);
}

static inline void expect_right(unsigned event)
{
    expect_row(event, EVENTS[event].declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT, "");
}

static inline int64_t own_count(unsigned event)
{
    int declared = EVENTS[event].declared;

    if (declared >= 0)
        return run_count((unsigned)declared, RUN_N);
    return EVENTS[event].unit == UNIT_COUNT ? 0 : SLOPE_CYCLES * RUN_N;
}

#endif
