/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's summary of failures at the end of a run. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"
#include "pmu/report/report.h"

#define RAISED "    the kernel raised an exception: #UD (6), error code 0x10, at offset 0x1c0\n"
#define ROWS   (EVENTS_COUNT + 1) /* with the TSC's row */

static char console[16384];
static struct report report;
static struct rows rows;
static struct out out;

static const char *told(void)
{
    const struct tally none = {.counted = 0};
    struct journal_cursor cursor = journal_start(run_bytes, run_journal.used);
    const struct journal_head *head;
    char *end;

    out = out_buffer(console, sizeof(console));
    report_start(&report, &out, 8);
    report.table_cpu = PLAN_CPUS_MAX;
    view_start(&run_view, run_scratch, 256);
    while ((head = journal_next(&cursor))) {
        const struct result *result = view_take(&run_view, &cursor, head);

        if (!result)
            continue;
        rows_judge(&rows, &run_view, result);
        report_result(&report, &rows);
    }
    out = out_buffer(console, sizeof(console));
    report_rows(&report, &none);
    out_end(&out);
    end = strstr(console, "\nRows ");
    assert_non_null(end);
    *end = 0;
    return console;
}

static void on_cpus(unsigned count, const unsigned *cpus, unsigned kernels, enum status status)
{
    for (unsigned i = 0; i < count; i++) {
        run_cpu(cpus[i], NULL);
        run_calibration();
        for (unsigned k = 0; k < kernels; k++)
            run_result(k, status);
    }
}

TEST(nothing_failed)
{
    run_begin(NULL, "");
    run_kernel("good", EXPECT_EXACT);
    on_cpus(2, (const unsigned[]){0, 1}, 1, STATUS_OK);
    assert_string_equal(told(), "");
}

/* A fault has one line, however many rows and CPUs show it. */
TEST(a_fault_is_told_once)
{
    run_begin(NULL, "");
    run_kernel("bad", EXPECT_EXACT);
    on_cpus(4, (const unsigned[]){0, 1, 2, 5}, 1, STATUS_FAULT);
    on_cpus(1, (const unsigned[]){3}, 1, STATUS_TIMEOUT);
    assert_string_equal(told(), formatted("\n! bad on CPUs 0-2,5: fault, all %u rows\n" RAISED
                                          "! bad on CPU 3: timeout, all %u rows\n    %s\n",
                                          4 * ROWS, ROWS, status_text(STATUS_TIMEOUT)));
}

static void count_wrong(void (*hook)(struct point *point))
{
    run_begin(NULL, "");
    run_kernel("wrong", EXPECT_EXACT);
    run_hook = hook;
    on_cpus(3, (const unsigned[]){1, 2, 3}, 1, STATUS_OK);
}

static void one_more(struct point *point)
{
    int8_t declared = run_events[point->event].declared;

    if (point->kernel != KERNEL_CALIBRATION && point->cpu == 2)
        point->value += declared == DECLARED_INSTRUCTIONS || declared == DECLARED_STORES;
}

TEST(rows_that_are_off_have_their_events)
{
    long long instructions = run_count(DECLARED_INSTRUCTIONS, RUN_N),
              stores = run_count(DECLARED_STORES, RUN_N);

    count_wrong(one_more);
    assert_string_equal(told(),
                        formatted("\n! wrong INST_RETIRED.ANY and 1 more on CPU 2: off, 2 rows\n"
                                  "    expected %lld, counted %lld to %lld\n"
                                  "! wrong MEM_INST_RETIRED.ALL_STORES on CPU 2: off, 1 row\n"
                                  "    expected %lld, counted %lld to %lld\n",
                                  instructions, instructions + 1, instructions + 1, stores,
                                  stores + 1, stores + 1));
}

static void more_by_cpu(struct point *point)
{
    if (point->kernel != KERNEL_CALIBRATION && point->event == 0)
        point->value += point->cpu;
}

TEST(counts_of_an_event_that_differ_by_cpu_are_one_fault)
{
    long long instructions = run_count(DECLARED_INSTRUCTIONS, RUN_N);

    count_wrong(more_by_cpu);
    assert_string_equal(told(),
                        formatted("\n! wrong INST_RETIRED.ANY on CPUs 1-3: off, 3 rows\n"
                                  "    expected %lld, counted %lld to %lld (numbers differ)\n",
                                  instructions, instructions + 1, instructions + 1));
}

TEST(places_that_differ_by_cpu_are_one_fault)
{
    run_begin(NULL, "");
    run_kernel("bad", EXPECT_EXACT);
    run_fault_moves = 0x2a;
    on_cpus(3, (const unsigned[]){0, 1, 2}, 1, STATUS_FAULT);
    run_fault_moves = 0;
    assert_string_equal(told(), formatted("\n! bad on CPUs 0-2: fault, all %u rows\n"
                                          "    the kernel raised an exception: #UD (6), error code "
                                          "0x10, at offset 0x1c0\n    (numbers differ)\n",
                                          3 * ROWS));
}

TEST(a_fault_of_pairs)
{
    run_begin(NULL, "");
    run_kernel("pair", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_calibration();
    for (run_partner = 1; run_partner <= 3; run_partner++)
        run_result(0, STATUS_FAULT);
    run_partner = CPU_NONE;
    assert_string_equal(told(),
                        formatted("\n! pair on CPUs 0-3: fault, all %u rows\n" RAISED, 3 * ROWS));
}

TEST(a_cpu_that_is_lost_is_one_fault)
{
    run_begin(NULL, "");
    run_kernel("a", EXPECT_EXACT);
    run_kernel("b", EXPECT_EXACT);
    on_cpus(1, (const unsigned[]){7}, 2, STATUS_TIMEOUT);
    assert_string_equal(told(), formatted("\n! a and other kernels on CPU 7: timeout, all %u rows\n"
                                          "    %s\n",
                                          2 * ROWS, status_text(STATUS_TIMEOUT)));
}

TEST(kernels_that_hang_are_faults_of_their_own)
{
    run_begin(NULL, "");
    run_kernel("a", EXPECT_EXACT);
    run_kernel("b", EXPECT_EXACT);
    on_cpus(2, (const unsigned[]){0, 1}, 2, STATUS_HANG);
    told();
    assert_non_null(
        strstr(console, formatted("! a on CPUs 0-1: timeout, all %u rows\n", 2 * ROWS)));
    assert_non_null(
        strstr(console, formatted("! b on CPUs 0-1: timeout, all %u rows\n", 2 * ROWS)));
}

/* Each reason for unavailable rows is given once, after the failures. */
TEST(what_is_unavailable_has_its_reason)
{
    run_begin(NULL, "");
    run_kernel("bad", EXPECT_EXACT);
    run_kernel("vector", EXPECT_EXACT);
    run_kernel("wide", EXPECT_EXACT);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        run_cpu(cpu, NULL);
        run_calibration();
        run_result(0, STATUS_FAULT);
        run_result(1, STATUS_CPU_FEATURE);
        run_result(2, STATUS_CPU_FEATURE);
    }
    assert_string_equal(told(), formatted("\n! bad on CPUs 0-1: fault, all %u rows\n" RAISED
                                          "\n- vector and other kernels on CPUs 0-1: unavailable, "
                                          "all %u rows\n    %s\n",
                                          2 * ROWS, 4 * ROWS, status_text(STATUS_CPU_FEATURE)));
}

TEST(what_has_no_room_is_counted)
{
    static unsigned cpus[12];

    for (unsigned i = 0; i < 12; i++)
        cpus[i] = 2 * i;
    run_begin(NULL, "");
    for (unsigned k = 0; k < FAULTS_MAX + 2; k++)
        run_kernel(formatted("bad_%u", k), EXPECT_EXACT);
    on_cpus(12, cpus, FAULTS_MAX + 2, STATUS_FAULT);
    told();
    assert_non_null(strstr(console, formatted("\n! bad_63 on CPUs 0,2,4,6,8,10,12,14 and 4 more: "
                                              "fault, all %u rows\n" RAISED
                                              "! %u more rows failed: see results.csv\n",
                                              12 * ROWS, 2 * 12 * ROWS)));
    assert_null(strstr(console, "bad_64"));
}
