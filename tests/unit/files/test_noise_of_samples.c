/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.json: disturbances of all samples. A gap excludes a sample from rows of time, but not from
 * rows of other core events.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/verdicts/clock.h"

static uint16_t some_evidence(const struct point *point)
{
    static const uint16_t EVIDENCE[] = {0, EVIDENCE_SMI, EVIDENCE_NMI,
                                        EVIDENCE_OVERFLOW | EVIDENCE_THERMAL | EVIDENCE_CLOCK};

    return EVIDENCE[point->attempt % 4];
}

/* Each of the three passes has four samples at n and two at 2n. Only attempt 0 is undisturbed. */
TEST(the_noise_is_added_up)
{
    run_start("k", EXPECT_NOTHING, NULL);
    run_evidence = some_evidence;
    run_smis = 5;
    run_calibration();
    run_result(0, STATUS_OK);
    render();
    /*
     * Each pass rejects attempts 1 to 3 at n, and attempt 1 at 2n. Each of the 18 samples reports 5
     * SMIs. Attempt 2 at n of each pass reports 2 NMIs.
     */
    has("\"buffer_bytes\": 0}");
    has("{\"samples\": 18, \"rejected\": 12, \"smis\": 90, \"nmis\": 6, \"overflows\": 3, "
        "\"thermal\": 3, \"clock_changes\": 3, \"limited\": 0, \"machine_checks\": 0, "
        "\"gaps\": 0, \"register\": 0, \"multiplexed\": 0, \"switched\": 0}");
    run_start("k", EXPECT_NOTHING, NULL);
    run_result(0, STATUS_OK);
    render();
    has("{\"samples\": 18, \"rejected\": 0, \"smis\": 0, \"nmis\": 0, \"overflows\": 0, "
        "\"thermal\": 0, \"clock_changes\": 0, \"limited\": 0, \"machine_checks\": 0, "
        "\"gaps\": 0, \"register\": 0, \"multiplexed\": 0, \"switched\": 0}");
}

static uint16_t one_evidence;

static uint16_t in_the_first(const struct point *point)
{
    return point->attempt == 0 && point->kind == SAMPLE_N ? one_evidence : 0;
}

/* Each kind of evidence is in one sample per pass. */
TEST(each_evidence_is_counted)
{
    static const struct {
        uint16_t evidence;
        const char *key;
    } ROWS[] = {{EVIDENCE_OVERFLOW, "overflows"}, {EVIDENCE_REGISTER, "register"},
                {EVIDENCE_THERMAL, "thermal"},    {EVIDENCE_CLOCK, "clock_changes"},
                {EVIDENCE_LIMIT, "limited"},      {EVIDENCE_MACHINE, "machine_checks"},
                {EVIDENCE_GAP, "gaps"},           {EVIDENCE_SHARED, "multiplexed"},
                {EVIDENCE_SWITCHED, "switched"}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        run_start("k", EXPECT_NOTHING, NULL);
        one_evidence = ROWS[i].evidence;
        run_evidence = in_the_first;
        run_result(0, STATUS_OK);
        render();
        has("\"rejected\": 3, ");
        for (size_t k = 0; k < sizeof(ROWS) / sizeof(ROWS[0]); k++)
            has(formatted("\"%s\": %u%s", ROWS[k].key, k == i ? 3u : 0u,
                          ROWS[k].evidence == EVIDENCE_SWITCHED ? "}" : ", "));
    }
}

static uint16_t a_gap(const struct point *point)
{
    return point->kernel != KERNEL_CALIBRATION && point->attempt == 1 ? EVIDENCE_GAP : 0;
}

static uint16_t a_gap_in_calibration(const struct point *point)
{
    return point->kernel == KERNEL_CALIBRATION && point->attempt == 1 ? EVIDENCE_GAP : 0;
}

static void measure_with(uint16_t (*evidence)(const struct point *), unsigned attempts)
{
    run_start("k", EXPECT_EXACT, NULL);
    run_evidence = evidence;
    run_calibration();
    run_result_of(0, STATUS_OK, attempts, RUN_TWICE);
    run_look();
    assert_int_equal(run_results_count, 1);
}

TEST(a_gap_rejects_time_alone)
{
    for (unsigned more = 0; more < 2; more++) {
        measure_with(a_gap, RUN_RUNS + more);
        for (unsigned i = 0; i <= EVENTS_COUNT; i++) {
            bool of_time = i == EVENTS_COUNT || run_events[i].unit != UNIT_COUNT;
            struct row row;

            row_make(&run_view, run_last, i, &row);
            assert_int_equal(row.rejected, of_time);
            assert_int_equal(row.accepted, RUN_RUNS + more - of_time);
            if (!of_time || more)
                assert_int_equal(row.verdict, i < EVENTS_COUNT && run_events[i].declared >= 0
                                                  ? VERDICT_EXACT
                                                  : VERDICT_MEASURED);
            else {
                assert_int_equal(row.verdict, VERDICT_NOISY);
                assert_string_equal(row.reason, "only 3 of 4 samples were clean, 1 rejected (gap)");
            }
        }
    }
}

/* The empty window's sample is used for counts, but not for cycles and the TSC. */
TEST(a_gap_in_a_baseline)
{
    measure_with(a_gap_in_calibration, RUN_RUNS);
    for (unsigned p = 0; p < run_schedule.passes; p++)
        for (unsigned s = 0; s < run_schedule.pass[p].slots; s++) {
            bool of_time = run_events[run_schedule.pass[p].slot[s].event].unit != UNIT_COUNT;

            assert_int_equal(view_baseline(&run_view, p, s).samples, RUN_CALIBRATION - of_time);
        }
    assert_int_equal(view_baseline(&run_view, 0, SLOT_TSC).samples, RUN_CALIBRATION - 1);
}

TEST(a_gap_and_the_clock)
{
    struct clock clock = {0};

    measure_with(a_gap, RUN_RUNS);
    clock_add(&clock, &run_view, run_last);
    assert_int_equal(clock.core, (RUN_CYCLES + SLOPE_CYCLES * RUN_N) * (RUN_RUNS - 1));
}

TEST(a_gap_in_samples_csv)
{
    unsigned accepted = 0, rejected = 0;

    measure_with(a_gap, RUN_RUNS);
    render_lines(render_samples_csv);
    while (next_line()) {
        bool gap = strcmp(value_of("attempt"), "1") == 0;
        bool of_time = run_events[run_event(value_of("event"))].unit;

        expect("evidence", gap ? "gap" : "");
        expect("accepted", gap && of_time ? "0" : "1");
        accepted += gap && !of_time;
        rejected += gap && of_time;
    }
    assert_true(accepted > 0 && rejected > 0);
}
