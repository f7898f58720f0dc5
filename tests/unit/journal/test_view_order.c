/* SPDX-License-Identifier: BSD-2-Clause */
/* Records out of order, repeated or too many, and calibrations with extreme values or a fault. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/events/text.h"
#include "tests/unit/fakes/run.h"

static void begin(void)
{
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
}

BEFORE_EACH(begin);

TEST(the_first_run_and_end_hold)
{
    struct end_record end = {.elapsed_us = 7};

    run_end();
    run_record.number = 99;
    run_append(RECORD_RUN, &run_record, sizeof(run_record));
    run_append(RECORD_END, &end, sizeof(end));
    run_look();
    assert_int_equal(run_view.run->number, 12);
    assert_int_equal(run_view.end->elapsed_us, 1234567);
}

TEST(a_cpu_before_the_run_is_not_believed)
{
    run_journal.used = run_journal.sequence = 0;
    run_cpu(0, NULL);
    run_append(RECORD_RUN, &run_record, sizeof(run_record));
    run_kernel("one", EXPECT_EXACT);
    run_look_at(0);
    assert_null(run_view.cpu);
    assert_int_equal(run_results_count, 0);
}

TEST(a_wrong_cpu_hides_the_one_before)
{
    run_cpu(0, NULL);
    run_cpu_record.caps.gp_count = GP_COUNTERS_MAX + 1;
    run_describe();
    run_look_at(0);
    assert_null(run_view.cpu);
    assert_int_equal(run_results_count, 0);
}

/* Results of the invalid kernel are ignored. */
TEST(a_wrong_kernel_keeps_its_number)
{
    struct known_kernel wrong = {.n = 0};

    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &wrong, sizeof(wrong));
    run_kernel("two", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_result(0, STATUS_OK);
    run_look_at(1);
    assert_int_equal(run_view.kernels, 2);
    assert_int_equal(run_results_count, 1);
    assert_int_equal(run_results[0]->kernel, 1);
    assert_string_equal(run_view.kernel[1]->name, "two");
}

TEST(more_kernels_than_there_is_room_for)
{
    run_begin(NULL, "");
    for (unsigned i = 0; i < KERNELS_MAX + 2; i++)
        run_kernel(i < KERNELS_MAX ? "within" : "beyond", EXPECT_NOTHING);
    run_look();
    assert_int_equal(run_view.kernels, KERNELS_MAX);
    assert_string_equal(run_view.kernel[KERNELS_MAX - 1]->name, "within");
    run_cpu(0, NULL);
    run_result(KERNELS_MAX - 1, STATUS_TIMEOUT);
    run_result(KERNELS_MAX, STATUS_TIMEOUT);
    run_look();
    assert_int_equal(run_results_count, 1);
}

TEST(a_result_without_samples_has_no_stride)
{
    struct result result = {.cpu = 0, .status = STATUS_CPU_FEATURE};

    run_cpu(0, NULL);
    run_append(RECORD_RESULT, &result, sizeof(result));
    result.samples = 1;
    run_append(RECORD_RESULT, &result, sizeof(result));
    run_look();
    assert_int_equal(run_results_count, 1);
    assert_int_equal(run_results[0]->samples, 0);
}

/* A sample of the second pass is larger than the result's stride. */
TEST(every_pass_must_have_room)
{
    struct {
        struct result result;
        struct sample sample;
    } short_one = {.result = {.stride_bytes = SAMPLE_BYTES(0), .samples = 1}};

    run_cpu(0, NULL);
    run_schedule.pass[0].slots = 0;
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(run_schedule.passes));
    run_append(RECORD_RESULT, &short_one, sizeof(short_one));
    run_look();
    assert_non_null(run_view.schedule);
    assert_int_equal(run_results_count, 0);
    run_schedule.passes = 1; /* the first pass has no slots, so the stride suffices */
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(run_schedule.passes));
    run_append(RECORD_RESULT, &short_one, sizeof(short_one));
    run_look();
    assert_int_equal(run_results_count, 1);
}

static void all_counters(struct cpu_caps *caps)
{
    caps->gp_count = GP_COUNTERS_MAX;
    caps->fixed_map = 0xf;
}

static void a_fourth_fixed(unsigned index, struct event *event)
{
    if (index == run_event("LONGEST_LAT_CACHE.MISS")) {
        event->fixed_only = 1;
        event->fixed = 3;
    }
}

TEST(the_largest_pass_is_calibrated)
{
    run_change_event = a_fourth_fixed;
    for (unsigned i = 0; i < 4; i++) {
        event_begin((struct piece){"MORE", 4}, RING_OS, &run_more[run_more_count]);
        run_more[run_more_count++].select = 0x1d1;
    }
    run_cpu(0, all_counters);
    run_calibration();
    run_look();
    assert_int_equal(run_view.schedule->pass[0].slots, SLOTS_MAX);
    for (unsigned p = 0; p < 2; p++)
        for (unsigned s = 0; s < run_view.schedule->pass[p].slots; s++) {
            const struct baseline baseline = view_baseline(&run_view, p, s);
            uint64_t value =
                run_value(KERNEL_CALIBRATION, run_view.schedule->pass[p].slot[s].event, SAMPLE_N);

            assert_int_equal(baseline.samples, RUN_CALIBRATION);
            assert_int_equal(baseline.min, value);
            assert_int_equal(baseline.max, value);
        }
}

TEST(a_late_kernel)
{
    run_cpu(0, NULL);
    run_calibration();
    run_kernel("late", EXPECT_EXACT);
    run_look_at(1);
    assert_int_equal(run_results_count, 1);
    assert_int_equal(view_baseline(&run_view, 0, 0).samples, RUN_CALIBRATION);
}

/* Impossible values become the largest or smallest allowed value. */
TEST(values_are_bounded)
{
    static const struct {
        uint64_t raw;
        int64_t value;
    } RAW[] = {
        {UINT64_MAX, -1}, /* differences may be negative */
        {INT64_MAX, 1ll << 52},  {1ull << 63, -(1ll << 52)},   {(1ull << 52) - 1, (1ll << 52) - 1},
        {1ull << 52, 1ll << 52}, {(1ull << 52) + 1, 1ll << 52}};
    static int64_t values[4] = {-7, -7, -7, -7};
    struct result *result;

    run_cpu(0, NULL);
    run_look_at(0);
    result = (struct result *)(run_bytes + ((const char *)run_last - run_bytes));
    run_view.scratch = values;
    run_view.scratch_count = 3;
    for (size_t i = 0; i < sizeof(RAW) / sizeof(RAW[0]); i++) {
        ((struct sample *)result_sample(result, 0))->raw[0] = RAW[i].raw;
        assert_int_equal(view_values(&run_view, result, 0, 0, SAMPLE_N, NULL), 3);
        assert_int_equal(values[0], RAW[i].value);
        assert_int_equal(values[3], -7);
    }
}

TEST(a_faulty_calibration_is_none)
{
    struct result *result;

    run_cpu(0, NULL);
    run_calibration();
    run_look();
    assert_int_equal(view_baseline(&run_view, 0, 0).samples, RUN_CALIBRATION);
    result = (struct result *)(run_bytes + ((const char *)run_view.calibration - run_bytes));
    result->status = STATUS_FAULT;
    assert_int_equal(view_baseline(&run_view, 0, 0).samples, 0);
    assert_int_equal(view_baseline(&run_view, 0, SLOT_TSC).samples, 0);
}

static void append_events(unsigned events)
{
    run_append(RECORD_EVENTS, run_events, events * sizeof(run_events[0]));
}

static void append_schedule(void)
{
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(run_schedule.passes));
}

/* A REASONS record contains one text for each event of the EVENTS record before it. */
TEST(reasons_of_events)
{
    static const char TEXT[] = "one\0\0three";

    run_cpu(0, NULL);
    append_events(3);
    run_append(RECORD_REASONS, TEXT, sizeof(TEXT));
    run_look();
    assert_string_equal(view_reason(&run_view, 0), "one");
    assert_null(view_reason(&run_view, 1));
    assert_string_equal(view_reason(&run_view, 2), "three");
    run_append(RECORD_REASONS, TEXT, sizeof(TEXT) - 1); /* ignored: the third text has no end */
    run_append(RECORD_REASONS, "four\0five", sizeof("four\0five"));
    run_append(RECORD_REASONS, "\0\0\0\0", 4);
    run_append(RECORD_REASONS, "", 0);
    run_look();
    assert_string_equal(view_reason(&run_view, 2), "three");
    append_events(3);
    run_look();
    assert_null(view_reason(&run_view, 0));
}

/* A schedule belongs to the events before it, and a calibration to the schedule before it. */
TEST(later_events_and_schedules_hide_what_was_before)
{
    run_cpu(0, NULL);
    run_calibration();
    run_look();
    assert_non_null(run_view.calibration);
    append_schedule();
    run_look();
    assert_non_null(run_view.schedule);
    assert_null(run_view.calibration);
    run_calibration();
    append_events(EVENTS_COUNT);
    run_look();
    assert_int_equal(run_view.events, EVENTS_COUNT);
    assert_null(run_view.schedule);
    assert_null(run_view.calibration);
    run_result(0, STATUS_OK);
    run_look();
    assert_int_equal(run_results_count, 0);
}

TEST(a_schedule_needs_its_events)
{
    run_cpu(0, NULL);
    append_events(EVENTS_COUNT - 1);
    append_schedule();
    run_measure(0);
    assert_int_equal(run_view.events, EVENTS_COUNT - 1);
    assert_null(run_view.schedule);
    assert_null(run_view.calibration);
    assert_int_equal(run_results_count, 0);
    begin();
    run_cpu(0, NULL);
    run_append(RECORD_CPU, &run_cpu_record, sizeof(run_cpu_record));
    append_schedule();
    append_events(EVENTS_COUNT);
    run_look();
    assert_non_null(run_view.event);
    assert_null(run_view.schedule);
    append_schedule();
    run_look();
    assert_non_null(run_view.schedule);
}

TEST(events_before_their_cpu)
{
    append_events(EVENTS_COUNT);
    run_look();
    assert_null(run_view.event);
    assert_int_equal(run_view.events, 0);
}
