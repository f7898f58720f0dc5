/* SPDX-License-Identifier: BSD-2-Clause */
/* samples.csv: columns that come from the evidence. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"

#define CORE      "CPU_CLK_UNHALTED.THREAD"
#define REFERENCE "CPU_CLK_UNHALTED.REF_TSC"
#define LOOKED_AT                                                                                  \
    (CPU_HAS_APERF | CPU_HAS_THERM_STATUS | CPU_HAS_PACKAGE_THERM_STATUS | CPU_HAS_CORE_LIMITS)

static void surroundings(const struct point *point, struct sample *sample)
{
    (void)point;
    sample->mperf = UINT64_MAX;
    sample->aperf = UINT64_MAX - 1;
    sample->thermal = 0x0a8a;
    sample->package_thermal = 0xffff;
    sample->limits = 0xffff0000;
    sample->mc_changed = 32;
    sample->gap_ticks = UINT32_MAX;
}

static uint8_t failed; /* the fixed counter that failed its test; 0: none */

static void measure(uint32_t flags, uint32_t banks, void (*change)(struct cpu_caps *caps))
{
    run_kernel("k", EXPECT_EXACT);
    run_make_cpu(0, change);
    run_cpu_record.flags = flags;
    run_cpu_record.mc_banks = banks;
    run_describe();
    if (failed)
        run_append(RECORD_TEST,
                   &(struct counter_tests){
                       .counters = 1,
                       .counter = {{.fault = COUNTER_CARRY, .fixed = 1, .counter = failed}}},
                   sizeof(struct counter_tests));
    run_finish = surroundings;
    run_result(0, STATUS_OK);
    render_lines(render_samples_csv);
    assert_int_equal(names.fields, 24);
}

/* A column is empty if the CPU lacks its registers. */
TEST(what_a_cpu_does_not_have_is_empty)
{
    static const struct {
        const char *column, *value;
        uint32_t flags, banks;
    } ROWS[] = {
        {"mperf", "18446744073709551615", CPU_HAS_APERF, 0},
        {"aperf", "18446744073709551614", CPU_HAS_APERF, 0},
        {"gap_ticks", "4294967295", CPU_HAS_APERF, 0},
        {"thermal", "0xa8a", CPU_HAS_THERM_STATUS, 0},
        {"package_thermal", "0xffff", CPU_HAS_PACKAGE_THERM_STATUS, 0},
        {"limits", "0xffff0000", CPU_HAS_CORE_LIMITS, 0},
        {"limits", "0xffff0000", CPU_HAS_CORE_LIMITS_HASWELL, 0},
        {"machine_checks", "32", 0, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        run_begin(NULL, "");
        measure(ROWS[i].flags, ROWS[i].banks, NULL);
        while (next_line()) {
            expect("partner", "");
            for (size_t k = 0; k < sizeof(ROWS) / sizeof(ROWS[0]); k++) {
                bool there = ROWS[k].flags & ROWS[i].flags || (ROWS[k].banks && ROWS[i].banks);

                if (there || strcmp(ROWS[k].column, ROWS[i].column) != 0)
                    expect(ROWS[k].column, there ? ROWS[k].value : "");
            }
        }
    }
    run_begin(NULL, "");
    run_partner = 1023;
    measure(CPU_HAS_APERF | CPU_MPERF_DIFFERS, 0, NULL);
    while (next_line()) { /* gap_ticks is empty, because MPERF does not tick with the TSC */
        expect("mperf", ROWS[0].value);
        expect_all("gap_ticks=; partner=1023");
    }
}

static uint64_t core, reference;

static void cycles(struct point *point)
{
    if (point->event == run_event(CORE))
        point->value = core;
    if (point->event == run_event(REFERENCE))
        point->value = reference;
}

/* A step of the reference clock counts as 1 tick of the slow TSC, or as 27 of the quick TSC. */
static void slow_time_stamp(struct run_record *run)
{
    run->tsc_hz = 80000000;
}

static void quick_time_stamp(struct run_record *run)
{
    run->tsc_hz = 2100000000;
}

/*
 * The ratio is empty if a count is negative, or after fewer than 100 steps of the reference clock.
 */
TEST(core_per_reference)
{
    static const struct {
        void (*change)(struct run_record *run);
        uint64_t core, reference;
        const char *text, *ratio;
    } ROWS[] = {
        {slow_time_stamp, 2000, 2000, "2000", "1.000"},
        {slow_time_stamp, 4860977, 3400000, "3400000", "1.430"},
        {slow_time_stamp, 1, 2000, "2000", "0.001"},
        {slow_time_stamp, 9, 20000, "20000", "0.000"},
        {slow_time_stamp, 0, 700, "700", "0.000"},
        {slow_time_stamp, 7, 0, "0", ""},
        {slow_time_stamp, 1099900, 100, "100", "10999.000"},
        {slow_time_stamp, 99, 99, "99", ""},
        {slow_time_stamp, (uint64_t)-3, 500, "500", ""},
        {slow_time_stamp, 5, (uint64_t)-3, "-3", ""},
        {quick_time_stamp, 5400, 2700, "2700", "2.000"},
        {quick_time_stamp, 5398, 2699, "2699", ""},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        core = ROWS[i].core;
        reference = ROWS[i].reference;
        run_begin(ROWS[i].change, "");
        run_hook = cycles;
        measure(LOOKED_AT, 1, NULL);
        while (next_line()) {
            expect("reference", ROWS[i].text);
            expect("core_per_reference", ROWS[i].ratio);
        }
    }
}

TEST(counters_that_failed)
{
    for (uint8_t counter = 1; counter <= 2; counter++) {
        failed = counter;
        run_begin(slow_time_stamp, "");
        measure(LOOKED_AT, 1, NULL);
        while (next_line()) {
            const char *value = value_of("reference");

            assert_int_equal(value[0] != 0, counter == 1);
            expect("core_per_reference", "");
        }
    }
    failed = 0;
}

static void no_core(struct cpu_caps *caps)
{
    caps->fixed_map = 5;
}

TEST(counters_that_cannot_be_compared)
{
    run_begin(NULL, "");
    measure(LOOKED_AT, 1, no_reference);
    while (next_line()) {
        expect_all("reference=; core_per_reference=");
    }
    run_begin(NULL, "");
    measure(LOOKED_AT, 1, no_core);
    while (next_line()) {
        assert_string_not_equal(value_of("reference"), "");
        expect("core_per_reference", "");
    }
    run_begin(NULL, "");
    run_change_event = reference_of_both_rings;
    measure(LOOKED_AT, 1, NULL);
    while (next_line()) {
        assert_string_not_equal(value_of("reference"), "");
        expect("core_per_reference", "");
    }
}
