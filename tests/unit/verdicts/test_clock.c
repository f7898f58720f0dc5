/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's frequency from core and reference cycles, which are added up over samples. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "pmu/verdicts/clock.h"

#define CORE      "CPU_CLK_UNHALTED.THREAD"
#define REFERENCE "CPU_CLK_UNHALTED.REF_TSC"

/* value * factor / divisor, rounded half up. */
static uint64_t rounded(uint64_t value, uint64_t factor, uint64_t divisor)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)(((wide)value * factor * 2 + divisor) / ((wide)divisor * 2));
}

/* Counts of 1e8 iterations on a Xeon E-2278G, whose TSC runs at 3.4 GHz. */
TEST(the_example)
{
    const uint64_t core = 500483266, reference = 350062518, base_mhz = 3400;
    uint64_t khz = scale_khz(core, reference, base_mhz * 1000000);

    assert_int_equal((khz + 500) / 1000, 4861);
    assert_int_equal((khz + 500) / 1000, rounded(base_mhz, core, reference));
    assert_int_equal(khz, rounded(core, base_mhz * 1000, reference));
    /* the time of the reference cycles is 350062518 / 3.4 ns */
    assert_in_range(scale_ns_milli(core, khz), reference * 10000 / 34 - 20000,
                    reference * 10000 / 34 + 20000);
    assert_int_equal(scale_ns_milli(1, khz), 206); /* 1 / 4.860977 = 0.2057 */
}

TEST(the_formula)
{
    static const uint64_t COUNTS[] = {
        1, 2, 3, 999, 2040, (1ull << 32) - 1, 1ull << 32, (1ull << 48) - 1, 1ull << 48, 1ull << 60};
    static const uint64_t BASES[] = {1, 499, 500, 100000000, 133333333, TSC_HZ, 10000000000};

    for (size_t c = 0; c < sizeof(COUNTS) / sizeof(COUNTS[0]); c++)
        for (size_t r = 0; r < sizeof(COUNTS) / sizeof(COUNTS[0]); r++)
            for (size_t b = 0; b < sizeof(BASES) / sizeof(BASES[0]); b++) {
                __extension__ typedef unsigned __int128 wide;
                wide hz = (wide)COUNTS[c] * BASES[b] / COUNTS[r];

                if (hz <= UINT64_MAX) /* rounded half up */
                    assert_int_equal(scale_khz(COUNTS[c], COUNTS[r], BASES[b]),
                                     (uint64_t)((hz + 500) / 1000));
                else
                    assert_in_range(scale_khz(COUNTS[c], COUNTS[r], BASES[b]), UINT64_MAX / 1000,
                                    UINT64_MAX / 1000 + 1);
            }
    assert_int_equal(scale_khz(1, 2, 1000), 1);
    assert_int_equal(scale_khz(499, 1000, 1000), 0);
    assert_int_equal(scale_khz(7, 7, TSC_HZ), 2100000);
    assert_int_equal(scale_khz(0, 7, TSC_HZ), 0);
    assert_int_equal(scale_khz(7, 0, TSC_HZ), 0);
    assert_int_equal(scale_khz(7, 7, 0), 0);
}

TEST(nanoseconds)
{
    assert_int_equal(scale_ns_milli(2100, 2100000), 1000000); /* 2100 cycles are 1000 ns */
    assert_int_equal(scale_ns_milli(1, 2000000), 500);
    assert_int_equal(scale_ns_milli(1, 3000000), 333); /* 0.3333 ns */
    assert_int_equal(scale_ns_milli(2, 3000000), 667);
    assert_int_equal(scale_ns_milli(1, 2000000000), 1); /* half of a thousandth */
    assert_int_equal(scale_ns_milli(1ull << 48, 1 << 20), (1ull << 28) * 1000000000);
    assert_int_equal(scale_ns_milli(0, 1), 0);
    assert_int_equal(scale_ns_milli(1, 0), 0);
    assert_int_equal(scale_ns_milli(UINT64_MAX, 1), UINT64_MAX);
}

TEST(nanoseconds_of_a_median)
{
    assert_int_equal(clock_median_ns_milli(2100000, 2100000), 1000000); /* 2100 cycles */
    assert_int_equal(clock_median_ns_milli(1500, 2000000), 750);        /* 1.5 at 2 GHz */
    assert_int_equal(clock_median_ns_milli(-1500, 2000000), -750);
    assert_int_equal(clock_median_ns_milli(500, 3000000), 167); /* 0.1667 ns */
    assert_int_equal(clock_median_ns_milli(-500, 3000000), -167);
    assert_int_equal(clock_median_ns_milli(0, 3000000), 0);
    assert_int_equal(clock_median_ns_milli(7000, 0), 0);
    assert_int_equal(clock_median_ns_milli(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(clock_median_ns_milli(INT64_MIN, 1), -INT64_MAX);
    assert_int_equal(clock_median_ns_milli(INT64_MIN, 1000000), -INT64_MAX);
}

/* The core cycles of later passes, and those at 2n, must be ignored. */
static void half_the_pace(struct point *point)
{
    if (point->event == run_event(REFERENCE))
        point->value /= 2;
    if (point->event == run_event(CORE) && (point->pass > 0 || point->kind == SAMPLE_2N))
        point->value = 1;
}

static uint16_t second_is_bad(const struct point *point)
{
    return point->attempt == 1 ? EVIDENCE_SMI : 0;
}

static struct clock add_all(void)
{
    struct clock clock = {0};

    run_look();
    for (unsigned i = 0; i < run_results_count; i++)
        clock_add(&clock, &run_view, run_results[i]);
    return clock;
}

TEST(what_is_added_up)
{
    const uint64_t core = RUN_CYCLES + SLOPE_CYCLES * RUN_N;
    struct clock clock;

    with_two_kernels();
    run_cpu(0, NULL);
    run_hook = half_the_pace;
    run_calibration();
    run_result(0, STATUS_OK);
    run_evidence = second_is_bad;
    run_result(1, STATUS_OK);
    run_result(1, STATUS_TIMEOUT);
    clock = add_all();
    assert_int_equal(clock.core, core * (RUN_RUNS + RUN_RUNS - 1));
    assert_int_equal(clock.reference, core / 2 * (RUN_RUNS + RUN_RUNS - 1));
    assert_int_equal(clock.kernels, 2);
    assert_int_equal(clock.samples, RUN_RUNS + RUN_RUNS - 1);
    assert_int_equal(clock_run_khz(&clock, run_view.run), 2 * TSC_HZ / 1000);
}

static void a_zen_4(struct cpu_caps *caps)
{
    *caps = (struct cpu_caps){
        .vendor = VENDOR_AMD, .family = 0x19, .model = 0x11, .features = FEATURE_AMD_CORE};
    caps_take_amd_pmu((struct cpuid_regs){.eax = 1, .ebx = 6}, caps);
}

static void half_the_pace_of_amd(struct point *point)
{
    if (point->event == run_event("CYCLES_NOT_IN_HALT.P0_FREQ"))
        point->value /= 2;
}

TEST(on_amd)
{
    struct clock clock;

    with_two_kernels();
    run_cpu(0, a_zen_4);
    run_hook = half_the_pace_of_amd;
    run_calibration();
    run_result(0, STATUS_OK);
    clock = add_all();
    assert_int_equal(clock.samples, RUN_RUNS);
    assert_int_equal(clock_run_khz(&clock, run_view.run), 2 * TSC_HZ / 1000);
}

static void nothing(struct point *point)
{
    if (point->event == run_event(REFERENCE))
        point->value = 0;
}

static void negative(struct point *point)
{
    if (point->event == run_event(CORE) && point->attempt == 2)
        point->value = (uint64_t)-3;
}

static void expect_unknown(void)
{
    struct clock clock;

    run_calibration();
    run_result(0, STATUS_OK);
    clock = add_all();
    assert_int_equal(run_results_count, 1);
    assert_int_equal(clock.kernels + clock.core + clock.reference, 0);
    assert_int_equal(clock_run_khz(&clock, run_view.run), 0);
}

/* Event 120H counts at the rate of MPERF, which is lower than the TSC's here. */
TEST(not_known_on_amd_if_mperf_is_slower)
{
    with_two_kernels();
    run_make_cpu(0, a_zen_4);
    run_cpu_record.flags |= CPU_MPERF_DIFFERS;
    run_describe();
    expect_unknown();
}

TEST(what_is_not_known)
{
    void (*const HOOKS[])(struct point * point) = {nothing, negative};
    struct counter_tests tests = {.counters = 1,
                                  .counter = {{.fault = COUNTER_CARRY, .fixed = 1, .counter = 2}}};

    with_two_kernels();
    run_cpu(0, no_reference);
    expect_unknown();
    with_two_kernels();
    run_change_event = reference_of_both_rings;
    run_cpu(0, NULL);
    expect_unknown();
    for (size_t i = 0; i < sizeof(HOOKS) / sizeof(HOOKS[0]); i++) {
        with_two_kernels();
        run_cpu(0, NULL);
        run_hook = HOOKS[i];
        expect_unknown();
    }
    with_two_kernels();
    run_cpu(0, NULL);
    run_append(RECORD_TEST, &tests, sizeof(tests));
    expect_unknown();
}

TEST(sums_have_an_end)
{
    struct clock clock = {.core = CLOCK_CYCLES_MAX, .reference = 1, .kernels = 1};

    with_two_kernels();
    run_cpu(0, NULL);
    run_measure(0);
    clock_add(&clock, &run_view, run_results[0]);
    assert_true(clock.core == CLOCK_CYCLES_MAX && clock.reference == 1 && clock.kernels == 1);
    clock = (struct clock){.core = 1, .reference = CLOCK_CYCLES_MAX, .kernels = 1};
    clock_add(&clock, &run_view, run_results[0]);
    assert_true(clock.core == 1 && clock.reference == CLOCK_CYCLES_MAX && clock.kernels == 1);
    clock = (struct clock){.core = 1, .reference = 1, .samples = UINT32_MAX};
    clock_add(&clock, &run_view, run_results[0]);
    assert_true(clock.core == 1 && clock.reference == 1 && clock.kernels == 0);
}

/* A step is 2.1 GHz / 80 MHz, rounded up to 27 ticks. */
TEST(enough_reference_cycles)
{
    static const struct {
        uint64_t tsc_hz, reference;
        uint32_t samples;
        bool tells;
    } ROWS[] = {
        {TSC_HZ, 2700, 1, true},
        {TSC_HZ, 2699, 1, false},
        {TSC_HZ, 27000, 100, true},
        {TSC_HZ, 27000, 101, false}, /* the error grows with the square root of `samples` */
        {TSC_HZ, 26999, 100, false},
        {TSC_HZ, UINT64_MAX, UINT32_MAX, true},
        {TSC_HZ, UINT64_MAX, 0, false},
        {TSC_HZ, 0, 1, false},
        {TSC_HZ, (1ull << 32) * 2700, 1, true}, /* squared, it is 2^64 */
        {80000000, 100, 1, true},
        {80000001, 199, 1, false},
        {80000001, 200, 1, true},
        {0, 100, 1, true},
        {0, 99, 1, false},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct run_record run = {.tsc_hz = ROWS[i].tsc_hz};

        if (clock_tells(ROWS[i].reference, ROWS[i].samples, &run) != ROWS[i].tells)
            fail_msg("row %zu", i);
    }
}
