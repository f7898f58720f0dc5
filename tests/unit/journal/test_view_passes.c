/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of many passes, some of them without samples. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run.h"

#define PASSES 300u /* does not fit into a byte */
#define STRIDE SAMPLE_BYTES(1)

static bool is_lost(unsigned pass)
{
    return pass == 0 || pass == 149 || pass == 150 || pass == 256 || pass == PASSES - 1;
}

static uint64_t value_of(unsigned kernel, unsigned pass, unsigned kind, unsigned attempt)
{
    return (kernel == KERNEL_CALIBRATION ? 0 : 1000000) + 100 * pass + 50 * kind + attempt;
}

static uint64_t tsc_of(unsigned pass, unsigned kind, unsigned attempt)
{
    return 5000000 + value_of(0, pass, kind, attempt);
}

static void append_result(unsigned kernel, unsigned attempts, unsigned attempts_2n)
{
    static struct {
        struct result result;
        char samples[PASSES * (RUN_CALIBRATION + RUN_TWICE) * STRIDE];
    } payload;
    char *to = payload.samples;

    payload.result = (struct result){.kernel = kernel, .stride_bytes = STRIDE};
    payload.result.program_error = (struct pmu_error){STATUS_READ_BACK, 0x186, 1, 0};
    for (unsigned p = 0; p < PASSES; p++)
        for (unsigned kind = SAMPLE_N; kind <= SAMPLE_2N && !is_lost(p); kind++)
            for (unsigned i = 0; i < (kind == SAMPLE_N ? attempts : attempts_2n); i++) {
                struct sample sample = {.pass = (uint16_t)p,
                                        .kind = (uint8_t)kind,
                                        .attempt = (uint16_t)i,
                                        .tsc = tsc_of(p, kind, i),
                                        .raw = {value_of(kernel, p, kind, i)}};

                memcpy(to, &sample, STRIDE);
                to += STRIDE;
            }
    payload.result.samples = (uint32_t)((size_t)(to - payload.samples) / STRIDE);
    run_append(RECORD_RESULT, &payload, (size_t)(to - (char *)&payload));
}

/* Each pass has one event, on one of four counters. */
static void many_passes(void)
{
    static struct event events[PASSES];

    run_start("kernel", EXPECT_NOTHING, NULL);
    run_schedule = (struct schedule){.passes = PASSES};
    for (unsigned p = 0; p < PASSES; p++) {
        events[p] = (struct event){.select = p,
                                   .arch = EVENT_NOT_ARCH,
                                   .fixed = EVENT_NOT_FIXED,
                                   .declared = EVENT_UNDECLARED,
                                   .rings = RING_OS};
        snprintf(events[p].name, sizeof(events[p].name), "EVENT.%u", p);
        run_schedule.pass[p] =
            (struct pass){.slots = 1, .slot = {{.event = (uint16_t)p, .counter = p % 4}}};
    }
    run_append(RECORD_EVENTS, events, sizeof(events));
    run_append(RECORD_SCHEDULE, &run_schedule, SCHEDULE_BYTES(PASSES));
    append_result(KERNEL_CALIBRATION, RUN_CALIBRATION, 0);
    append_result(0, RUN_RUNS, 1);
    run_look();
    assert_int_equal(run_results_count, 1);
}

BEFORE_EACH(many_passes);

static void expect_values(unsigned pass, unsigned kind, unsigned attempts)
{
    struct rejected rejected;
    size_t count = is_lost(pass) ? 0 : attempts;

    assert_int_equal(view_values(&run_view, run_last, pass, 0, kind, &rejected), count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(run_scratch[i], value_of(0, pass, kind, i));
    assert_int_equal(view_values(&run_view, run_last, pass, SLOT_TSC, kind, &rejected), count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(run_scratch[i], tsc_of(pass, kind, i));
    assert_int_equal(rejected.count, 0);
}

TEST(the_values_of_each_pass_are_found)
{
    for (unsigned p = 0; p < PASSES; p++) {
        expect_values(p, SAMPLE_N, RUN_RUNS);
        expect_values(p, SAMPLE_2N, 1);
    }
    assert_int_equal(view_values(&run_view, run_last, PASSES, 0, SAMPLE_N, NULL), 0);
}

TEST(the_baseline_of_each_pass_is_its_own)
{
    for (unsigned p = 0; p < PASSES; p++) {
        struct baseline baseline = view_baseline(&run_view, p, 0);

        assert_int_equal(baseline.samples, is_lost(p) ? 0 : RUN_CALIBRATION);
        if (is_lost(p))
            continue;
        assert_int_equal(baseline.min, value_of(KERNEL_CALIBRATION, p, SAMPLE_N, 0));
        assert_int_equal(baseline.max,
                         value_of(KERNEL_CALIBRATION, p, SAMPLE_N, RUN_CALIBRATION - 1));
    }
}

TEST(each_event_has_its_row)
{
    struct row row;

    assert_int_equal(rows_count(&run_view, run_last), PASSES + 1);
    for (unsigned e = 0; e < PASSES; e++) {
        row_make(&run_view, run_last, e, &row);
        assert_int_equal(row.pass, e);
        assert_int_equal(row.slot.counter, e % 4);
        if (is_lost(e)) {
            assert_int_equal(row.verdict, VERDICT_UNAVAILABLE);
            assert_int_equal(row.status, STATUS_READ_BACK);
            continue;
        }
        assert_int_equal(row.verdict, VERDICT_MEASURED);
        assert_int_equal(row.stats.min, 1000000);
        assert_int_equal(row.stats.max, 1000000 + RUN_RUNS - 1);
    }
}
