/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of the window's two WRMSRs a core counts as retired. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_run.h"

static int fresh(void **state)
{
    (void)state;
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(0, NULL);
    return 0;
}

static void measure(void)
{
    run_calibration();
    run_result(0, STATUS_OK);
    run_look();
}

static struct row make(unsigned event)
{
    struct row row;

    row_make(&run_view, run_last, event, &row);
    return row;
}

static void expect(unsigned event, enum verdict verdict, const char *reason)
{
    struct row row = make(event);

    if (row.verdict != verdict || !strstr(row.reason, reason) || (!*reason && *row.reason))
        fail_msg("%s: %s, '%s'", EVENTS[event].name, verdict_name(row.verdict), row.reason);
}

/* What the two counters of instructions see of the window's two WRMSRs. */
static unsigned seen_fixed, seen_general;

static void count_wrmsr(struct point *point)
{
    if (point->event == run_event("INST_RETIRED.ANY"))
        point->value = point->value - RUN_WRMSR + seen_fixed;
    if (point->event == run_event("INST_RETIRED.ANY_P"))
        point->value = point->value - RUN_WRMSR + seen_general;
}

/* One, as Intel's cores do, unless both counters say another number that is possible. */
static void wrmsr_is_counted_as_all_counters_do(void **state)
{
    static const struct {
        unsigned fixed, general, counted;
    } ROWS[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {1, 0, 1}, {0, 1, 1}, {1, 2, 1}, {2, 1, 1},
                {0, 2, 1}, {2, 0, 1}, {0, 7, 1}, {7, 2, 1}, {7, 7, 1}, {3, 3, 1}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        enum verdict fixed, general;

        fresh(state);
        seen_fixed = ROWS[i].fixed;
        seen_general = ROWS[i].general;
        run_hook = count_wrmsr;
        measure();
        fixed = make(run_event("INST_RETIRED.ANY")).verdict;
        general = make(run_event("INST_RETIRED.ANY_P")).verdict;
        assert_int_equal(run_view.baseline.wrmsr_counted, ROWS[i].counted);
        assert_int_equal(fixed, ROWS[i].fixed == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF);
        assert_int_equal(general, ROWS[i].general == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF);
        expect(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_EXACT, "");
    }
}

static void waver(struct point *point)
{
    if (point->event == run_event("INST_RETIRED.ANY"))
        point->value += point->attempt % 2;
    if (point->event == run_event("INST_RETIRED.ANY_P"))
        point->value += 1;
}

/* A counter that cannot make up its mind agrees with nobody. */
static void a_wavering_counter_is_no_agreement(void **state)
{
    (void)state;
    run_hook = waver;
    measure();
    assert_int_equal(run_view.baseline.wrmsr_counted, 1);
    expect(run_event("INST_RETIRED.ANY"), VERDICT_NOISY, "window counted 8 to 9, declared 8");
    expect(run_event("INST_RETIRED.ANY_P"), VERDICT_OFF, "window counted 9 to 9, declared 8");
}

/* Nor does a single counter make the rule. */
static void no_general_counters(struct cpu_caps *caps)
{
    caps->gp_count = 0;
}

static void one_counter_is_no_agreement(void **state)
{
    (void)state;
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(0, no_general_counters);
    seen_fixed = 2;
    run_hook = count_wrmsr;
    measure();
    assert_int_equal(run_view.baseline.wrmsr_counted, 1);
    expect(run_event("INST_RETIRED.ANY"), VERDICT_OFF, "window counted 9 to 9, declared 8");
}

/* With two general counters the second counter of instructions stands in another pass. */
static void two_general_counters(struct cpu_caps *caps)
{
    caps->gp_count = 2;
}

static void counters_of_all_passes_agree(void **state)
{
    (void)state;
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(0, two_general_counters);
    seen_fixed = seen_general = 2;
    run_hook = count_wrmsr;
    measure();
    assert_int_equal(make(run_event("INST_RETIRED.ANY_P")).pass, 1);
    assert_int_equal(run_view.baseline.wrmsr_counted, 2);
    expect(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
    expect(run_event("INST_RETIRED.ANY_P"), VERDICT_EXACT, "");
}

/* A third counter of instructions, in the last of three passes. */
static void one_more_counter(struct run_record *run)
{
    run->event[run_event("LONGEST_LAT_CACHE.MISS")].declared = DECLARED_INSTRUCTIONS;
}

/* The pass of a counter could not be programmed: it has no say, and the others agree. */
static void a_pass_without_calibration_has_no_say(void **state)
{
    unsigned pass, slot;

    (void)state;
    run_begin(one_more_counter, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(0, two_general_counters);
    assert_true(
        schedule_find(&run_cpu_record.schedule, run_event("LONGEST_LAT_CACHE.MISS"), &pass, &slot));
    assert_in_range(pass, 2, PASSES_MAX - 1);
    seen_fixed = seen_general = 2;
    run_hook = count_wrmsr;
    run_program_errors = 1u << pass;
    measure();
    assert_int_equal(run_view.baseline.wrmsr_counted, 2);
    expect(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
    expect(run_event("INST_RETIRED.ANY_P"), VERDICT_EXACT, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrmsr_is_counted_as_all_counters_do),
        cmocka_unit_test_setup(a_wavering_counter_is_no_agreement, fresh),
        cmocka_unit_test(one_counter_is_no_agreement),
        cmocka_unit_test(counters_of_all_passes_agree),
        cmocka_unit_test(a_pass_without_calibration_has_no_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
