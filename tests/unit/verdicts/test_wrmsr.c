/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of the window's two WRMSRs a core counts as retired. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"

static void fresh(void)
{
    run_start("exact", EXPECT_EXACT, NULL);
}

BEFORE_EACH(fresh);

static unsigned seen_fixed, seen_general;

static void count_wrmsr(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (event->declared == DECLARED_INSTRUCTIONS && event->rings & RING_OS)
        point->value += (event->fixed_only ? seen_fixed : seen_general) - (uint64_t)RUN_WRMSR;
}

/*
 * If both counters show 0, no WRMSR is counted. If both counters show 2, two WRMSRs are counted. In
 * all other cases, one is assumed to be counted, as on Intel's cores.
 */
TEST(wrmsr_is_counted_as_all_counters_do)
{
    static const struct {
        unsigned fixed, general, counted;
    } ROWS[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {1, 0, 1}, {0, 1, 1}, {1, 2, 1}, {2, 1, 1},
                {0, 2, 1}, {2, 0, 1}, {0, 7, 1}, {7, 2, 1}, {7, 7, 1}, {3, 3, 1}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        enum verdict fixed, general;

        fresh();
        seen_fixed = ROWS[i].fixed;
        seen_general = ROWS[i].general;
        run_hook = count_wrmsr;
        run_measure(0);
        fixed = make(run_event("INST_RETIRED.ANY"))->verdict;
        general = make(run_event("INST_RETIRED.ANY_P"))->verdict;
        assert_int_equal(run_view.edges_counted, ROWS[i].counted);
        assert_int_equal(fixed, ROWS[i].fixed == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF);
        assert_int_equal(general, ROWS[i].general == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF);
        expect_row(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_EXACT, "");
    }
}

static void waver(struct point *point)
{
    if (point->event == run_event("INST_RETIRED.ANY"))
        point->value += point->attempt % 2;
    if (point->event == run_event("INST_RETIRED.ANY_P"))
        point->value += 1;
}

TEST(a_wavering_counter_is_no_agreement)
{
    run_hook = waver;
    run_measure(0);
    assert_int_equal(run_view.edges_counted, 1);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_NOISY, "window counted 8 to 9, declared 8");
    expect_row(run_event("INST_RETIRED.ANY_P"), VERDICT_OFF, "window counted 9 to 9, declared 8");
}

static void no_general_counters(struct cpu_caps *caps)
{
    caps->gp_count = 0;
}

TEST(one_counter_is_no_agreement)
{
    run_start("exact", EXPECT_EXACT, no_general_counters);
    seen_fixed = 2;
    run_hook = count_wrmsr;
    run_measure(0);
    assert_int_equal(run_view.edges_counted, 1);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_OFF, "window counted 9 to 9, declared 8");
}

static struct counter_tests tests;

static void measure_one_counter(uint32_t status, uint32_t told, unsigned seen)
{
    run_start("exact", EXPECT_EXACT, no_general_counters);
    tests = (struct counter_tests){.status = status, .wrmsr_counted = told};
    run_append(RECORD_TEST, &tests, sizeof(tests));
    seen_fixed = seen;
    run_hook = count_wrmsr;
    run_measure(0);
}

/*
 * With only one counter of instructions, the number of counted WRMSRs comes from a complete counter
 * test.
 */
TEST(one_counter_has_the_test_s_number)
{
    static const struct {
        uint32_t status, told, counted;
    } ROWS[] = {{STATUS_OK, 0, 0},
                {STATUS_OK, 1, 1},
                {STATUS_OK, 2, 2},
                {STATUS_OK, 3, 1},
                {STATUS_MSR_FAULT, 2, 1}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (unsigned seen = 0; seen <= 2; seen++) {
            measure_one_counter(ROWS[i].status, ROWS[i].told, seen);
            assert_int_equal(run_view.edges_counted, ROWS[i].counted);
            assert_int_equal(make(run_event("INST_RETIRED.ANY"))->verdict,
                             seen == ROWS[i].counted ? VERDICT_EXACT : VERDICT_OFF);
        }
}

/*
 * The event in the last pass becomes an event of instructions. With one_more_counter(), three
 * counters count instructions. With one_later_counter(), the last pass has the only general counter
 * that counts instructions.
 */
static void one_more_counter(unsigned index, struct event *event)
{
    if (index == run_event("LONGEST_LAT_CACHE.MISS"))
        event->declared = DECLARED_INSTRUCTIONS;
}

static void one_later_counter(unsigned index, struct event *event)
{
    one_more_counter(index, event);
    if (index == run_event("INST_RETIRED.ANY_P"))
        event->declared = EVENT_UNDECLARED;
}

TEST(counters_of_all_passes_agree)
{
    for (seen_general = 1; seen_general <= 2; seen_general++) {
        unsigned last = run_event("LONGEST_LAT_CACHE.MISS");

        run_begin(NULL, "");
        run_kernel("exact", EXPECT_EXACT);
        run_change_event = one_later_counter;
        run_cpu(0, two_general_counters);
        seen_fixed = 2;
        run_hook = count_wrmsr;
        run_measure(0);
        assert_true(make(last)->pass > 0);
        assert_int_equal(run_view.edges_counted, seen_general);
        if (seen_general == 2) {
            expect_row(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
            expect_row(last, VERDICT_EXACT, "");
        }
    }
}

TEST(a_pass_without_calibration_has_no_say)
{
    unsigned pass, slot;

    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_change_event = one_more_counter;
    run_cpu(0, two_general_counters);
    assert_true(schedule_find(&run_schedule, run_event("LONGEST_LAT_CACHE.MISS"), &pass, &slot));
    assert_in_range(pass, 2, PASSES_MAX - 1);
    seen_fixed = seen_general = 2;
    run_hook = count_wrmsr;
    run_program_errors = 1u << pass;
    run_measure(0);
    assert_int_equal(run_view.edges_counted, 2);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
    expect_row(run_event("INST_RETIRED.ANY_P"), VERDICT_EXACT, "");
}

static uint8_t rings_fixed, rings_general;

static void set_rings(unsigned index, struct event *event)
{
    if (index == run_event("INST_RETIRED.ANY"))
        event->rings = rings_fixed;
    if (index == run_event("INST_RETIRED.ANY_P"))
        event->rings = rings_general;
    if (index == run_event("LONGEST_LAT_CACHE.MISS")) { /* a third, at CPL 3 only */
        event->declared = DECLARED_INSTRUCTIONS;
        event->rings = RING_USR;
    }
}

/* At CPL 3, no WRMSR is counted. */
TEST(counters_of_other_rings)
{
    static const struct {
        uint8_t fixed, general;
        unsigned seen_fixed, seen_general, counted;
    } ROWS[] = {
        {RING_OS, RING_OS | RING_USR, 2, 2, 2},
        {RING_OS | RING_USR, RING_OS, 0, 0, 0},
        {RING_OS | RING_USR, RING_OS | RING_USR, 2, 2, 2},
        {RING_OS | RING_USR, RING_OS, 2, 1, 1},
        {RING_OS, RING_USR, 2, 1, 1},
        {RING_USR, RING_OS, 1, 0, 1},
        {RING_USR, RING_USR, 1, 1, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        run_begin(at_cpl_3, "");
        run_kernel("exact", EXPECT_EXACT);
        rings_fixed = ROWS[i].fixed;
        rings_general = ROWS[i].general;
        run_change_event = set_rings;
        run_cpu(0, NULL);
        seen_fixed = ROWS[i].seen_fixed;
        seen_general = ROWS[i].seen_general;
        run_hook = count_wrmsr;
        run_measure(0);
        if (run_view.edges_counted != ROWS[i].counted)
            fail_msg("row %zu: %u", i, run_view.edges_counted);
    }
}

/*
 * What microcode adds to the count: `once` in windows with one call of the empty kernel, `twice` in
 * windows with two calls.
 */
static int microcode_event, once, twice;

static void add_microcode(struct point *point)
{
    static const unsigned CALL[DECLARED_COUNT] = {2, 2, 2, 1, 1};
    const struct event *event = &run_events[point->event];
    const bool of_two =
        point->kernel == KERNEL_CALIBRATION && point->kind == SAMPLE_2N && event->declared >= 0;

    if (of_two && event->rings & run_record.kernel_ring)
        point->value += CALL[event->declared];
    if (event->declared == microcode_event && event->rings & RING_OS)
        point->value += (uint64_t)(of_two ? twice : once);
}

static void measure_with(void (*hook)(struct point *point), unsigned samples_of_two)
{
    run_hook = hook;
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, RUN_CALIBRATION, samples_of_two);
    run_result(0, STATUS_OK);
    run_look();
}

static void measure_microcode(unsigned samples_of_two)
{
    run_start("exact", EXPECT_EXACT, NULL);
    measure_with(add_microcode, samples_of_two);
}

/*
 * An excess of one or two counts is subtracted if it is the same in windows with one empty call and
 * in windows with two.
 */
TEST(a_constant_of_microcode)
{
    static const struct {
        int once, twice;
        bool believed;
    } ROWS[] = {{0, 0, true},  {1, 1, true},  {2, 2, true},    {3, 3, false},
                {1, 2, false}, {2, 1, false}, {-1, -1, false}, {1, 0, false}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (microcode_event = DECLARED_BRANCHES; microcode_event < DECLARED_COUNT;
             microcode_event++) {
            once = ROWS[i].once;
            twice = ROWS[i].twice;
            measure_microcode(RUN_TWICE);
            for (unsigned e = 0; e < EVENTS_COUNT; e++)
                if (EVENTS[e].declared != microcode_event || ROWS[i].believed)
                    expect_right(e);
                else
                    expect_row(e, VERDICT_OFF, "window cost: the empty window counted");
        }
}

TEST(differences_have_no_microcode)
{
    run_begin(differences, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(0, NULL);
    microcode_event = DECLARED_BRANCHES;
    once = twice = 1;
    measure_with(add_microcode, RUN_TWICE);
    expect_row(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_OFF, "window cost: ");
}

/* Journals of older images have no windows with two empty calls. */
TEST(without_two_empty_calls_no_microcode)
{
    microcode_event = DECLARED_LOADS;
    once = twice = 1;
    measure_microcode(0);
    expect_row(run_event("MEM_INST_RETIRED.ALL_LOADS"), VERDICT_OFF, "window cost: ");
}

static void also_at_n(struct point *point)
{
    add_microcode(point);
    if (point->kernel != KERNEL_CALIBRATION && point->kind == SAMPLE_2N &&
        run_events[point->event].declared == DECLARED_LOADS)
        point->value += 1;
}

TEST(microcode_and_2n)
{
    microcode_event = DECLARED_LOADS;
    once = twice = 1;
    measure_with(also_at_n, RUN_TWICE);
    expect_row(run_event("MEM_INST_RETIRED.ALL_LOADS"), VERDICT_OFF, "n and 2n: ");
}

static void loads_twice(unsigned index, struct event *event)
{
    if (index != run_event("LONGEST_LAT_CACHE.MISS"))
        return;
    event->select = run_events[run_event("MEM_INST_RETIRED.ALL_LOADS")].select;
    event->declared = DECLARED_LOADS;
    event->unit = UNIT_COUNT;
}

static void add_to_one_counter(struct point *point)
{
    const int event = microcode_event;

    if (point->event != run_event("MEM_INST_RETIRED.ALL_LOADS"))
        microcode_event = EVENT_UNDECLARED;
    add_microcode(point);
    microcode_event = event;
}

static void add_but_one_is_dead(struct point *point)
{
    add_microcode(point);
    if (point->event == run_event("LONGEST_LAT_CACHE.MISS"))
        point->value = 0;
}

/*
 * If only one of two counters of the same event shows the excess, it does not come from WRMSR. A
 * counter that shows less than the window's cost is ignored.
 */
TEST(all_counters_show_microcode)
{
    microcode_event = DECLARED_LOADS;
    once = twice = 1;
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_change_event = loads_twice;
    run_cpu(0, NULL);
    measure_with(add_but_one_is_dead, RUN_TWICE);
    expect_right(run_event("MEM_INST_RETIRED.ALL_LOADS"));
    for (unsigned both = 0; both <= 1; both++) {
        run_begin(NULL, "");
        run_kernel("exact", EXPECT_EXACT);
        run_change_event = loads_twice;
        run_cpu(0, NULL);
        measure_with(both ? add_microcode : add_to_one_counter, RUN_TWICE);
        expect_row(run_event("LONGEST_LAT_CACHE.MISS"), VERDICT_EXACT, "");
        if (both)
            expect_right(run_event("MEM_INST_RETIRED.ALL_LOADS"));
        else
            expect_row(run_event("MEM_INST_RETIRED.ALL_LOADS"), VERDICT_OFF, "window cost: ");
    }
}
