/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of samples: verdicts, their precedence and their reasons. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"

static struct row row;

static void exact_kernel(void)
{
    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    run_kernel("nothing", EXPECT_NOTHING);
    run_cpu(0, NULL);
}

BEFORE_EACH(exact_kernel);

/* The row of an event (EVENTS_COUNT: the time stamp) of a result. */
static const struct row *make(unsigned result, unsigned event)
{
    assert_true(result < run_results_count);
    memset(&row, 0xa5, sizeof(row));
    row_make(&run_view, run_results[result], event, &row);
    return &row;
}

static void expect(unsigned event, enum verdict verdict, const char *reason)
{
    make(0, event);
    if (row.verdict != verdict || !strstr(row.reason, reason) || (!*reason && *row.reason))
        fail_msg("event %u: %s, '%s'", event, verdict_name(row.verdict), row.reason);
}

static unsigned hooked_event;

static bool is_hooked(const struct point *point)
{
    return point->event == hooked_event;
}

/* Every event but the hooked one is as good as ever. */
static void expect_only_hooked(enum verdict verdict, const char *reason)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (e == hooked_event)
            expect(e, verdict, reason);
        else
            expect(e, EVENTS[e].declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT, "");
}

TEST(right_counts_are_exact)
{
    run_measure(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        int declared = EVENTS[e].declared;
        int64_t own = declared >= 0                  ? run_count((unsigned)declared, RUN_N)
                      : EVENTS[e].unit == UNIT_COUNT ? 0
                                                     : SLOPE_CYCLES * RUN_N;

        expect(e, declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT, "");
        assert_ptr_equal(row.event, &run_view.event[e]);
        assert_int_equal(row.status, STATUS_OK);
        assert_int_equal(row.accepted, RUN_RUNS);
        assert_int_equal(row.rejected, 0);
        assert_int_equal(row.stats.min, own);
        assert_int_equal(row.stats.mean_milli, 1000 * own);
        assert_true(row.has_slot);
        assert_int_equal(row.slot.event, e);
        assert_false(row.counter_off);
        assert_int_equal(row.expect.kind, declared < 0 ? EXPECT_NOTHING : EXPECT_EXACT);
    }
    expect(EVENTS_COUNT, VERDICT_MEASURED, "");
    assert_null(row.event);
    assert_false(row.has_slot);
    assert_int_equal(row.stats.max, SLOPE_TSC * RUN_N);
}

TEST(ranges_are_within)
{
    run_calibration();
    run_result(1, STATUS_OK);
    run_result(2, STATUS_OK);
    run_look();
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        expect(e, EVENTS[e].declared < 0 ? VERDICT_MEASURED : VERDICT_WITHIN, "");
        make(1, e);
        assert_int_equal(row.verdict, VERDICT_MEASURED);
    }
}

static int64_t added;
static unsigned added_attempt; /* UINT32_MAX: all */

static void add(struct point *point)
{
    if (is_hooked(point) && point->kernel != KERNEL_CALIBRATION &&
        (added_attempt == UINT32_MAX || point->attempt == added_attempt))
        point->value += (uint64_t)added;
}

/* A constant too much or too little cancels itself out between n and 2n: it is still off. Samples
 * that differ among themselves are noise. */
TEST(other_than_declared)
{
    static const struct {
        int64_t added;
        unsigned attempt;
        enum verdict verdict;
        const char *reason;
    } ROWS[] = {
        {1, UINT32_MAX, VERDICT_OFF, "expected 1000, counted 1001 to 1001"},
        {-1, UINT32_MAX, VERDICT_OFF, "expected 1000, counted 999 to 999"},
        {1, RUN_RUNS - 1, VERDICT_NOISY, "expected 1000, counted 1000 to 1001"},
        {-1, 0, VERDICT_NOISY, "expected 1000, counted 999 to 1000"},
        {-1001, UINT32_MAX, VERDICT_OFF,
         "expected 1000, counted -1 to -1"}, /* less than the window's cost */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        exact_kernel();
        hooked_event = run_event("BR_INST_RETIRED.ALL_BRANCHES");
        run_hook = add;
        added = ROWS[i].added;
        added_attempt = ROWS[i].attempt;
        run_measure(0);
        expect_only_hooked(ROWS[i].verdict, ROWS[i].reason);
        make(0, hooked_event);
        assert_false(row.counter_off);
    }
}

/* Declared from one less to one more: both ends belong to it, the next ones do not. */
TEST(ends_of_a_range)
{
    added_attempt = 0;
    for (added = -2; added <= 2; added++) {
        bool within = added >= -1 && added <= 1;

        exact_kernel();
        hooked_event = run_event("MEM_INST_RETIRED.ALL_LOADS");
        run_hook = add;
        run_measure(1);
        expect(hooked_event, within ? VERDICT_WITHIN : VERDICT_OFF,
               within ? "" : "expected 2004 to 2006, counted ");
    }
}

/* One sample at 2n, or all, counts one more or less: nothing else could tell. */
static void add_at_2n(struct point *point)
{
    if (is_hooked(point) && point->kind == SAMPLE_2N &&
        (added_attempt == UINT32_MAX || point->attempt == added_attempt))
        point->value += (uint64_t)added;
}

TEST(n_and_2n_must_agree)
{
    static const struct {
        int64_t added;
        unsigned attempt;
        enum verdict verdict;
        const char *reason;
    } ROWS[] = {
        {-1, 1, VERDICT_NOISY, "n and 2n: their difference is 2999 to 3000, declared 3000"},
        {1, 1, VERDICT_NOISY, "n and 2n: their difference is 3000 to 3001, declared 3000"},
        {-1, UINT32_MAX, VERDICT_OFF, "n and 2n: their difference is 2999 to 2999, declared 3000"},
        {1, UINT32_MAX, VERDICT_OFF, "n and 2n: their difference is 3001 to 3001, declared 3000"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        exact_kernel();
        hooked_event = run_event("INST_RETIRED.ANY");
        run_hook = add_at_2n;
        added = ROWS[i].added;
        added_attempt = ROWS[i].attempt;
        run_measure(0);
        expect_only_hooked(ROWS[i].verdict, ROWS[i].reason);
    }
}

TEST(range_needs_no_2n)
{
    hooked_event = run_event("INST_RETIRED.ANY");
    run_hook = add_at_2n;
    added = 500;
    added_attempt = UINT32_MAX;
    run_measure(1);
    expect(hooked_event, VERDICT_WITHIN, "");
    assert_false(row.has_twice); /* a range is not a difference of n and 2n */
}

static uint16_t second_is_dirty(const struct point *point)
{
    return point->attempt == 1 && point->kernel != KERNEL_CALIBRATION ? EVIDENCE_SMI : 0;
}

/* One of the four is rejected: three are too few. With a fifth attempt they are enough. */
TEST(too_few_clean_samples_are_noisy)
{
    run_evidence = second_is_dirty;
    run_calibration();
    run_result_of(0, STATUS_OK, RUN_RUNS, RUN_TWICE);
    run_result_of(0, STATUS_OK, RUN_RUNS + 1, RUN_TWICE);
    run_look();
    for (unsigned e = 0; e <= EVENTS_COUNT; e++) {
        expect(e, VERDICT_NOISY, "only 3 of 4 samples were clean: 1 were rejected (smi)");
        assert_int_equal(row.accepted, 3);
        assert_int_equal(row.rejected, 1);
        make(1, e);
        assert_int_equal(row.accepted, 4);
        assert_int_equal(row.rejected, 1);
        assert_int_equal(row.verdict, e < EVENTS_COUNT && EVENTS[e].declared >= 0
                                          ? VERDICT_EXACT
                                          : VERDICT_MEASURED);
    }
}

static uint16_t all_of_2n_dirty(const struct point *point)
{
    return point->kind == SAMPLE_2N ? EVIDENCE_NMI : 0;
}

TEST(no_clean_sample_at_2n_is_noisy)
{
    run_evidence = all_of_2n_dirty;
    run_measure(0);
    expect(run_event("INST_RETIRED.ANY"), VERDICT_NOISY, "no sample at 2n was clean");
    expect(run_event("CPU_CLK_UNHALTED.THREAD"), VERDICT_MEASURED, "");
}

/* Garbage in a rejected sample reaches no statistics. */
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
        expect(e, EVENTS[e].declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT, "");
}
