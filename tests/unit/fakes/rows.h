/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the last result of a run in fakes/run.h, and what must stand in them. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_ROWS_H
#define BARECOUNT_TESTS_UNIT_FAKES_ROWS_H

#include <string.h>

#include "tests/unit/fakes/run.h"

static struct row row; /* the one that was made last */

/* Of an event, of whose counter row_counter() says the same, or of what stands behind them. */
static inline const struct row *make(unsigned event)
{
    struct row counter;

    memset(&row, 0xa5, sizeof(row));
    row_make(&run_view, run_last, event, &row);
    if (event >= EVENTS_COUNT)
        return &row;
    assert_int_equal(row_counter(&run_view, event, &counter), !row.counter_off);
    assert_int_equal(counter.counter_off, row.counter_off);
    if (row.counter_off) {
        assert_true(row.verdict == VERDICT_OFF || row.verdict == VERDICT_NOISY);
        assert_int_equal(counter.verdict, row.verdict);
        assert_string_equal(counter.reason, row.reason);
    }
    return &row;
}

/* The reason has these words, or is empty when there are none. */
static inline void expect_row(unsigned event, enum verdict verdict, const char *reason)
{
    make(event);
    if (row.verdict != verdict || !strstr(row.reason, reason) || (!*reason && *row.reason))
        fail_msg("%s, rings %u, pass %u, kernel in ring %u: %s, '%s'", run_events[event].name,
                 run_events[event].rings, row.pass, run_record.kernel_ring,
                 verdict_name(row.verdict), row.reason);
}

/* What stands in the row of an event with which nothing is wrong, of a kernel of exact counts. */
static inline void expect_right(unsigned event)
{
    expect_row(event, EVENTS[event].declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT, "");
}

/* What a kernel counts itself of a built-in event. */
static inline int64_t own_count(unsigned event)
{
    int declared = EVENTS[event].declared;

    if (declared >= 0)
        return run_count((unsigned)declared, RUN_N);
    return EVENTS[event].unit == UNIT_COUNT ? 0 : SLOPE_CYCLES * RUN_N;
}

#endif
