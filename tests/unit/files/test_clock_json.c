/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json: nominal clocks, and clocks measured in noise certificates and kernels. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/verdicts/clock.h"

/* Reference cycles pass at half the core's rate. */
static void half_the_pace(struct point *point)
{
    if (point->event == run_event("CPU_CLK_UNHALTED.REF_TSC"))
        point->value /= 2;
}

/* MPERF ticks at 3/4 of the time stamp's rate, APERF at 9/8. */
static struct noise quiet_loop(void)
{
    return (struct noise){.cpu = 1,
                          .threshold_ticks = 2100,
                          .runtime_ticks = 4000000,
                          .mperf = 3000000,
                          .aperf = 4500000};
}

TEST(over_the_certificates)
{
    struct run_record run = {.tsc_hz = TSC_HZ, .tsc_source = TSC_CPUID_15H};
    struct noise noise = quiet_loop(), other = quiet_loop();
    struct clock clock = {0};

    clock_watch(&clock, &noise);
    assert_int_equal(clock_tsc_khz(&run), 2100000);
    assert_int_equal(clock_reference_khz(&clock, &run), 1575000); /* 2100 * 3 / 4 */
    assert_int_equal(clock_watched_khz(&clock, &run), 2362500);   /* 2100 * 9 / 8, without MPERF */
    other.runtime_ticks = 2000000; /* added up: 6 million ticks, MPERF 6 million, APERF 9 million */
    clock_watch(&clock, &other);
    assert_int_equal(clock_reference_khz(&clock, &run), 2100000);
    assert_int_equal(clock_watched_khz(&clock, &run), 3150000);
    assert_int_equal(clock_run_khz(&clock, &run), 0);

    other.status = STATUS_TIMEOUT;
    clock_watch(&clock, &other);
    other = quiet_loop();
    other.mperf = 0;
    clock_watch(&clock, &other);
    other = quiet_loop();
    other.aperf = CLOCK_CYCLES_MAX;
    clock_watch(&clock, &other);
    other = quiet_loop();
    other.mperf = CLOCK_CYCLES_MAX;
    clock_watch(&clock, &other);
    other = quiet_loop();
    other.runtime_ticks = CLOCK_CYCLES_MAX;
    clock_watch(&clock, &other);
    assert_int_equal(clock.watched_ticks, 6000000);
    assert_int_equal(clock.mperf, 6000000);
    assert_int_equal(clock.aperf, 9000000);

    run.tsc_source = TSC_UNKNOWN;
    assert_int_equal(clock_tsc_khz(&run) + clock_reference_khz(&clock, &run) +
                         clock_watched_khz(&clock, &run),
                     0);
}

TEST(the_nominal_frequency)
{
    struct cpu_record cpu = {.caps = {.vendor = VENDOR_INTEL, .family = 6, .model = 0x55}};

    assert_int_equal(clock_nominal_khz(&cpu), 0);
    cpu.tsc_ratio = 21 << 8;
    assert_int_equal(clock_nominal_khz(&cpu), 2100000);
    cpu.caps.base_mhz = 2095;
    assert_int_equal(clock_nominal_khz(&cpu), 2095000);
    cpu = (struct cpu_record){.caps = {.vendor = VENDOR_AMD, .family = 0x1a},
                              .tsc_ratio = 1ull << 63 | 860};
    assert_int_equal(clock_nominal_khz(&cpu), 4300000);
}

TEST(steps_of_the_bus_clock)
{
    const struct run_record slow = {.tsc_hz = 80000000}, base = {.tsc_hz = TSC_HZ};
    const struct run_record even = {.tsc_hz = 2000000000}, odd = {.tsc_hz = 2000000001};
    const struct run_record none = {0};

    assert_int_equal(clock_step_ticks(&slow), 1);
    assert_int_equal(clock_step_ticks(&base), 27); /* 26.25, rounded up */
    assert_int_equal(clock_step_ticks(&even), 25);
    assert_int_equal(clock_step_ticks(&odd), 26);
    assert_int_equal(clock_step_ticks(&none), 0);
}

static unsigned render_clocks(const char *piece)
{
    unsigned count = 0;

    render();
    for (const char *at = text; (at = strstr(at, piece)); at++)
        count++;
    return count;
}

static void nominal_2095(struct cpu_caps *caps)
{
    caps->base_mhz = 2095;
}

TEST(certificates_in_run_json)
{
    struct noise before = quiet_loop(), after = quiet_loop();

    with_two_kernels();
    after.when = NOISE_AFTER;
    after.runtime_ticks = 2000000;
    run_cpu(1, nominal_2095);
    run_append(RECORD_NOISE, &before, sizeof(before));
    run_calibration();
    run_append(RECORD_NOISE, &after, sizeof(after));
    run_append(RECORD_NOISE, &after, sizeof(after) - 8);
    after.cpu = VIEW_CPUS_MAX;
    run_append(RECORD_NOISE, &after, sizeof(after));
    assert_int_equal(render_clocks("\"clock\": {\"tsc_mhz\": 2100, \"nominal_mhz\": 2095, "
                                   "\"reference_mhz\": 2100, \"core_mhz\": 3150, "
                                   "\"nominal_from\": \"CPUID.16H\"}"),
                     1);
    with_two_kernels(); /* an MPERF that does not tick with the TSC has no known rate */
    run_make_cpu(1, nominal_2095);
    run_cpu_record.flags = CPU_MPERF_DIFFERS;
    run_describe();
    run_append(RECORD_NOISE, &before, sizeof(before));
    run_calibration();
    assert_int_equal(render_clocks("\"clock\": {\"tsc_mhz\": 2100, \"nominal_mhz\": 2095, "
                                   "\"nominal_from\": \"CPUID.16H\"}"),
                     1);
}

/*
 * error_ppm is 5,000 ppm for MSR_PLATFORM_INFO, plus 9,926 ppm: 3 steps of 27 ticks, divided by the
 * 8,160 reference cycles of 8 samples.
 */
TEST(in_run_json)
{
    static const char HALF[] = "\"clock\": {\"mhz\": 4200, \"base_mhz\": 2100, "
                               "\"cycle_ns\": 0.238, \"error_ppm\": 14926, \"kernels\": 2, "
                               "\"tsc_mhz\": 2100}";

    with_two_kernels();
    run_cpu(0, NULL);
    run_calibration();
    run_cpu(1, NULL);
    run_hook = half_the_pace;
    run_calibration();
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
    run_end();
    assert_int_equal(render_clocks(HALF), 1);
    assert_int_equal(render_clocks("\"clock\": {\"tsc_mhz\": 2100}"), 1);
    assert_int_equal(render_clocks("\"clock\""), 2);
    assert_true(strstr(text, "\"cpu\": 1,") < strstr(text, HALF));
    run_begin(with_a_guess, "");
    run_kernel("a", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_calibration();
    run_result(0, STATUS_OK);
    assert_int_equal(render_clocks("\"clock\""), 0);
}
