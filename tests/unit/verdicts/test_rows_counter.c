/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter's failed test affects all rows of its events. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/json.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"
#include "pmu/files/render.h"

static struct counter_tests tests;

static void run_tests_of(unsigned cpu, uint64_t failed)
{
    tests = (struct counter_tests){
        .cpu = cpu, .general_named = 6, .general_kept = 4, .wrmsr_counted = 1, .windows = 574};
    for (unsigned i = 0; i < 7; i++) {
        bool fixed = i >= 4;
        uint8_t number = (uint8_t)(fixed ? i - 4 : i);

        tests.counter[tests.counters++] = (struct tested_counter){
            .fault = failed >> (number + (fixed ? 32 : 0)) & 1 ? COUNTER_CARRY : COUNTER_RIGHT,
            .fixed = fixed,
            .counter = number,
            .bit = 9};
    }
    run_append(RECORD_TEST, &tests, sizeof(tests));
}

static void begin(unsigned cpu)
{
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(cpu, NULL);
}

static void expect_just(unsigned event, enum verdict verdict, const char *reason)
{
    expect_row(event, verdict, reason);
    assert_string_equal(row.reason, reason);
}

static const char *failure(const struct slot *slot)
{
    return formatted("%s%u failed its test: carries are lost above bit 9",
                     slot->where == SLOT_FIXED ? "fixed" : "pmc", slot->counter);
}

/* Exactly the rows of events on the failed counter are `off`, in every pass. */
TEST(all_rows_of_a_failed_counter_are_off)
{
    static const uint64_t COUNTERS[] = {1 << 0, 1 << 3, 1ull << 32, 1ull << 34};
    unsigned off = 0;

    for (size_t c = 0; c < sizeof(COUNTERS) / sizeof(COUNTERS[0]); c++) {
        begin(3);
        run_tests_of(3, COUNTERS[c]);
        run_measure(0);
        for (unsigned e = 0; e < EVENTS_COUNT; e++) {
            unsigned pass, index;
            const struct slot *slot;

            assert_true(schedule_find(run_view.schedule, e, &pass, &index));
            slot = &run_view.schedule->pass[pass].slot[index];
            if (COUNTERS[c] == 1ull << (slot->counter + (slot->where == SLOT_FIXED ? 32 : 0))) {
                expect_just(e, VERDICT_OFF, failure(slot));
                off++;
            } else {
                expect_right(e);
            }
        }
        assert_int_equal(make(EVENTS_COUNT)->verdict, VERDICT_MEASURED); /* the TSC */
    }
    /* ten events on four general counters, and one on each fixed counter */
    assert_int_equal(off, 3 + 2 + 1 + 1);
}

static void one_more_now_and_then(struct point *point)
{
    point->value += point->attempt % 2;
}

/*
 * Reasons of declared events name the window, then the counter test. Other reasons name only the
 * test.
 */
TEST(the_window_stands_first)
{
    static const struct {
        void (*hook)(struct point *point);
        enum verdict verdict;
        const char *reason;
    } ROWS[] = {
        {one_more, VERDICT_OFF, "window cost: the empty window counted 3 to 3, declared 2"},
        {one_more_now_and_then, VERDICT_NOISY,
         "window cost: the empty window counted 2 to 3, declared 2"},
        {mute, VERDICT_OFF, "window cost: the empty window counted 0 to 0, declared 2"},
    };
    unsigned branches = run_event("BR_INST_RETIRED.ALL_BRANCHES");
    unsigned cycles = run_event("CPU_CLK_UNHALTED.THREAD_P");

    for (size_t r = 0; r < sizeof(ROWS) / sizeof(ROWS[0]); r++) {
        begin(0);
        run_tests_of(0, UINT64_MAX);
        run_hook = ROWS[r].hook;
        run_measure(0);
        make(branches);
        expect_just(branches, ROWS[r].verdict,
                    formatted("%s; %s", ROWS[r].reason, failure(&row.slot)));
        expect_just(cycles, VERDICT_OFF, failure(&make(cycles)->slot));
    }
}

/*
 * The record of a counter test is ignored if it is of another CPU, lists too many counters, is
 * truncated, or precedes the CPU's record.
 */
TEST(tests_that_are_not_the_cpus)
{
    begin(1);
    run_tests_of(2, UINT64_MAX);
    run_look();
    assert_null(run_view.tests);
    tests.cpu = 1;
    tests.counters = SLOTS_MAX + 1;
    run_append(RECORD_TEST, &tests, sizeof(tests));
    run_look();
    assert_null(run_view.tests);
    tests.counters = 7;
    run_append(RECORD_TEST, &tests, sizeof(tests) - 1);
    run_look();
    assert_null(run_view.tests);
    run_append(RECORD_TEST, &tests, sizeof(tests));
    run_look();
    assert_non_null(run_view.tests);
    run_cpu(1, NULL);
    run_look();
    assert_null(run_view.tests);
}

TEST(it_stands_in_run_json)
{
    static char text[256 << 10];
    struct out out = out_buffer(text, sizeof(text));
    struct render r = {.journal = run_bytes, .scratch = run_scratch, .scratch_count = 256};

    begin(0);
    run_tests_of(0, 1 << 1 | 1ull << 33);
    run_measure(0);
    r.journal_bytes = run_journal.used;
    assert_true(render_run_json(&r, &out));
    out_end(&out);
    assert_true(json_is_valid(text, strlen(text)));
    assert_non_null(strstr(text, "\"counter_test\": {"));
    assert_non_null(strstr(text, "\"status\": \"ok\""));
    assert_non_null(strstr(text, "\"windows\": 574"));
    assert_non_null(strstr(text, "\"general_named\": 6"));
    assert_non_null(strstr(text, "\"general_kept\": 4"));
    assert_non_null(strstr(text, "\"pmc1 failed its test: carries are lost above bit 9\",\n"));
    assert_non_null(strstr(text, "\"fixed1 failed its test: carries are lost above bit 9\"\n"));
}
