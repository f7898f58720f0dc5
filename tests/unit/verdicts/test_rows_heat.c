/* SPDX-License-Identifier: BSD-2-Clause */
/* Heat, limits and clock changes make only rows of time, cycles and rates `noisy`. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/rows.h"
#include "pmu/cpu/msr.h"

#define CYCLES "CPU_CLK_UNHALTED.THREAD"

static char text[TALLY_LINE_BYTES];
static uint16_t spoilt_by, calibration_by;
static uint32_t limits;

static uint16_t spoil(const struct point *point)
{
    return point->kernel == KERNEL_CALIBRATION ? calibration_by : spoilt_by;
}

static void set_limits(const struct point *point, struct sample *sample)
{
    (void)point;
    sample->limits = limits;
}

static void mute_cycles(struct point *point)
{
    if (point->event == run_event(CYCLES))
        point->value = 0;
}

static void measure_spoilt(uint16_t calibration, uint16_t kernel)
{
    calibration_by = calibration;
    spoilt_by = kernel;
    run_evidence = spoil;
    run_finish = set_limits;
    run_calibration();
    run_result_of(0, STATUS_OK, RUN_RUNS, RUN_TWICE);
    run_look();
}

static void fresh(void)
{
    limits = 0;
    run_start("k", EXPECT_EXACT, NULL);
}

static bool is_of_time(unsigned event)
{
    return event == EVENTS_COUNT || EVENTS[event].unit != UNIT_COUNT;
}

static void expect_line(const char *line)
{
    struct out out = out_buffer(text, sizeof(text));
    struct tally tally = {0};

    for (unsigned e = 0; e <= EVENTS_COUNT; e++)
        tally_add(&tally, make(e));
    tally_line(&tally, &out);
    assert_string_equal(out_end(&out), line);
}

static unsigned rows_of_time(void)
{
    unsigned count = 0;

    for (unsigned e = 0; e <= EVENTS_COUNT; e++)
        count += is_of_time(e);
    return count;
}

/* Counts other than cycles are right, and the run passes. */
TEST(spoilt_throughout)
{
    static const struct {
        uint16_t evidence;
        uint32_t limits;
        const char *words;
    } ROWS[] = {
        {EVIDENCE_THERMAL, 0, "heat"},
        {EVIDENCE_LIMIT, 0, "clock limit"},
        {EVIDENCE_CLOCK, 0, "clock changes"},
        {EVIDENCE_CLOCK, 1u << 10, "power limit"},
        {EVIDENCE_CLOCK, 1u << 27, "power limit"},
        {EVIDENCE_CLOCK, 1u << 12, "clock changes"}, /* turbo */
        {EVIDENCE_OF_CLOCK, 0, "heat, clock limit, clock changes"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char line[TALLY_LINE_BYTES];

        fresh();
        limits = ROWS[i].limits;
        measure_spoilt(ROWS[i].evidence, ROWS[i].evidence);
        for (unsigned e = 0; e <= EVENTS_COUNT; e++) {
            make(e);
            if (!is_of_time(e)) {
                expect_right(e);
                continue;
            }
            assert_int_equal(row.verdict, VERDICT_NOISY);
            assert_false(row_fails(&row));
            assert_int_equal(row.accepted, 0);
        }
        snprintf(line, sizeof(line), "PASS, %u rows of time noisy (%s)", rows_of_time(),
                 ROWS[i].words);
        expect_line(line);
    }
}

TEST(spoilt_in_the_empty_window)
{
    fresh();
    measure_spoilt(EVIDENCE_THERMAL, 0);
    expect_row(run_event(CYCLES), VERDICT_NOISY,
               "window cost: only 0 samples of the empty window were clean, 8 rejected (thermal)");
    assert_true(row.counter_off && !row_fails(&row));
    make(EVENTS_COUNT);
    assert_int_equal(row.verdict, VERDICT_NOISY);
    expect_right(run_event("INST_RETIRED.ANY"));
}

TEST(spoilt_otherwise_too)
{
    fresh();
    measure_spoilt(0, EVIDENCE_THERMAL | EVIDENCE_GAP);
    expect_row(run_event(CYCLES), VERDICT_NOISY, "(thermal gap)");
    assert_true(row_fails(&row));
    fresh();
    measure_spoilt(EVIDENCE_THERMAL | EVIDENCE_GAP, EVIDENCE_THERMAL);
    expect_row(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, "");
    make(EVENTS_COUNT);
    assert_true(row_fails(&row) && row.counter_off);
}

static void declare_cycles(unsigned index, struct event *event)
{
    if (index == run_event(CYCLES))
        event->declared = DECLARED_BRANCHES;
}

TEST(a_declared_row_fails)
{
    run_begin(NULL, "");
    run_kernel("k", EXPECT_EXACT);
    run_change_event = declare_cycles;
    run_cpu(0, NULL);
    measure_spoilt(0, EVIDENCE_CLOCK);
    row_make(&run_view, run_last, run_event(CYCLES), &row);
    assert_int_equal(row.verdict, VERDICT_NOISY);
    assert_true(row_fails(&row));
}

TEST(a_wrong_counter_fails)
{
    fresh();
    run_hook = mute_cycles;
    measure_spoilt(0, EVIDENCE_THERMAL);
    row_make(&run_view, run_last, run_event(CYCLES), &row);
    assert_int_equal(row.verdict, VERDICT_NOISY);
    assert_true(row_fails(&row) && row.counter_off);
}
