/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of time held against other passes and other CPUs, and what they come to in nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "fake_csv.h"
#include "fake_run.h"
#include "pmu/differs.h"
#include "pmu/render.h"

#define CORE      "CPU_CLK_UNHALTED.THREAD"   /* fixed counter 1, in all three passes */
#define CORE_P    "CPU_CLK_UNHALTED.THREAD_P" /* in one */
#define REFERENCE "CPU_CLK_UNHALTED.REF_TSC"
#define SAMPLES   10u
#define CYCLES    (SLOPE_CYCLES * RUN_N) /* of a kernel: their resolution is 1 % of them, 20 */
#define TICKS     (SLOPE_TSC * RUN_N)    /* of the time stamp: 30 */
#define TSC_HZ    2100000000ull

static char text[1 << 20];
static struct csv_record record, names;

static void with_a_time_stamp(struct run_record *run)
{
    run->tsc_hz = TSC_HZ;
    run->tsc_source = TSC_ACPI_TIMER;
}

static void with_a_guess(struct run_record *run)
{
    run->tsc_hz = TSC_HZ;
}

static void atom(struct cpu_caps *caps)
{
    caps->core_type = CORE_TYPE_ATOM;
}

/* Each CPU's cycles are more by this, in the kernel alone; and those of one pass. */
static uint64_t more_of_cpu[6], more_of_pass[3], spread;

static void add_more(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (point->kernel == KERNEL_CALIBRATION || event->unit == UNIT_COUNT)
        return;
    if (event->unit == UNIT_CYCLES)
        point->value += more_of_cpu[point->cpu] + more_of_pass[point->pass];
    point->value += spread * (point->attempt % 2);
}

static void begin(void (*change)(struct run_record *run))
{
    memset(more_of_cpu, 0, sizeof(more_of_cpu));
    memset(more_of_pass, 0, sizeof(more_of_pass));
    spread = 0;
    run_begin(change, "");
    run_hook = add_more;
    run_kernel("a", EXPECT_EXACT);
    run_kernel("b", EXPECT_NOTHING);
}

static void one_cpu(unsigned cpu, void (*change)(struct cpu_caps *caps), unsigned samples)
{
    run_cpu(cpu, change);
    run_calibration();
    run_result_of(0, STATUS_OK, samples, RUN_TWICE);
}

static void find(const char *cpu, const char *kernel, const char *event)
{
    struct out out = out_buffer(text, sizeof(text) - 1);
    struct render r = {run_bytes, run_journal.used, run_scratch, 256, false};
    const char *at = text;
    bool right = true;

    assert_true(render_results_csv(&r, &out));
    assert_true(csv_next(&at, text + out.used, &names, &right));
    while (csv_next(&at, text + out.used, &record, &right))
        if (strcmp(record.field[0], cpu) == 0 && strcmp(record.field[3], kernel) == 0 &&
            strcmp(record.field[5], event) == 0)
            return;
    fail_msg("no row of CPU %s, %s, %s", cpu, kernel, event);
}

static void expect(const char *column, const char *value)
{
    const char *found = csv_value(&names, &record, column);

    if (!found || strcmp(found, value) != 0)
        fail_msg("%s of CPU %s, %s, is '%s', not '%s'", column, record.field[0], record.field[5],
                 found ? found : "(no column)", value);
}

static void expect_differs(const char *cpu, const char *event, const char *words)
{
    find(cpu, "a", event);
    expect("differs", words);
}

/* The pass that is not the row's own is apart by just its resolution, or by one more. */
static void passes(void **state)
{
    (void)state;
    for (unsigned pass = 1; pass < 3; pass++)
        for (int sign = -1; sign <= 1; sign += 2) {
            begin(NULL);
            more_of_pass[0] = 1000;
            more_of_pass[1] = more_of_pass[2] = 1000;
            more_of_pass[pass] += (uint64_t)(sign * 30); /* a hundredth of 3030: 30.3 */
            one_cpu(0, NULL, SAMPLES);
            expect_differs("0", CORE, "");
            more_of_pass[pass] += (uint64_t)sign;
            one_cpu(1, NULL, SAMPLES);
            expect_differs("1", CORE, "passes");
            expect("stable", "yes"); /* each pass is, for itself */
            expect_differs("1", CORE_P, "");
            expect_differs("1", REFERENCE, ""); /* for cycles and the time stamp alone */
        }
}

/* The first of its core type counts, for each kernel; the efficiency core has its own. */
static void cpus(void **state)
{
    (void)state;
    begin(NULL);
    more_of_cpu[1] = 20;
    more_of_cpu[2] = 21;
    more_of_cpu[3] = more_of_cpu[4] = 500;
    one_cpu(0, NULL, SAMPLES);
    one_cpu(3, atom, SAMPLES);
    one_cpu(1, NULL, SAMPLES);
    one_cpu(2, NULL, SAMPLES);
    run_result_of(1, STATUS_OK, SAMPLES, RUN_TWICE); /* the first to count kernel b */
    one_cpu(4, atom, SAMPLES);
    one_cpu(5, NULL, STATS_SPEAK_MIN - 1);
    expect_differs("0", CORE, "");
    expect_differs("1", CORE, ""); /* 20 is not more than 20.2 */
    expect_differs("2", CORE, "cpus");
    expect_differs("2", CORE_P, ""); /* compared by the first event of cycles alone */
    expect_differs("2", "TSC", "");
    expect_differs("3", CORE, "");
    expect_differs("4", CORE, "");
    expect_differs("5", CORE, "");
    find("2", "b", CORE);
    expect("differs", "");
}

/* Results that come kernel by kernel, behind the records of all CPUs. */
static void cpus_in_parallel(void **state)
{
    (void)state;
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

static void both(void **state)
{
    (void)state;
    begin(NULL);
    one_cpu(0, NULL, SAMPLES);
    more_of_pass[0] = 100;
    one_cpu(1, NULL, SAMPLES);
    expect_differs("1", CORE, "passes cpus");
}

/* What lies within the spread does not differ: quartiles 40 apart, and 1 % beside them. */
static void within_the_spread(void **state)
{
    (void)state;
    begin(NULL);
    one_cpu(0, NULL, SAMPLES);
    spread = 40;
    more_of_cpu[1] = 40; /* 2040 to 2080, in the middle 2060: 60 is not more than 40 + 20.6 */
    one_cpu(1, NULL, SAMPLES);
    more_of_cpu[2] = 41;
    one_cpu(2, NULL, SAMPLES);
    expect_differs("1", CORE, "");
    expect_differs("2", CORE, "cpus");
    expect("modes", "2");
    expect("stable", "no");
    expect("mad", "20");
}

static struct differs differs;

/* A fifth core type is held against nothing, and what stood there is forgotten by the next run. */
static void core_types_are_bounded(void **state)
{
    (void)state;
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

static void half_the_pace(struct point *point)
{
    if (point->kernel != KERNEL_CALIBRATION && point->event == run_event(REFERENCE))
        point->value = (SLOPE_CYCLES * RUN_N + RUN_CYCLES) / 2;
}

/* 2000 cycles at 2 x 2100 MHz; the time stamp's 3000 ticks, the reference's 1020 less 40, at 2100.
 */
static void time(void **state)
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

    (void)state;
    for (unsigned guess = 0; guess < 2; guess++) {
        begin(guess ? with_a_guess : with_a_time_stamp);
        run_hook = half_the_pace;
        one_cpu(0, NULL, SAMPLES);
        for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
            find("0", "a", ROWS[i].event);
            expect("mhz", guess ? "" : ROWS[i].mhz);
            expect("ns", guess ? "" : ROWS[i].ns);
        }
    }
}

/* Nothing of a counter that is off, nor of a kernel without samples. */
static void no_time_of_what_is_wrong(void **state)
{
    struct counter_tests tests = {
        .cpu = 1, .counters = 1, .counter = {{.fault = COUNTER_CARRY, .fixed = 1, .counter = 1}}};

    (void)state;
    begin(with_a_time_stamp);
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
    expect("verdict", "off");
    expect("median", "2500");
    expect("mhz", "");
    expect("ns", "");
    find("1", "a", CORE_P); /* a right counter, but the other one was needed for its clock */
    expect("mhz", "");
    find("2", "a", "TSC"); /* the window's own time is not known */
    expect("verdict", "off");
    expect("mhz", "");
    expect("ns", "");
    find("1", "b", "TSC");
    expect("verdict", "fault");
    expect("mhz", "");
    expect("ns", "");
}

/* At 2.1 GHz a period of the bus clock is 21 ticks: only what may advance in such steps. */
static void steps_of_the_bus_clock(void **state)
{
    (void)state;
    begin(with_a_time_stamp);
    run_hook = add_more;
    spread = 21;
    one_cpu(0, NULL, SAMPLES);
    find("0", "a", REFERENCE); /* 1 % of 2010.5 is less than 21 */
    expect("modes", "1");
    expect("stable", "yes");
    find("0", "a", CORE);
    expect("modes", "2");
    expect("stable", "no");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes),
        cmocka_unit_test(cpus),
        cmocka_unit_test(cpus_in_parallel),
        cmocka_unit_test(both),
        cmocka_unit_test(within_the_spread),
        cmocka_unit_test(core_types_are_bounded),
        cmocka_unit_test(time),
        cmocka_unit_test(no_time_of_what_is_wrong),
        cmocka_unit_test(steps_of_the_bus_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
