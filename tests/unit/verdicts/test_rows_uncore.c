/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of uncore events: values in their units. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/rows_uncore.h"
#include "pmu/report/report.h"

static void lookups(struct point *point)
{
    if (point->event == EVENTS_COUNT + LOOKUPS)
        point->value = 5 + (point->kernel == KERNEL_CALIBRATION ? 0 : 123);
}

TEST(values_in_their_units)
{
    begin_at(SLOW_HZ);
    run_hook = lookups;
    measure_cpu();
    expect_count(LOOKUPS, 123);
    expect_count(READ_BYTES, 64 * RAW);
    expect_count(CLOCK, RAW);
    expect_count(ENERGY, STEP_UJ * RAW);
    row_make(&run_view, run_last, run_event("INST_RETIRED.ANY_P"), &row);
    assert_int_equal(row.verdict, VERDICT_EXACT);
    assert_false(row.has_rate);
}

static uint64_t third_ticks;

static void third_is(const struct point *point, struct sample *sample)
{
    if (point->kernel == 0)
        sample->tsc = point->attempt == 2 && point->kind == SAMPLE_N ? third_ticks : 150000;
}

/* The shortest accepted sample decides whether the window is long enough. A tick is 1 us. */
TEST(energy_of_short_windows)
{
    begin_at(1000000);
    run_finish = third_is;
    run_cpu(0, NULL);
    third_ticks = 100000;
    measure();
    expect(ENERGY, VERDICT_MEASURED, "");
    third_ticks = 99999;
    run_look_at(0);
    expect(ENERGY, VERDICT_UNAVAILABLE,
           "energy registers are updated about once a millisecond; the window took 99.999 ms, 100 "
           "ms are needed: raise n");
    assert_int_equal(row.accepted, 0);
    assert_false(row.has_rate);
    expect(READ_BYTES, VERDICT_MEASURED, "");
    expect(CLOCK, VERDICT_MEASURED, "");
}

/* A 32-bit counter may wrap after 4 s, at an assumed maximum of 2^30 lines per second. */
TEST(counters_that_may_have_wrapped)
{
    struct uncore_record uncore = run_uncore_of(0);

    uncore.group[1].kind = KIND_IMC_FREE;
    uncore.group[1].width_bits = 32;
    begin_at(1000000);
    run_more[READ_BYTES].kind = KIND_IMC_FREE;
    run_finish = third_is;
    run_cpu(0, NULL);
    run_uncore(&uncore);
    third_ticks = 4000000;
    measure();
    expect(READ_BYTES, VERDICT_MEASURED, "");
    third_ticks++;
    run_look_at(0);
    expect(READ_BYTES, VERDICT_UNAVAILABLE,
           "a counter of 32 bits can wrap within 4000 ms; the window took 4000.001 ms: lower n");
    expect(LOOKUPS, VERDICT_MEASURED, "");
    uncore.group[1].width_bits = 48;
    run_cpu(0, NULL);
    run_uncore(&uncore);
    measure();
    expect(READ_BYTES, VERDICT_MEASURED, "");
}

static void overflow_after(struct run_record *run)
{
    settings(run);
    run->overflow_after = 10;
}

static void nothing_in_empty_windows(struct point *point)
{
    if (point->kernel == KERNEL_CALIBRATION && point->event >= EVENTS_COUNT)
        point->value = 0;
}

TEST(what_is_asked_of_cores_alone)
{
    begin_at(SLOW_HZ);
    run_begin(overflow_after, "");
    run_kernel("exact", EXPECT_EXACT);
    run_more_count = MORE;
    run_hook = nothing_in_empty_windows;
    measure_cpu();
    for (unsigned more = 0; more < MORE; more++)
        expect(more, VERDICT_MEASURED, "");
    make(CLOCK);
    assert_true(row.stats.min == RAW + RUN_CYCLES);
}

static unsigned uncore_pass;

static void more_instructions(struct point *point)
{
    if (point->kernel == 0 && point->pass == uncore_pass &&
        run_events[point->event].declared == DECLARED_INSTRUCTIONS)
        point->value += 9;
}

TEST(passes_are_held_against_each_other)
{
    char text[400];
    struct out out = out_buffer(text, sizeof(text));

    begin_at(FAST_HZ);
    run_cpu(0, NULL);
    run_uncore_slot(READ_BYTES, &uncore_pass);
    run_hook = more_instructions;
    measure();
    make(READ_BYTES);
    assert_int_equal(row.verdict, VERDICT_OFF);
    assert_non_null(strstr(row.reason, "passes: "));
    table_uncore(run_rows(), 79, &out);
    assert_non_null(strstr(out_end(&out), "dram_read_bytes off;"));
}

TEST(differences)
{
    struct known_kernel kernel = {.n = RUN_N, .name = "code", .flags = KNOWN_DIFFERENCE};

    begin_at(FAST_HZ);
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_cpu(0, NULL);
    run_measure(1);
    make(READ_BYTES);
    assert_true(row.twice.mean_milli == 2 * 64000ll * RAW);
    row_make(&run_view, run_last, run_event("CPU_CLK_UNHALTED.THREAD_P"), &row);
    assert_true(row.twice.mean_milli == 2000ll * RAW);
}
