/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that measure time are compared with those of other passes and of other CPUs. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/times.h"

TEST(passes)
{
    for (unsigned pass = 1; pass < 3; pass++)
        for (int sign = -1; sign <= 1; sign += 2) {
            begin(NULL);
            more_of_pass[0] = 1000;
            more_of_pass[1] = more_of_pass[2] = 1000;
            more_of_pass[pass] += (uint64_t)(sign * 30); /* 1 % of 3030 is 30.3 */
            one_cpu(0, NULL, SAMPLES);
            expect_differs("0", CORE, "");
            more_of_pass[pass] += (uint64_t)sign;
            one_cpu(1, NULL, SAMPLES);
            expect_differs("1", CORE, "passes");
            expect("stable", "yes");
            expect_differs("1", CORE_P, "");
            expect_differs("1", REFERENCE, ""); /* only cycles and the TSC are compared */
        }
}

/* The slowest bus clock is 80 MHz. A step is one of its cycles: 26.25 ticks of a 2.1 GHz TSC. */
TEST(steps)
{
    const struct run_record run = {.tsc_hz = 2100000000};
    const struct view view = {.run = &run};
    struct event event = {.unit = UNIT_REFERENCE_CYCLES};
    const struct row row = {.event = &event};

    assert_int_equal(row_step(&view, &row), 27);
    event.unit = UNIT_BUS_CYCLES;
    assert_int_equal(row_step(&view, &row), 1);
    event.unit = UNIT_CYCLES;
    assert_int_equal(row_step(&view, &row), 1);
    assert_int_equal(row_step(&view, &(struct row){0}), 27); /* the TSC */
}

/* The first CPU of a core type is the reference. */
TEST(cpus)
{
    begin(NULL);
    more_of_cpu[1] = 20;
    more_of_cpu[2] = 21;
    more_of_cpu[3] = more_of_cpu[4] = 500;
    one_cpu(0, NULL, SAMPLES);
    one_cpu(3, atom, SAMPLES);
    one_cpu(1, NULL, SAMPLES);
    one_cpu(2, NULL, SAMPLES);
    run_result_of(1, STATUS_OK, SAMPLES, RUN_TWICE);
    one_cpu(4, atom, SAMPLES);
    one_cpu(5, NULL, STATS_SPEAK_MIN - 1);
    expect_differs("0", CORE, "");
    expect_differs("1", CORE, ""); /* 20 does not exceed 20.2 */
    expect_differs("2", CORE, "cpus");
    expect_differs("2", CORE_P, ""); /* only the first event of cycles is compared */
    expect_differs("2", "TSC", "");
    expect_differs("3", CORE, "");
    expect_differs("4", CORE, "");
    expect_differs("5", CORE, "");
    find("2", "b", CORE);
    expect("differs", "");
}

TEST(cpus_in_parallel)
{
    begin(NULL);
    more_of_cpu[1] = 21;
    more_of_cpu[2] = 20;
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        run_cpu(cpu, NULL);
        run_calibration();
    }
    for (unsigned kernel = 0; kernel < 2; kernel++)
        for (unsigned cpu = 0; cpu < 3; cpu++) {
            run_again(cpu, NULL);
            run_result_of(kernel, STATUS_OK, SAMPLES, RUN_TWICE);
        }
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        find((const char[]){(char)('0' + cpu), 0}, "b", CORE);
        expect("differs", cpu == 1 ? "cpus" : "");
    }
}

/* The CPUs of pairs are at various distances, so only the passes of a pair are compared. */
TEST(pairs_are_not_compared)
{
    begin(NULL);
    more_of_cpu[1] = 500;
    one_cpu(0, NULL, SAMPLES);
    run_partner = 2;
    one_cpu(1, NULL, SAMPLES);
    expect_differs("1", CORE, "");
    expect("partner", "2");
    more_of_pass[0] = 100;
    one_cpu(3, NULL, SAMPLES);
    expect_differs("3", CORE, "passes");
}

static void more_instructions(struct point *point)
{
    if (point->event == run_event("INST_RETIRED.ANY") && point->kernel != KERNEL_CALIBRATION)
        point->value += 1000;
}

/* The TSC uses no slot, and must not be compared with event 0. */
TEST(time_stamps)
{
    begin(NULL);
    run_hook = more_instructions;
    one_cpu(0, NULL, SAMPLES);
    expect_differs("0", "TSC", "");
}

TEST(both)
{
    begin(NULL);
    one_cpu(0, NULL, SAMPLES);
    more_of_pass[0] = 100;
    one_cpu(1, NULL, SAMPLES);
    expect_differs("1", CORE, "passes cpus");
}

/*
 * A difference is accepted up to the distance between the quartiles, here 40, plus 1 % of the
 * median.
 */
TEST(within_the_spread)
{
    begin(NULL);
    one_cpu(0, NULL, SAMPLES);
    spread = 40;
    more_of_cpu[1] = 40; /* 2040 to 2080, median 2060: 60 does not exceed 40 + 20.6 */
    one_cpu(1, NULL, SAMPLES);
    more_of_cpu[2] = 41;
    one_cpu(2, NULL, SAMPLES);
    expect_differs("1", CORE, "");
    expect_differs("2", CORE, "cpus");
    expect_all("modes=2; stable=no; mad=20");
}

static struct differs differs;

TEST(core_types_are_bounded)
{
    begin(NULL);
    one_cpu(0, NULL, SAMPLES);
    run_look();
    for (unsigned round = 0; round < 2; round++) {
        differs_start(&differs);
        for (unsigned cpu = 0; cpu < 12; cpu++) {
            struct cpu_record typed = *run_view.cpu;
            struct view view = run_view;
            struct row row;

            typed.caps.core_type = (uint8_t)(cpu % 6);
            view.cpu = &typed;
            row_make(&view, run_results[0], run_event(CORE), &row);
            row.stats.median_milli += round * 9000000 + (cpu < 6 ? 0 : 1000000);
            assert_int_equal(differs_row(&differs, &view, run_results[0], &row) & DIFFERS_CPUS,
                             cpu >= 6 && cpu % 6 < DIFFERS_CORE_TYPES_MAX ? DIFFERS_CPUS : 0);
        }
    }
}
