/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of events in other rings than the kernel's, and rows with method=deltas. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows.h"

static const uint8_t RINGS[] = {RING_OS, RING_USR, RING_OS | RING_USR};
#define RINGS_COUNT (sizeof(RINGS) / sizeof(RINGS[0]))

static uint32_t kernel_ring;
static uint8_t rings; /* of all events; 0: alternating */

static void set_rings(unsigned index, struct event *event)
{
    event->rings = rings ? rings : RINGS[index % RINGS_COUNT];
}

static void begin(enum expect_kind kind)
{
    run_begin(kernel_ring == RING_USR ? at_cpl_3 : NULL, "");
    run_kernel("kernel", kind);
    run_change_event = set_rings;
    run_cpu(0, NULL);
}

TEST(every_ring_of_counter_and_kernel)
{
    for (kernel_ring = RING_OS; kernel_ring <= RING_USR; kernel_ring++)
        for (size_t r = 0; r <= RINGS_COUNT; r++) {
            rings = r < RINGS_COUNT ? RINGS[r] : 0;
            begin(EXPECT_EXACT);
            run_measure(0);
            assert_int_equal(run_view.edges_counted, RUN_WRMSR);
            for (unsigned e = 0; e < EVENTS_COUNT; e++) {
                bool sees = run_events[e].rings & kernel_ring;
                int declared = EVENTS[e].declared;
                int64_t seen = sees ? own_count(e) : 0;

                expect_right(e);
                assert_int_equal(row.stats.min, seen);
                assert_int_equal(row.stats.max, seen);
                assert_int_equal(row.expect.kind, declared < 0 ? EXPECT_NOTHING : EXPECT_EXACT);
                if (declared >= 0)
                    assert_int_equal(row.expect.low, seen);
            }
        }
}

TEST(a_blind_counter_counts_exactly_nothing)
{
    static const struct {
        enum expect_kind kind;
        enum verdict sees;
    } KINDS[] = {{EXPECT_RANGE, VERDICT_WITHIN}, {EXPECT_NOTHING, VERDICT_MEASURED}};

    rings = 0;
    kernel_ring = RING_USR;
    for (size_t k = 0; k < sizeof(KINDS) / sizeof(KINDS[0]); k++) {
        begin(KINDS[k].kind);
        run_measure(0);
        for (unsigned e = 0; e < EVENTS_COUNT; e++)
            if (EVENTS[e].declared >= 0)
                expect_row(e, run_events[e].rings & RING_USR ? KINDS[k].sees : VERDICT_EXACT, "");
    }
}

static void leak(struct point *point)
{
    point->value += point->kernel != KERNEL_CALIBRATION;
}

TEST(a_blind_counter_that_sees_something_is_off)
{
    rings = RING_USR;
    kernel_ring = RING_OS;
    begin(EXPECT_EXACT);
    run_hook = leak;
    run_measure(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        if (EVENTS[e].declared >= 0)
            expect_row(e, VERDICT_OFF, "expected 0, counted 1 to 1");
}

static void two_more_at_cpl_3(struct point *point)
{
    point->value += run_events[point->event].rings & RING_USR ? 2 : 0;
}

static bool is_access(int declared)
{
    return declared == DECLARED_LOADS || declared == DECLARED_STORES;
}

TEST(the_windows_cost_is_that_of_the_counters_rings)
{
    rings = 0;
    kernel_ring = RING_USR;
    begin(EXPECT_EXACT);
    run_hook = two_more_at_cpl_3;
    run_measure(0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        int declared = EVENTS[e].declared;
        int64_t cost = 0;
        const char *reason;

        if (declared < 0)
            continue;
        if (run_events[e].rings & RING_OS)
            cost += RUN_COST[declared] + (declared == DECLARED_INSTRUCTIONS ? RUN_WRMSR : 0);
        if (run_events[e].rings & RING_USR)
            cost += RUN_COST_USR[declared];
        reason = formatted("window counted %d to %d, declared %d", (int)cost + 2, (int)cost + 2,
                           (int)cost);
        if (run_events[e].rings == RING_OS || is_access(declared))
            expect_row(e, VERDICT_EXACT, "");
        else
            expect_row(e, VERDICT_OFF, reason);
    }
}

/* What IRETQ adds to each declared count at CPL 0 (moved_os) and at CPL 3 (moved_usr). */
static int moved_os[DECLARED_COUNT], moved_usr[DECLARED_COUNT];

static void move_iret(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (event->declared < 0)
        return;
    point->value += (uint64_t)(event->rings & RING_OS ? moved_os[event->declared] : 0);
    point->value += (uint64_t)(event->rings & RING_USR ? moved_usr[event->declared] : 0);
}

/* All events count in the same rings, as with ring= in a plan. */
static void one_ring(unsigned index, struct event *event)
{
    (void)index;
    event->rings = rings;
}

static void measure_iret(uint8_t counted, int instructions_os, int instructions_usr,
                         int branches_os, int branches_usr)
{
    moved_os[DECLARED_INSTRUCTIONS] = instructions_os;
    moved_usr[DECLARED_INSTRUCTIONS] = instructions_usr;
    moved_os[DECLARED_BRANCHES] = branches_os;
    moved_usr[DECLARED_BRANCHES] = branches_usr;
    kernel_ring = RING_USR;
    rings = counted;
    begin(EXPECT_EXACT);
    run_change_event = one_ring;
    run_cpu(0, NULL);
    run_hook = move_iret;
    run_measure(0);
}

/*
 * IRETQ may be counted at CPL 3, if instructions and branches both show it. Any other difference is
 * `off`.
 */
TEST(where_iretq_counts)
{
    static const struct {
        int instructions_os, instructions_usr, branches_os, branches_usr;
        bool usr, right;
    } ROWS[] = {
        {0, 0, 0, 0, false, true},   {-1, 1, -1, 1, true, true},   {-1, 1, 0, 0, false, false},
        {0, 0, -1, 1, false, false}, {-1, 2, -1, 2, false, false}, {1, -1, 1, -1, false, false},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        measure_iret(RING_USR, ROWS[i].instructions_os, ROWS[i].instructions_usr,
                     ROWS[i].branches_os, ROWS[i].branches_usr);
        assert_int_equal(run_view.iret_usr, ROWS[i].usr);
        for (unsigned e = 0; e < EVENTS_COUNT && ROWS[i].right; e++)
            expect_right(e);
        if (!ROWS[i].right && ROWS[i].instructions_usr)
            expect_row(run_event("INST_RETIRED.ANY"), VERDICT_OFF, "window cost: ");
        if (!ROWS[i].right && ROWS[i].branches_usr)
            expect_row(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_OFF, "window cost: ");
    }
    measure_iret(RING_OS, -1, 1, -1, 1);
    assert_true(run_view.iret_usr);
    expect_row(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_EXACT, "");
}

TEST(no_iretq_at_cpl_0)
{
    measure_iret(RING_OS, -1, 1, -1, 1);
    kernel_ring = RING_OS;
    begin(EXPECT_EXACT);
    run_hook = move_iret;
    run_measure(0);
    assert_false(run_view.iret_usr);
    expect_row(run_event("BR_INST_RETIRED.ALL_BRANCHES"), VERDICT_OFF, "window cost: ");
}

static uint64_t select_flags;

static void set_flags(unsigned index, struct event *event)
{
    set_rings(index, event);
    if (!event->fixed_only)
        event->select |= select_flags;
}

/* The window has cycles at CPL 0, and at CPL 3 if the kernel runs there. */
TEST(cycles_of_a_ring_must_be_counted)
{
    rings = 0;
    for (kernel_ring = RING_OS; kernel_ring <= RING_USR; kernel_ring++)
        for (unsigned field = 0; field < 2; field++) {
            begin(EXPECT_EXACT);
            select_flags = field ? 1ull << 24 : 0; /* CMASK */
            run_change_event = set_flags;
            run_cpu(0, NULL);
            run_hook = mute;
            run_measure(0);
            for (unsigned e = 0; e < EVENTS_COUNT; e++) {
                bool passes = run_events[e].rings & RING_OS || kernel_ring == RING_USR;

                if (EVENTS[e].unit != UNIT_CYCLES)
                    continue;
                if (passes && (!field || EVENTS[e].fixed_only))
                    expect_row(e, VERDICT_OFF, "the counter counts nothing");
                else
                    expect_row(e, VERDICT_MEASURED, "");
            }
        }
}

static void begin_differences(void)
{
    run_begin(differences, "");
    run_kernel("kernel", EXPECT_EXACT);
    run_cpu(0, NULL);
}

/* With method=deltas, the count excludes the window's cost. */
TEST(differences_have_no_cost)
{
    begin_differences();
    run_measure(0);
    assert_int_equal(run_view.edges_counted, 0);
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        expect_right(e);
        if (EVENTS[e].declared >= 0 || EVENTS[e].unit != UNIT_COUNT)
            assert_int_equal(row.stats.min, own_count(e));
    }
}

/* With method=deltas, no WRMSR is counted. */
TEST(differences_with_a_constant_are_off)
{
    begin_differences();
    run_hook = one_more;
    run_measure(0);
    assert_int_equal(run_view.edges_counted, 0);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_OFF, "counted 1 to 1, declared 0");
    expect_row(run_event("INST_RETIRED.ANY_P"), VERDICT_OFF, "counted 1 to 1, declared 0");
}

TEST(differences_without_calibration)
{
    begin_differences();
    run_look_at(0);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_OFF, "could not be calibrated");
    assert_int_equal(row.stats.min, run_count(DECLARED_INSTRUCTIONS, RUN_N));
}

/* Differences of cycles may be negative, because the subtracted interval may be longer. */
static void waver(struct point *point)
{
    if (EVENTS[point->event].unit == UNIT_COUNT)
        return;
    if (point->kernel != KERNEL_CALIBRATION)
        point->value = (uint64_t)-3;
    else if (point->attempt == 2)
        point->value = (uint64_t)-7;
}

TEST(differences_of_cycles_may_be_negative)
{
    unsigned cycles = run_event("CPU_CLK_UNHALTED.THREAD");
    struct baseline baseline;

    begin_differences();
    run_hook = waver;
    run_measure(0);
    expect_row(cycles, VERDICT_MEASURED, "");
    baseline = view_baseline(&run_view, row.pass, row.slot_index);
    assert_int_equal(baseline.min, -7);
    assert_int_equal(baseline.max, 0);
    assert_int_equal(row.stats.min, -3 + 7); /* the empty window's minimum is -7 */
    run_hook = mute;
    begin_differences();
    run_calibration();
    run_hook = waver;
    run_look_at(0);
    expect_row(cycles, VERDICT_MEASURED, "");
    assert_int_equal(row.stats.max, -3);
    assert_int_equal(row.stats.mean_milli, -3000);
    for (unsigned e = 0; e < EVENTS_COUNT; e++)
        expect_right(e);
}
