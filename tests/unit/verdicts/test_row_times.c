/* SPDX-License-Identifier: BSD-2-Clause */
/* When rows of cycles and of the TSC also give nanoseconds. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/times.h"

static void half_the_pace(struct point *point)
{
    if (point->kernel != KERNEL_CALIBRATION && point->event == run_event(REFERENCE))
        point->value = (SLOPE_CYCLES * RUN_N + RUN_CYCLES) / 2;
}

/*
 * The times are those of 2000 core cycles at 2 x 2100 MHz, of 3000 TSC ticks at 2100 MHz, and of
 * 1020 - 40 reference cycles at 2100 MHz. The empty window takes 40 cycles.
 */
TEST(time)
{
    static const struct {
        const char *event, *mhz, *ns;
    } ROWS[] = {
        {CORE, "4200", "476.19"},
        {CORE_P, "4200", "476.19"},
        {"TSC", "2100", "1428.571"},
        {REFERENCE, "2100", "466.667"},
        {"CPU_CLK_UNHALTED.REF_XCLK", "", ""},
        {"INST_RETIRED.ANY", "", ""},
    };

    for (unsigned guess = 0; guess < 2; guess++) {
        begin(guess ? with_a_guess : timed_by_acpi);
        run_hook = half_the_pace;
        one_cpu(0, NULL, SAMPLES - 1);
        for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
            find("0", "a", ROWS[i].event);
            expect("mhz", guess ? "" : ROWS[i].mhz);
            expect("ns", guess ? "" : ROWS[i].ns);
            expect("time_from", guess || !ROWS[i].ns[0] ? "" : "ACPI timer");
        }
    }
}

/*
 * The number of reference steps, divided by 100 and rounded down, must be at least the square root
 * of the number of samples. At 2.1 GHz a step is 27 ticks, so 9 samples of 1020 ticks make 340
 * steps, which are enough. 10 samples make 377 steps, which are not enough.
 */
TEST(no_time_of_few_reference_cycles)
{
    begin(timed_by_acpi);
    run_hook = half_the_pace;
    one_cpu(0, NULL, 9);
    one_cpu(1, NULL, 10);
    find("0", "a", CORE);
    expect("mhz", "4200");
    find("1", "a", CORE);
    expect_all("median=2000; mhz=; ns=");
    find("1", "a", REFERENCE); /* reference cycles have the TSC's rate */
    expect("mhz", "2100");
}

static void with_as_many_runs(struct run_record *run)
{
    timed_by_acpi(run);
    run->runs = SAMPLES;
}

static uint16_t first_is_bad(const struct point *point)
{
    return point->kernel != KERNEL_CALIBRATION && point->attempt == 0 ? EVIDENCE_SMI : 0;
}

/* A `noisy` row must not be the reference for the next CPU. */
TEST(a_noisy_row_of_a_wrong_counter)
{
    struct counter_tests tests = {
        .cpu = 0, .counters = 1, .counter = {{.fault = COUNTER_CARRY, .fixed = 1, .counter = 1}}};

    begin(with_as_many_runs);
    more_of_cpu[0] = 500;
    run_cpu(0, NULL);
    run_append(RECORD_TEST, &tests, sizeof(tests));
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, RUN_CALIBRATION - 1, 0);
    run_evidence = first_is_bad;
    run_result_of(0, STATUS_OK, SAMPLES, RUN_TWICE);
    run_evidence = NULL;
    one_cpu(1, NULL, SAMPLES);
    find("0", "a", CORE);
    expect_all("verdict=noisy; reason=only 9 of 10 samples were clean, 1 rejected (smi); "
               "median=2500; mhz=; ns=");
    find("0", "a", "TSC");
    expect_all("verdict=noisy; reason=only 9 of 10 samples were clean, 1 rejected (smi); mhz=");
    find("1", "a", CORE);
    expect_all("verdict=measured; differs=; mhz=2100");
}

TEST(no_time_of_what_is_wrong)
{
    struct counter_tests tests = {
        .cpu = 1, .counters = 1, .counter = {{.fault = COUNTER_CARRY, .fixed = 1, .counter = 1}}};

    begin(timed_by_acpi);
    one_cpu(0, NULL, SAMPLES);
    run_cpu(1, NULL);
    run_append(RECORD_TEST, &tests, sizeof(tests));
    run_calibration();
    more_of_cpu[1] = 500;
    run_result_of(0, STATUS_OK, SAMPLES, RUN_TWICE);
    run_result_of(1, STATUS_FAULT, 0, 0);
    run_cpu(2, NULL);
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, RUN_CALIBRATION - 1, 0);
    run_result_of(0, STATUS_OK, SAMPLES, RUN_TWICE);
    expect_differs("1", CORE, "");
    expect_all("verdict=off; median=2500; mhz=; ns=");
    find("1", "a", CORE_P);
    expect("mhz", "");
    find("2", "a", "TSC"); /* too few samples of the empty window, so its time is unknown */
    expect_all("verdict=off; mhz=; ns=");
    find("1", "b", "TSC");
    expect_all("verdict=fault; mhz=; ns=");
}

/* At 2.1 GHz, a step of the slowest bus clock is 27 ticks. */
TEST(steps_of_the_bus_clock)
{
    begin(timed_by_acpi);
    run_hook = add_more;
    spread = 27;
    one_cpu(0, NULL, SAMPLES);
    find("0", "a", REFERENCE); /* 1 % of 2013.5 is less than 27 */
    expect_all("modes=1; stable=yes");
    find("0", "a", CORE);
    expect_all("modes=2; stable=no");
}
