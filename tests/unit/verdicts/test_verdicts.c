/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows without counts, the precedence of verdicts, and the run's last line. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"

static struct row row;
static unsigned loads, branches;

static void fresh_with(void (*change)(struct cpu_caps *caps))
{
    loads = run_event("MEM_INST_RETIRED.ALL_LOADS");
    branches = run_event("BR_INST_RETIRED.ALL_BRANCHES");
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(3, change);
}

static void fresh(void)
{
    fresh_with(NULL);
}

static void expect(unsigned event, enum verdict verdict, enum status status, const char *reason)
{
    row_make(&run_view, run_last, event, &row);
    if (row.verdict != verdict || row.status != status || strcmp(row.reason, reason) != 0)
        fail_msg("event %u: %s, status %u, '%s'", event, verdict_name(row.verdict), row.status,
                 row.reason);
    if (verdict == VERDICT_FAULT || verdict == VERDICT_TIMEOUT || verdict == VERDICT_UNAVAILABLE)
        assert_int_equal(row.accepted, 0);
}

TEST(results_without_samples)
{
    static const struct {
        enum status status;
        enum verdict verdict;
    } ROWS[] = {
        {STATUS_FAULT, VERDICT_FAULT},
        {STATUS_TIMEOUT, VERDICT_TIMEOUT},
        {STATUS_SKIPPED, VERDICT_TIMEOUT},
        {STATUS_START_FAILED, VERDICT_TIMEOUT},
        {STATUS_CPU_FEATURE, VERDICT_UNAVAILABLE},
        {STATUS_NO_MEMORY, VERDICT_FAULT},
        {STATUS_DIED, VERDICT_FAULT},
        {STATUS_KILLED, VERDICT_TIMEOUT},
        {STATUS_HUGE_PAGES, VERDICT_UNAVAILABLE},
        {STATUS_WRITE_BACK, VERDICT_UNAVAILABLE},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *reason = status_text(ROWS[i].status);

        fresh();
        run_calibration();
        run_result(0, ROWS[i].status);
        run_look();
        if (ROWS[i].status == STATUS_FAULT)
            reason = formatted("%s: #UD (6), error code 0x10, at offset 0x1c0", reason);
        for (unsigned e = 0; e <= EVENTS_COUNT; e++)
            expect(e, ROWS[i].verdict, ROWS[i].status, reason);
    }
}

static void without_branches(struct cpu_caps *caps)
{
    caps->arch_events_absent = 1 << 5;
    caps->fixed_map = 1;
    caps->model = 0x3c;
}

TEST(reasons_of_the_plan_s_events)
{
    static char reasons[EVENTS_MAX];
    unsigned last = EVENTS_COUNT - 1;

    run_begin(NULL, "");
    run_kernel("kernel", EXPECT_EXACT);
    run_make_cpu(0, NULL);
    run_events[last].status = run_events[last - 1].status = STATUS_EVENT_UNKNOWN;
    run_describe();
    snprintf(reasons + last, 32, "no such event; nearest: X");
    run_append(RECORD_REASONS, reasons, last + strlen(reasons + last) + 1);
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(run_schedule.passes));
    run_measure(0);
    expect(last, VERDICT_UNAVAILABLE, STATUS_EVENT_UNKNOWN, "no such event; nearest: X");
    expect(last - 1, VERDICT_UNAVAILABLE, STATUS_EVENT_UNKNOWN, status_text(STATUS_EVENT_UNKNOWN));
}

TEST(events_that_the_cpu_lacks)
{
    fresh_with(without_branches);
    run_measure(0);
    expect(branches, VERDICT_UNAVAILABLE, STATUS_EVENT_ABSENT,
           formatted("%s (bit 5)", status_text(STATUS_EVENT_ABSENT)));
    expect(loads, VERDICT_UNAVAILABLE, STATUS_EVENT_MODEL, status_text(STATUS_EVENT_MODEL));
    expect(run_event("CPU_CLK_UNHALTED.THREAD"), VERDICT_UNAVAILABLE, STATUS_NO_FIXED,
           status_text(STATUS_NO_FIXED));
    assert_false(row.has_slot);
    expect(run_event("INST_RETIRED.ANY"), VERDICT_EXACT, STATUS_OK, "");
    expect(EVENTS_COUNT, VERDICT_MEASURED, STATUS_OK, "");
    assert_true(row_counter(&run_view, loads, &row));
}

/* The TSC's row comes from the first pass. */
TEST(a_pass_that_could_not_be_programmed)
{
    const char *reason =
        formatted("%s: MSR 0x187, wrote 0x4200c0, read 0x400000", status_text(STATUS_READ_BACK));

    for (unsigned failed = 0; failed < 3; failed++) {
        fresh();
        run_calibration();
        run_program_errors = 1u << failed;
        run_look_at(0);
        for (unsigned e = 0; e < EVENTS_COUNT; e++) {
            unsigned pass, slot;

            assert_true(schedule_find(run_view.schedule, e, &pass, &slot));
            if (pass == failed)
                expect(e, VERDICT_UNAVAILABLE, STATUS_READ_BACK, reason);
            else
                expect(e, EVENTS[e].declared < 0 ? VERDICT_MEASURED : VERDICT_EXACT, STATUS_OK, "");
        }
        if (failed == 0)
            expect(EVENTS_COUNT, VERDICT_UNAVAILABLE, STATUS_READ_BACK, reason);
        else
            expect(EVENTS_COUNT, VERDICT_MEASURED, STATUS_OK, "");
    }
}

/* Each row of ROWS lacks the strongest problem of the row before. */
enum wrong { WRONG_EXPECTED = 1, WRONG_2N = 2, WRONG_WINDOW = 4, WRONG_NOISE = 8 };
static unsigned wrong;

static void be_wrong(struct point *point)
{
    if (wrong & WRONG_WINDOW && point->kernel == KERNEL_CALIBRATION)
        point->value += 5;
    if (wrong & WRONG_2N && point->kind == SAMPLE_2N)
        point->value += 50;
    if (wrong & WRONG_EXPECTED && point->kernel != KERNEL_CALIBRATION)
        point->value += 1;
}

static uint16_t be_noisy(const struct point *point)
{
    return wrong & WRONG_NOISE && point->kernel != KERNEL_CALIBRATION ? EVIDENCE_SMI : 0;
}

TEST(precedence)
{
    static const struct {
        enum status status;
        uint32_t program_errors;
        bool lacks;
        unsigned wrong;
        enum verdict verdict;
        const char *reason;
    } ROWS[] = {
        {STATUS_FAULT, 7, true, 15, VERDICT_FAULT, "exception"},
        {STATUS_TIMEOUT, 7, true, 15, VERDICT_TIMEOUT, "did not answer"},
        {STATUS_OK, 7, true, 15, VERDICT_UNAVAILABLE, "lacks the event"},
        {STATUS_OK, 7, false, 15, VERDICT_UNAVAILABLE, "MSR 0x187"},
        {STATUS_OK, 0, false, 15, VERDICT_NOISY, "only 0 of 4"},
        {STATUS_OK, 0, false, 7, VERDICT_OFF, "window cost"},
        {STATUS_OK, 0, false, 3, VERDICT_OFF, "n and 2n"},
        {STATUS_OK, 0, false, 1, VERDICT_OFF, "expected 1000"},
        {STATUS_OK, 0, false, 0, VERDICT_EXACT, ""},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        fresh_with(ROWS[i].lacks ? without_branches : NULL);
        wrong = ROWS[i].wrong;
        run_hook = be_wrong;
        run_evidence = be_noisy;
        run_calibration();
        run_program_errors = ROWS[i].program_errors;
        run_result(0, ROWS[i].status);
        run_look();
        row_make(&run_view, run_last, branches, &row);
        if (row.verdict != ROWS[i].verdict || !strstr(row.reason, ROWS[i].reason))
            fail_msg("row %zu: %s, '%s'", i, verdict_name(row.verdict), row.reason);
    }
}

TEST(words_and_what_fails)
{
    /* in order of precedence */
    static const char *const WORDS[] = {"fault", "timeout", "unavailable", "noisy",
                                        "off",   "within",  "exact",       "measured"};
    static const bool FAILS[] = {true, true, false, true, true, false, false, false};

    assert_int_equal(VERDICT_COUNT, sizeof(WORDS) / sizeof(WORDS[0]));
    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        assert_string_equal(verdict_name(v), WORDS[v]);
        assert_int_equal(verdict_fails(v), FAILS[v]);
    }
    assert_string_equal(verdict_name(VERDICT_COUNT), "?");
    assert_false(verdict_fails(VERDICT_COUNT));
}

#define VENDOR_LINE "NOT MEASURED counting is not supported on CPUs of this vendor and family"
#define NO_PMU_LINE "NOT MEASURED CPUID.0AH reports no performance monitor (version 0)"

TEST(the_last_line)
{
    static const struct {
        enum verdict verdict[4];
        unsigned rows, accepted;
        bool stamps;
        enum status why;
        const char *line;
    } ROWS[] = {
        {{0}, 0, 0, false, STATUS_OK, "FAIL 0"}, /* nothing ran */
        {{VERDICT_EXACT, VERDICT_WITHIN, VERDICT_MEASURED}, 3, 4, false, STATUS_OK, "PASS"},
        {{VERDICT_EXACT}, 1, 1, false, STATUS_OK, "PASS"},
        {{VERDICT_MEASURED}, 1, 4, true, STATUS_OK, "FAIL 0"}, /* only TSC rows */
        {{VERDICT_MEASURED, VERDICT_UNAVAILABLE}, 2, 0, false, STATUS_VENDOR, VENDOR_LINE},
        {{VERDICT_UNAVAILABLE}, 1, 0, false, STATUS_NO_PMU, NO_PMU_LINE},
        {{VERDICT_UNAVAILABLE, VERDICT_UNAVAILABLE}, 2, 0, false, STATUS_MSR_FAULT, "FAIL 2"},
        {{VERDICT_EXACT, VERDICT_UNAVAILABLE}, 2, 4, false, STATUS_EVENT_ABSENT, "PASS"},
        {{VERDICT_EXACT, VERDICT_OFF}, 2, 4, false, STATUS_OK, "FAIL 1"},
        {{VERDICT_FAULT, VERDICT_TIMEOUT, VERDICT_NOISY, VERDICT_OFF}, 4, 0, false, 0, "FAIL 4"},
        {{VERDICT_UNAVAILABLE, VERDICT_OFF}, 2, 0, false, STATUS_NO_PMU, "FAIL 1"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct tally tally = {0};

        for (unsigned r = 0; r < ROWS[i].rows; r++) {
            row = (struct row){.event = ROWS[i].stamps ? NULL : &EVENTS[0],
                               .verdict = ROWS[i].verdict[r],
                               .accepted = ROWS[i].accepted,
                               .status = ROWS[i].why};
            tally_add(&tally, &row);
        }
        assert_int_equal(tally.counted, ROWS[i].accepted > 0 && !ROWS[i].stamps ? ROWS[i].rows : 0);
        assert_written(tally_line(&tally, &out), ROWS[i].line);
    }
}

TEST(what_follows_the_verdict)
{
    static const struct {
        struct tally tally;
        const char *line;
    } ROWS[] = {
        {{.counted = 1, .plan_errors = 1}, "PASS, 1 plan error"},
        {{.counted = 1, .plan_errors = 18}, "PASS, 18 plan errors"},
        {{.counted = 1,
          .of = {[VERDICT_NOISY] = 120},
          .noisy_of_time = 120,
          .noisy_by = 1u << NOISY_BY_POWER},
         "PASS, 120 rows of time noisy (power limit)"},
        {{.counted = 1,
          .of = {[VERDICT_NOISY] = 3},
          .noisy_of_time = 1,
          .noisy_by = 1u << NOISY_BY_HEAT | 1u << NOISY_BY_LIMIT | 1u << NOISY_BY_CLOCK,
          .plan_errors = 2},
         "FAIL 2, 1 row of time noisy (heat, clock limit, clock changes), 2 plan errors"},
        {{.of = {[VERDICT_OFF] = 3}, .plan_errors = 18}, "FAIL 3, 18 plan errors"},
        {{.why_not = STATUS_VENDOR, .plan_errors = 2}, VENDOR_LINE ", 2 plan errors"},
        {{.plan_errors = 2, .refused = REFUSED_STRICT}, "NOT MEASURED strict=yes, 2 plan errors"},
        {{.plan_errors = 1, .refused = REFUSED_NO_CPU},
         "NOT MEASURED no CPU is left, 1 plan error"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char line[TALLY_LINE_BYTES];

        assert_written(tally_line(&ROWS[i].tally, &out), ROWS[i].line);
        snprintf(line, sizeof(line), "%s", ROWS[i].line);
        *strchr(line, ',') = 0;
        assert_written(tally_verdict(&ROWS[i].tally, &out), line);
    }
}

TEST(the_last_line_has_room)
{
    char text[4 * TALLY_LINE_BYTES];

    for (unsigned status = 0; status < STATUS_COUNT; status++) {
        const struct tally tally = {.why_not = status,
                                    .noisy_of_time = UINT32_MAX,
                                    .of = {[VERDICT_NOISY] = UINT32_MAX},
                                    .noisy_by = (1u << NOISY_BY_COUNT) - 1,
                                    .plan_errors = UINT32_MAX};
        struct out line = out_buffer(text, sizeof(text));

        tally_line(&tally, &line);
        assert_in_range(strlen(out_end(&line)), 1, TALLY_LINE_BYTES - 1);
    }
}

TEST(outside_the_cores_is_no_pmu)
{
    for (unsigned status = STATUS_UNCORE_UNKNOWN; status <= STATUS_UNCORE_MEMORY; status++)
        assert_int_equal(weight_of(status), weight_of(STATUS_EVENT_UNKNOWN));
    assert_true(weight_of(STATUS_EVENT_UNKNOWN) < weight_of(STATUS_NO_PMU));
}

TEST(tally_keeps_the_first_of_such_reasons)
{
    static const enum status WHY[] = {STATUS_NO_PMU, STATUS_VENDOR, STATUS_NO_PMU};
    struct tally tally = {0};

    for (unsigned i = 0; i < 3; i++) {
        row = (struct row){.verdict = VERDICT_UNAVAILABLE, .status = WHY[i]};
        tally_add(&tally, &row);
    }
    assert_int_equal(tally.why_not, STATUS_NO_PMU);
    assert_int_equal(tally.of[VERDICT_UNAVAILABLE], 3);
    assert_int_equal(tally.counted, 0);
}

TEST(lost_kernels_fail)
{
    struct tally tally = {.counted = 7, .lost = 2, .of = {[VERDICT_EXACT] = 7, [VERDICT_OFF] = 1}};

    assert_int_equal(tally_failed(&tally), 3);
    assert_written(tally_line(&tally, &out), "FAIL 3");
}
