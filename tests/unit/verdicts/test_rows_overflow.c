/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters preset to overflow: the status bit and the count must agree. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/rows.h"
#include "tests/unit/fakes/run_files.h"

#define BRANCHES "BR_INST_RETIRED.ALL_BRANCHES" /* the event with wrong bits */

static uint32_t after;
static enum count_method method;

/* Bit s is set if slot s has counted to `after`. */
static uint32_t true_bits(const struct point *point, const struct sample *sample)
{
    const struct pass *pass = &run_schedule.pass[point->pass];
    uint32_t bits = 0;

    for (unsigned s = 0; s < pass->slots; s++)
        bits |= (uint32_t)(sample->raw[s] >= after) << s;
    return bits;
}

static uint32_t liar(const struct point *point)
{
    unsigned pass, slot;

    if (!schedule_find(&run_schedule, run_event(BRANCHES), &pass, &slot) || pass != point->pass)
        return 0;
    return 1u << slot;
}

static uint32_t never_set(const struct point *point, const struct sample *sample)
{
    return true_bits(point, sample) & ~liar(point);
}

static uint32_t always_set(const struct point *point, const struct sample *sample)
{
    return true_bits(point, sample) | liar(point);
}

static uint32_t once_missing(const struct point *point, const struct sample *sample)
{
    return true_bits(point, sample) & ~(point->attempt == 2 ? liar(point) : 0);
}

static uint32_t elsewhere(const struct point *point, const struct sample *sample)
{
    return true_bits(point, sample) ^
           (point->kind == SAMPLE_2N || point->attempt == RUN_RUNS ? liar(point) : 0);
}

static uint16_t last_evidence = EVIDENCE_NMI;

static uint16_t last_is_bad(const struct point *point)
{
    return point->attempt == RUN_RUNS ? last_evidence : 0;
}

static uint32_t (*bits_of)(const struct point *, const struct sample *);

static void set_bits(const struct point *point, struct sample *sample)
{
    sample->overflowed = bits_of(point, sample);
}

static void change(struct run_record *run)
{
    run->overflow_after = after;
    run->method = method;
}

static void version_1(struct cpu_caps *caps)
{
    caps->pmu_version = 1;
    caps->fixed_map = 0;
}

static void measure(void (*cpu)(struct cpu_caps *caps),
                    uint32_t (*bits)(const struct point *, const struct sample *))
{
    run_begin(change, "");
    run_kernel("k", EXPECT_EXACT);
    run_cpu(0, cpu);
    bits_of = bits;
    run_finish = bits ? set_bits : NULL;
    run_calibration();
    run_evidence = last_is_bad;
    run_result_of(0, STATUS_OK, RUN_RUNS + 1, RUN_TWICE);
    run_look();
}

static void expect_only(enum verdict verdict, const char *reason)
{
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        bool right = EVENTS[e].declared < 0;

        make(e);
        if (row.verdict == VERDICT_UNAVAILABLE)
            continue;
        if (e == run_event(BRANCHES)) {
            assert_string_equal(row.reason, reason);
            assert_int_equal(row.verdict, verdict);
            assert_false(row.counter_off);
        } else {
            assert_int_equal(row.verdict, right ? VERDICT_MEASURED : VERDICT_EXACT);
        }
    }
}

static uint64_t branches(void)
{
    return (uint64_t)(RUN_COST[DECLARED_BRANCHES] + run_count(DECLARED_BRANCHES, RUN_N));
}

TEST(bits_that_agree)
{
    const uint32_t AFTER[] = {1, (uint32_t)branches(), (uint32_t)branches() + 1, 1 << 30};

    for (size_t i = 0; i < sizeof(AFTER) / sizeof(AFTER[0]); i++) {
        after = AFTER[i];
        method = METHOD_RESET;
        measure(NULL, true_bits);
        expect_only(VERDICT_EXACT, "");
        measure(NULL, elsewhere);
        expect_only(VERDICT_EXACT, "");
    }
}

TEST(bits_that_do_not)
{
    method = METHOD_RESET;
    after = (uint32_t)branches(); /* overflows at the last event */
    measure(NULL, never_set);
    expect_only(VERDICT_OFF,
                "overflow: the status bit was set in 0 of 4 samples, the count reached "
                "1002 in 4");
    measure(NULL, once_missing);
    expect_only(VERDICT_OFF,
                "overflow: the status bit was set in 3 of 4 samples, the count reached "
                "1002 in 4");
    measure(NULL, always_set);
    expect_only(VERDICT_EXACT, "");
    after = (uint32_t)branches() + 1;
    measure(NULL, always_set);
    expect_only(VERDICT_OFF,
                "overflow: the status bit was set in 4 of 4 samples, the count reached "
                "1003 in 0");
    measure(NULL, never_set);
    expect_only(VERDICT_EXACT, "");
}

static uint32_t wrong_at_last(const struct point *point, const struct sample *sample)
{
    return point->attempt == RUN_RUNS ? ~true_bits(point, sample) : true_bits(point, sample);
}

/* Only rows of cycles reject a sample with a gap. */
TEST(bits_of_a_sample_with_a_gap)
{
    method = METHOD_RESET;
    after = (uint32_t)branches();
    last_evidence = EVIDENCE_GAP;
    measure(NULL, wrong_at_last);
    last_evidence = EVIDENCE_NMI;
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        make(e);
        if (EVENTS[e].unit == UNIT_COUNT)
            assert_memory_equal(row.reason, "overflow: ", 10);
        else
            assert_int_equal(row.verdict, VERDICT_MEASURED);
    }
}

/* Overflows are not judged if there is no preset or no status bit, or with method=deltas. */
TEST(where_nothing_is_judged)
{
    after = 0;
    method = METHOD_RESET;
    measure(NULL, never_set);
    expect_only(VERDICT_EXACT, "");
    after = (uint32_t)branches() + 1;
    method = METHOD_DELTAS;
    measure(NULL, always_set);
    make(run_event(BRANCHES));
    assert_null(strstr(row.reason, "overflow"));
    after = (uint32_t)branches();
    method = METHOD_RESET;
    measure(version_1, never_set);
    make(run_event(BRANCHES));
    assert_int_equal(row.verdict, VERDICT_EXACT);
}

TEST(the_column)
{
    after = (uint32_t)branches();
    method = METHOD_RESET;
    for (unsigned version = 1; version <= 2; version++) {
        unsigned set = 0, clear = 0;

        measure(version == 1 ? version_1 : NULL, true_bits);
        render_lines(render_samples_csv);
        assert_string_equal(names.field[13], "overflowed");
        while (next_line()) {
            const char *value = value_of("overflowed");
            bool reached = strtoull(value_of("raw"), NULL, 10) >= after;

            assert_string_equal(value, version == 1 ? "" : reached ? "1" : "0");
            set += reached;
            clear += !reached;
        }
        assert_true(set > 0 && clear > 0);
    }
}

static void no_counters(struct cpu_caps *caps)
{
    caps->gp_count = caps->fixed_map = 0;
}

TEST(the_column_of_a_time_stamp)
{
    after = 1;
    measure(no_counters, NULL);
    render_lines(render_samples_csv);
    assert_true(next_line());
    expect_all("event=TSC; overflowed=");
}
