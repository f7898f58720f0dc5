/* SPDX-License-Identifier: BSD-2-Clause */
/* The empty window's counts affect all rows of a counter. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"

static void fresh(void)
{
    run_start("exact", EXPECT_EXACT, NULL);
}

BEFORE_EACH(fresh);

static unsigned lying_event;
static int64_t lie;
static unsigned lying_attempt;

/*
 * Adds an error to one sample or to all. An error in all samples would disappear if the empty
 * window's count were subtracted.
 */
static void tell_lie(struct point *point)
{
    if (point->event == lying_event &&
        (lying_attempt == UINT32_MAX || point->attempt == lying_attempt))
        point->value += (uint64_t)lie;
}

TEST(a_lie_of_the_window)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        for (lie = -1; lie <= 1; lie += 2)
            for (unsigned last = 0; last < 2; last++) {
                int declared = EVENTS[e].declared;
                char reason[80];
                int64_t cost = declared < 0 ? 0 : RUN_COST[declared];

                fresh();
                lying_event = e;
                lying_attempt = last ? RUN_RUNS - 1 : UINT32_MAX;
                run_hook = tell_lie;
                run_measure(0);
                if (declared < 0)
                    continue;
                cost += declared == DECLARED_INSTRUCTIONS ? RUN_WRMSR : 0;
                snprintf(reason, sizeof(reason), "window counted %d to %d, declared %d",
                         (int)(last && lie > 0 ? cost : cost + lie),
                         (int)(last && lie < 0 ? cost : cost + lie), (int)cost);
                for (unsigned other = 0; other < EVENTS_COUNT; other++)
                    if (other == e)
                        expect_row(e, last ? VERDICT_NOISY : VERDICT_OFF, reason);
                    else
                        expect_right(other);
            }
}

static void mute_one(struct point *point)
{
    if (point->event == lying_event)
        mute(point);
}

/*
 * The row of a counter that counts nothing is `off`, except for events that the empty window need
 * not contain, such as cache misses or ticks of the reference clock.
 */
TEST(a_mute_counter_is_off)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        fresh();
        lying_event = e;
        run_hook = mute_one;
        run_measure(0);
        for (unsigned other = 0; other < EVENTS_COUNT; other++)
            if (other != e)
                expect_right(other);
            else if (EVENTS[e].declared >= 0)
                expect_row(e, VERDICT_OFF, "window counted 0 to 0, declared ");
            else if (EVENTS[e].unit == UNIT_CYCLES)
                expect_row(e, VERDICT_OFF, "the counter counts nothing");
            else
                expect_row(e, VERDICT_MEASURED, "");
    }
}

TEST(a_mute_pmu_is_off)
{
    struct tally tally = {0};

    run_hook = mute;
    run_measure(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        tally_add(&tally, make(e));
        if (EVENTS[e].declared >= 0 || EVENTS[e].unit == UNIT_CYCLES)
            expect_row(e, VERDICT_OFF, "window cost: ");
    }
    assert_true(tally_failed(&tally) > 0);
}

TEST(without_calibration_all_is_off)
{
    run_result_of(KERNEL_CALIBRATION, STATUS_FAULT, 0, 0);
    run_look_at(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        expect_row(e, VERDICT_OFF, "the empty window could not be calibrated");
}

/* For an undeclared event, the empty window's minimum is subtracted. */
static void dawdle(struct point *point)
{
    if (point->kernel == KERNEL_CALIBRATION && point->attempt != 2)
        point->value += EVENTS[point->event].unit == UNIT_COUNT ? 0 : 5;
}

TEST(least_cost_is_taken_off)
{
    run_hook = dawdle;
    run_measure(0);
    assert_int_equal(make(run_event("CPU_CLK_UNHALTED.THREAD"))->stats.min, SLOPE_CYCLES * RUN_N);
    assert_int_equal(make(run_event("CPU_CLK_UNHALTED.REF_XCLK"))->stats.max, SLOPE_CYCLES * RUN_N);
}

TEST(each_cpu_has_its_calibration)
{
    run_measure(0);
    run_cpu(1, NULL);
    run_look_at(0);
    assert_int_equal(run_last->cpu, 1);
    expect_row(0, VERDICT_OFF, "could not be calibrated");
}

TEST(a_pass_without_calibration)
{
    for (unsigned lost = 0; lost < 3; lost++) {
        fresh();
        run_program_errors = 1u << lost;
        run_calibration();
        run_program_errors = 0;
        run_look_at(0);
        for (unsigned e = 0; e < EVENTS_COUNT; e++) {
            if (make(e)->pass == lost)
                expect_row(e, VERDICT_OFF, "could not be calibrated");
            else if (EVENTS[e].declared != DECLARED_INSTRUCTIONS)
                expect_right(e);
        }
        make(EVENTS_COUNT); /* the TSC, which is measured in the first pass */
        assert_int_equal(row.verdict, lost == 0 ? VERDICT_OFF : VERDICT_MEASURED);
    }
}

/* A calibration needs eight clean samples. */
static uint16_t one_is_dirty(const struct point *point)
{
    return point->kernel == KERNEL_CALIBRATION && point->attempt == 0 ? EVIDENCE_NMI : 0;
}

TEST(a_calibration_needs_eight_samples)
{
    run_evidence = one_is_dirty;
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, 9, 0);
    run_look_at(0);
    expect_row(0, VERDICT_EXACT, "");
    fresh();
    run_evidence = one_is_dirty;
    run_measure(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        expect_row(e, VERDICT_OFF, "the empty window could not be calibrated");
    assert_int_equal(make(EVENTS_COUNT)->verdict, VERDICT_OFF);
}
