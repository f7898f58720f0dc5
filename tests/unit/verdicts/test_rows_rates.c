/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of uncore events, and the time that they are based on. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/rows_uncore.h"
/* 128,000 bytes in 1 µs are 128 GB/s; 122 mJ in 0.3 s are 0.40667 W. */
TEST(rates)
{
    tsc_hz = FAST_HZ;
    run_all();
    make(READ_BYTES);
    assert_true(row.has_rate);
    assert_int_equal(row.rate_milli, 64 * RAW);
    make(LOOKUPS);
    assert_false(row.has_rate);
    make(CLOCK);
    assert_false(row.has_rate);
    tsc_hz = SLOW_HZ;
    run_all();
    make(ENERGY);
    assert_true(row.has_rate);
    assert_int_equal(row.rate_milli, 407);
    source = TSC_UNKNOWN; /* the frequency is a guess */
    run_all();
    source = TSC_CPUID_15H;
    make(ENERGY);
    assert_int_equal(row.verdict, VERDICT_MEASURED);
    assert_false(row.has_rate);
}

static uint16_t first_disturbed;

static uint16_t disturbed(const struct point *point)
{
    return point->kernel == 0 && point->attempt == 0 ? first_disturbed : 0;
}

static void first_is_long(const struct point *point, struct sample *sample)
{
    if (point->kernel != 0 || point->attempt != 0)
        return;
    sample->tsc = run_tsc(point->pass, 2 * RUN_N);
    for (unsigned s = 0; s < run_schedule.pass[point->pass].slots; s++)
        sample->raw[s] += RAW;
}

/* The package goes on counting in a gap and in an SMI, so both make uncore rows noisy. */
TEST(evidence_of_time)
{
    static const char *const NOISY[] = {
        "only 3 of 4 samples were clean, 1 rejected (gap)",
        "only 3 of 4 samples were clean, 1 rejected (smi)",
    };

    begin_at(SLOW_HZ);
    run_evidence = disturbed;
    first_disturbed = EVIDENCE_GAP;
    run_finish = first_is_long;
    measure_cpu();
    expect(CLOCK, VERDICT_NOISY, NOISY[0]);
    expect(ENERGY, VERDICT_NOISY, NOISY[0]);
    assert_true(row.stats.max == STEP_UJ * RAW);
    assert_int_equal(row.rate_milli, 407);
    expect(LOOKUPS, VERDICT_NOISY, NOISY[0]);
    expect(READ_BYTES, VERDICT_NOISY, NOISY[0]);
    assert_true(row.stats.max == 64 * RAW);
    first_disturbed = EVIDENCE_SMI;
    run_look_at(0);
    expect(LOOKUPS, VERDICT_NOISY, NOISY[1]);
    expect(READ_BYTES, VERDICT_NOISY, NOISY[1]);
    assert_true(row.stats.max == 64 * RAW);
}

/* The rate is the ratio of the means: 5 * 128,000 bytes in 5 us. */
TEST(a_rate_of_unlike_windows)
{
    begin_at(FAST_HZ);
    run_finish = first_is_long;
    measure_cpu();
    make(READ_BYTES);
    assert_true(row.stats.mean_milli == 64000ll * RAW * 5 / 4);
    assert_int_equal(row.rate_milli, 64 * RAW);
}

static void in_parallel(struct run_record *run)
{
    settings(run);
    run->parallel = 1;
}

/*
 * MPERF runs until the last CPU's window has closed. MPERF thus runs for 9000 ticks, three times as
 * long as the kernel takes on this CPU. The empty window adds 500 ticks.
 */
static void waits_for_others(const struct point *point, struct sample *sample)
{
    sample->mperf = point->kernel == 0 ? 9000 + 500 : 500;
}

/* If other CPUs run too, only MPERF shows how long the package counts. */
TEST(rates_beside_others)
{
    static const struct {
        bool parallel;
        uint32_t partner, flags;
        int64_t rate_milli; /* 0: none */
    } ROWS[] = {
        {false, CPU_NONE, CPU_HAS_APERF, 64 * RAW},
        {true, CPU_NONE, CPU_HAS_APERF, (64 * RAW + 1) / 3},
        {false, 1, CPU_HAS_APERF, (64 * RAW + 1) / 3},
        {true, CPU_NONE, 0, 0},
        {true, CPU_NONE, CPU_HAS_APERF | CPU_MPERF_DIFFERS, 0},
    };

    tsc_hz = FAST_HZ;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        begin_with(ROWS[i].parallel ? in_parallel : settings);
        run_partner = ROWS[i].partner;
        run_finish = waits_for_others;
        run_make_cpu(0, NULL);
        run_cpu_record.flags = ROWS[i].flags;
        run_describe();
        measure();
        make(READ_BYTES);
        assert_int_equal(row.has_rate, ROWS[i].rate_milli != 0);
        assert_int_equal(row.has_rate ? row.rate_milli : 0, ROWS[i].rate_milli);
    }
}

static uint64_t kernel_ticks;

static void all_are(const struct point *point, struct sample *sample)
{
    if (point->kernel == 0)
        sample->tsc = kernel_ticks;
}

/* A window at most twice as long as the empty one is too short for a rate. */
TEST(no_rate_of_nearly_empty_windows)
{
    unsigned pass;

    begin_at(FAST_HZ);
    run_finish = all_are;
    run_cpu(0, NULL);
    run_uncore_slot(READ_BYTES, &pass);
    kernel_ticks = 2 * run_tsc(pass, 0) + 1;
    measure();
    make(READ_BYTES);
    assert_true(row.has_rate);
    kernel_ticks--;
    run_look_at(0);
    expect(READ_BYTES, VERDICT_MEASURED, "");
    assert_false(row.has_rate);
}
