/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of samples: verdicts, their precedence, and reasons. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"

static void exact_kernel(void)
{
    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    run_kernel("nothing", EXPECT_NOTHING);
    run_cpu(0, NULL);
}

BEFORE_EACH(exact_kernel);

static void of_result(unsigned result)
{
    assert_true(result < run_results_count);
    run_last = run_results[result];
}

static unsigned hooked_event;

static bool is_hooked(const struct point *point)
{
    return point->event == hooked_event;
}

static void expect_only_hooked(enum verdict verdict, const char *reason)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (e == hooked_event)
            expect_row(e, verdict, reason);
        else
            expect_right(e);
}

TEST(right_counts_are_exact)
{
    run_measure(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        expect_right(e);
        assert_ptr_equal(row.event, &run_view.event[e]);
        assert_int_equal(row.status, STATUS_OK);
        assert_int_equal(row.accepted, RUN_RUNS);
        assert_int_equal(row.rejected, 0);
        assert_int_equal(row.stats.min, own_count(e));
        assert_int_equal(row.stats.mean_milli, 1000 * own_count(e));
        assert_true(row.has_slot);
        assert_int_equal(row.slot.event, e);
        assert_false(row.counter_off);
        assert_int_equal(row.expect.kind, EVENTS[e].declared < 0 ? EXPECT_NOTHING : EXPECT_EXACT);
    }
    expect_row(EVENTS_COUNT, VERDICT_MEASURED, "");
    assert_null(row.event);
    assert_false(row.has_slot);
    assert_int_equal(row.stats.max, SLOPE_TSC * RUN_N);
}

TEST(ranges_are_within)
{
    run_calibration();
    run_result(1, STATUS_OK);
    run_look_at(2);
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        of_result(0);
        expect_row(e, EVENTS[e].declared < 0 ? VERDICT_MEASURED : VERDICT_WITHIN, "");
        of_result(1);
        assert_int_equal(make(e)->verdict, VERDICT_MEASURED);
    }
}

static int64_t added;
static unsigned added_attempt; /* UINT32_MAX: all attempts */

static void add(struct point *point)
{
    if (is_hooked(point) && point->kernel != KERNEL_CALIBRATION &&
        (added_attempt == UINT32_MAX || point->attempt == added_attempt))
        point->value += (uint64_t)added;
}

/* attempt: UINT32_MAX means all attempts. */
struct addition {
    int64_t added;
    unsigned attempt;
    enum verdict verdict;
    const char *reason;
};

static void expect_of(const struct addition *of, const char *event, void (*hook)(struct point *))
{
    exact_kernel();
    hooked_event = run_event(event);
    run_hook = hook;
    added = of->added;
    added_attempt = of->attempt;
    run_measure(0);
    expect_only_hooked(of->verdict, of->reason);
}

/* A constant error cancels out between n and 2n, but the row is still `off`. */
TEST(other_than_declared)
{
    static const struct addition ROWS[] = {
        {1, UINT32_MAX, VERDICT_OFF, "expected 1000, counted 1001 to 1001"},
        {-1, UINT32_MAX, VERDICT_OFF, "expected 1000, counted 999 to 999"},
        {1, RUN_RUNS - 1, VERDICT_NOISY, "expected 1000, counted 1000 to 1001"},
        {-1, 0, VERDICT_NOISY, "expected 1000, counted 999 to 1000"},
        {-1001, UINT32_MAX, VERDICT_OFF,
         "expected 1000, counted -1 to -1"}, /* below the window's cost */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        expect_of(&ROWS[i], "BR_INST_RETIRED.ALL_BRANCHES", add);
        assert_false(make(hooked_event)->counter_off);
    }
}

/* The range is the kernel's count plus or minus one. */
TEST(ends_of_a_range)
{
    added_attempt = 0;
    for (added = -2; added <= 2; added++) {
        bool within = added >= -1 && added <= 1;

        exact_kernel();
        hooked_event = run_event("MEM_INST_RETIRED.ALL_LOADS");
        run_hook = add;
        run_measure(1);
        expect_row(hooked_event, within ? VERDICT_WITHIN : VERDICT_OFF,
                   within ? "" : "expected 2004 to 2006, counted ");
    }
}

static void at_least(unsigned index, struct event *event)
{
    event->flags |= EVENTS[index].declared == DECLARED_LOADS ? EVENT_AT_LEAST : 0;
}

static void add_anywhere(struct point *point)
{
    point->value += is_hooked(point) ? (uint64_t)added : 0;
}

static void add_to_the_empty_window(struct point *point)
{
    if (point->kernel == KERNEL_CALIBRATION)
        add_anywhere(point);
}

/*
 * With the flag EVENT_AT_LEAST, the event of loads also counts accesses that never retire, even in
 * the empty window.
 */
TEST(at_least_as_declared)
{
    static const struct {
        int64_t more;
        void (*hook)(struct point *point);
        enum verdict verdict;
        const char *reason;
    } ROWS[] = {
        {0, add, VERDICT_WITHIN, ""},
        {70, add, VERDICT_WITHIN, ""},
        {70, add_anywhere, VERDICT_WITHIN, ""},
        {70, add_to_the_empty_window, VERDICT_WITHIN, ""},
        {-1, add_to_the_empty_window, VERDICT_OFF, "window cost: the empty window counted"},
        {-1, add, VERDICT_OFF, "expected at least 2005, counted 2004 to 2004"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        run_begin(NULL, "version=1\n");
        run_kernel("exact", EXPECT_EXACT);
        run_change_event = at_least;
        run_cpu(0, NULL);
        hooked_event = run_event("MEM_INST_RETIRED.ALL_LOADS");
        run_hook = ROWS[i].hook;
        added = ROWS[i].more;
        added_attempt = UINT32_MAX;
        run_measure(0);
        expect_only_hooked(ROWS[i].verdict, ROWS[i].reason);
        assert_int_equal(make(hooked_event)->expect.kind, EXPECT_AT_LEAST);
        assert_int_equal(row.counter_off, ROWS[i].hook == add_to_the_empty_window && added < 0);
    }
}

static void add_at_2n(struct point *point)
{
    if (is_hooked(point) && point->kind == SAMPLE_2N &&
        (added_attempt == UINT32_MAX || point->attempt == added_attempt))
        point->value += (uint64_t)added;
}

TEST(n_and_2n_must_agree)
{
    static const struct addition ROWS[] = {
#define ALL_3000 "n and 2n: declared 3 per iteration, so 3000 from n to 2n, counted "
        {-1, 1, VERDICT_NOISY, ALL_3000 "2999 to 3000"},
        {1, 1, VERDICT_NOISY, ALL_3000 "3000 to 3001"},
        {-1, UINT32_MAX, VERDICT_OFF, ALL_3000 "2999"},
        {1, UINT32_MAX, VERDICT_OFF, ALL_3000 "3001"},
        /* as if the declaration were wrong by one instruction per iteration */
        {-(int64_t)RUN_N, UINT32_MAX, VERDICT_OFF, "n and 2n: declared 3 per iteration, counted 2"},
        {RUN_N, 1, VERDICT_NOISY, "n and 2n: declared 3 per iteration, counted 3 to 4"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        expect_of(&ROWS[i], "INST_RETIRED.ANY", add_at_2n);
}

TEST(range_needs_no_2n)
{
    hooked_event = run_event("INST_RETIRED.ANY");
    run_hook = add_at_2n;
    added = 500;
    added_attempt = UINT32_MAX;
    run_measure(1);
    expect_row(hooked_event, VERDICT_WITHIN, "");
}

static uint16_t second_is_dirty(const struct point *point)
{
    return point->attempt == 1 && point->kernel != KERNEL_CALIBRATION ? EVIDENCE_SMI : 0;
}

/* Three clean samples are too few. A fifth attempt makes four. */
TEST(too_few_clean_samples_are_noisy)
{
    run_evidence = second_is_dirty;
    run_calibration();
    run_result_of(0, STATUS_OK, RUN_RUNS, RUN_TWICE);
    run_result_of(0, STATUS_OK, RUN_RUNS + 1, RUN_TWICE);
    run_look();
    for (unsigned e = 0; e <= EVENTS_COUNT; e++) {
        of_result(0);
        expect_row(e, VERDICT_NOISY, "only 3 of 4 samples were clean, 1 rejected (smi)");
        assert_int_equal(row.accepted, 3);
        assert_int_equal(row.rejected, 1);
        of_result(1);
        make(e);
        assert_int_equal(row.accepted, 4);
        assert_int_equal(row.rejected, 1);
        assert_int_equal(row.verdict, e < EVENTS_COUNT && EVENTS[e].declared >= 0
                                          ? VERDICT_EXACT
                                          : VERDICT_MEASURED);
    }
}

TEST(no_clean_sample_at_2n_is_noisy)
{
    run_evidence = all_of_2n_dirty;
    run_measure(0);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_NOISY, "no sample at 2n was clean");
    expect_row(run_event("CPU_CLK_UNHALTED.THREAD"), VERDICT_MEASURED, "");
}

static void spoil_second(struct point *point)
{
    if (point->attempt == 1 && point->kernel != KERNEL_CALIBRATION)
        point->value = 0xffffffffffff;
}

TEST(rejected_values_do_not_count)
{
    run_hook = spoil_second;
    run_evidence = second_is_dirty;
    run_calibration();
    run_result_of(0, STATUS_OK, RUN_RUNS + 1, RUN_TWICE);
    run_look();
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        expect_right(e);
}
