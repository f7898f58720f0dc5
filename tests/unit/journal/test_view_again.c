/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that ran in parallel: each interleaved result finds its own CPU's records. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"

#define CPUS    3u
#define KERNELS 2u

static void (*const CHANGE[CPUS])(struct cpu_caps *caps) = {NULL, two_general_counters,
                                                            no_fixed_counters};
/* How many WRMSRs each CPU counts. The view finds the last CPU's number in its counter test. */
static const unsigned WRMSR[CPUS] = {1, 2, 0};

static void count_wrmsr(struct point *point)
{
    if (run_events[point->event].declared == DECLARED_INSTRUCTIONS)
        point->value += WRMSR[point->cpu] - (uint64_t)RUN_WRMSR;
}

static void begin(void)
{
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    run_kernel("two", EXPECT_EXACT);
    run_hook = count_wrmsr;
}

BEFORE_EACH(begin);

static void describe(unsigned cpu)
{
    struct counter_tests tested = {.cpu = cpu, .wrmsr_counted = WRMSR[cpu]};

    run_cpu(cpu, CHANGE[cpu]);
    run_append(RECORD_TEST, &tested, sizeof(tested));
}

struct known {
    const struct cpu_record *cpu;
    const struct event *event;
    const struct schedule *schedule;
    const struct counter_tests *tests;
    const struct result *calibration;
    unsigned events;
    uint32_t edges_counted;
};

static struct known known_of(const struct view *view)
{
    return (struct known){.cpu = view->cpu,
                          .event = view->event,
                          .schedule = view->schedule,
                          .tests = view->tests,
                          .calibration = view->calibration,
                          .events = view->events,
                          .edges_counted = view->edges_counted};
}

static void expect_rows(const struct result *result)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        struct row row;

        row_make(&run_view, result, e, &row);
        if (run_view.event[e].status != STATUS_OK)
            assert_int_equal(row.verdict, VERDICT_UNAVAILABLE);
        else if (row.verdict != (EVENTS[e].declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT))
            fail_msg("CPU %u, %s: %s, '%s'", result->cpu, EVENTS[e].name, verdict_name(row.verdict),
                     row.reason);
    }
}

TEST(results_in_turn_find_their_cpu)
{
    struct known known[CPUS] = {0};
    struct journal_cursor cursor;
    const struct journal_head *head;
    unsigned results = 0;

    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        describe(cpu);
        run_calibration();
    }
    for (unsigned kernel = 0; kernel < KERNELS; kernel++)
        for (unsigned cpu = 0; cpu < CPUS; cpu++) {
            run_again(cpu, CHANGE[cpu]);
            run_result(kernel, STATUS_OK);
        }
    cursor = journal_start(run_bytes, run_journal.used);
    view_start(&run_view, run_scratch, 256);
    while ((head = journal_next(&cursor))) {
        const struct result *result = view_take(&run_view, &cursor, head);
        struct known now = known_of(&run_view);

        if (run_view.calibration && results == 0)
            known[run_view.cpu->cpu] = now;
        if (!result)
            continue;
        assert_int_equal(result->cpu, results % CPUS);
        assert_int_equal(result->kernel, results / CPUS);
        assert_memory_equal(&now, &known[result->cpu], sizeof(now));
        assert_int_equal(now.cpu->cpu, result->cpu);
        assert_non_null(now.tests);
        assert_int_equal(now.tests->cpu, result->cpu);
        assert_int_equal(now.calibration->cpu, result->cpu);
        assert_int_equal(now.edges_counted, WRMSR[result->cpu]);
        expect_rows(result);
        results++;
    }
    assert_int_equal(results, CPUS * KERNELS);
    assert_ptr_not_equal(known[0].schedule, known[1].schedule);
    assert_int_equal(run_view.kernels, KERNELS);
}

static void expect_nothing_known(void)
{
    static const struct known NOTHING = {.edges_counted = 1}; /* Intel's default */
    struct known now = known_of(&run_view);

    assert_memory_equal(&now, &NOTHING, sizeof(now));
}

/* Nothing is known of a CPU that was not seen, or of an invalid number. */
TEST(cpus_that_were_not_seen)
{
    static const uint32_t CPU[] = {1, VIEW_CPUS_MAX - 1, VIEW_CPUS_MAX, UINT32_MAX};

    for (size_t i = 0; i < sizeof(CPU) / sizeof(CPU[0]); i++) {
        struct again again = {.cpu = CPU[i]};

        begin();
        describe(0);
        run_calibration();
        run_append(RECORD_AGAIN, &again, sizeof(again));
        run_look_at(0);
        expect_nothing_known();
        assert_int_equal(run_results_count, 0);
        run_again(0, NULL); /* CPU 0 is still known */
        run_look_at(0);
        assert_int_equal(run_results_count, 1);
        expect_rows(run_last);
    }
}

TEST(a_record_that_is_too_short)
{
    struct again again = {.cpu = 0};

    describe(0);
    run_calibration();
    run_append(RECORD_AGAIN, &again, sizeof(again) - 1);
    run_look_at(0);
    expect_nothing_known();
    assert_int_equal(run_results_count, 0);
}

/*
 * The view gives position 0 to a CPU that it has not seen. Here an AGAIN record is at position 0,
 * and must not be taken for a record of the unseen CPU.
 */
TEST(at_the_start_of_the_journal)
{
    run_journal.used = run_journal.sequence = 0;
    run_again(0, NULL);
    run_append(RECORD_RUN, &run_record, sizeof(run_record));
    run_kernel("one", EXPECT_EXACT);
    run_look();
    assert_non_null(run_view.run);
    expect_nothing_known();
    describe(0);
    run_measure(0);
    assert_int_equal(run_results_count, 1);
    expect_rows(run_last);
}

TEST(a_cpu_at_the_start_of_the_journal)
{
    run_journal.used = run_journal.sequence = 0;
    describe(0);
    run_calibration();
    run_append(RECORD_RUN, &run_record, sizeof(run_record));
    run_kernel("one", EXPECT_EXACT);
    run_again(0, NULL);
    run_look_at(0);
    expect_nothing_known();
    assert_int_equal(run_results_count, 0);
    describe(0);
    run_measure(0);
    assert_int_equal(run_results_count, 1);
    expect_rows(run_last);
}

TEST(a_cpu_without_calibration)
{
    for (unsigned last = 0; last < 2; last++) {
        struct row row;

        begin();
        describe(1 - last);
        if (last)
            run_calibration();
        describe(last);
        if (!last)
            run_calibration();
        run_again(1, CHANGE[1]);
        run_result(0, STATUS_TIMEOUT);
        run_look();
        assert_int_equal(run_results_count, 1);
        assert_int_equal(run_view.cpu->cpu, 1);
        assert_int_equal(run_view.events, EVENTS_COUNT);
        assert_int_equal(run_view.schedule->passes, run_schedule.passes);
        assert_int_equal(run_view.tests->cpu, 1);
        assert_null(run_view.calibration);
        row_make(&run_view, run_last, 0, &row);
        assert_int_equal(row.verdict, VERDICT_TIMEOUT);
        run_again(0, CHANGE[0]);
        run_look_at(0);
        assert_int_equal(run_view.calibration->cpu, 0);
        expect_rows(run_last);
    }
}

/* If a CPU's records are read again, a kernel's record among them gets no second number. */
TEST(a_kernel_among_them)
{
    describe(0);
    run_kernel("three", EXPECT_EXACT);
    run_calibration();
    for (unsigned i = 0; i < 3; i++)
        run_again(0, NULL);
    run_kernel("four", EXPECT_EXACT);
    run_look_at(3);
    assert_int_equal(run_view.kernels, 4);
    assert_int_equal(run_results_count, 1);
    assert_string_equal(run_view.kernel[3]->name, "four");
}

TEST(records_that_cannot_be_right)
{
    for (unsigned wrong = 0; wrong < 3; wrong++) {
        begin();
        describe(1);
        run_calibration();
        run_make_cpu(0, NULL);
        if (wrong == 0)
            run_cpu_record.caps.gp_count = GP_COUNTERS_MAX + 1;
        if (wrong == 1)
            run_events[0].unit = UNITS;
        if (wrong == 2)
            run_schedule.pass[0].slots = SLOTS_MAX + 1;
        run_describe();
        run_make_cpu(0, NULL);
        run_calibration();
        run_again(0, NULL);
        run_look_at(0);
        assert_int_equal(run_results_count, 0);
        assert_int_equal(run_view.cpu != NULL, wrong > 0);
        assert_int_equal(run_view.event != NULL, wrong > 1);
        assert_null(run_view.schedule);
        assert_null(run_view.calibration);
        run_again(1, CHANGE[1]);
        run_look_at(0);
        assert_int_equal(run_results_count, 1);
        expect_rows(run_last);
    }
}
