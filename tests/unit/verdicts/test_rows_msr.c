/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of MSR scripts: in the journal, as rows, and in results.csv. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/rows.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/base/bytes.h"

#define MSRS          4u
#define ROW_OF_MSR(i) (EVENTS_COUNT + 1 + (i))

static const struct {
    struct msr_result msr;
    const char *name, *encoding, *value, *unit;
} EXPECTED[MSRS] = {
    {{.msr = 0x34, .kind = MSR_OP_READ, .value = 7}, "msr:0x34:before", "rdmsr", "7", "value"},
    {{.msr = 0x1a4, .kind = MSR_OP_WRITE, .value = 15, .fault = 1},
     "msr:0x1a4:before",
     "wrmsr",
     NULL,
     "value"},
    {{.msr = 0x34, .kind = MSR_OP_READ, .value = UINT64_MAX},
     "msr:0x34",
     "rdmsr",
     "18446744073709551615",
     "value"},
    {{.kind = MSR_OP_RDTSC, .value = 1ull << 63},
     "rdtsc",
     "rdtsc",
     "9223372036854775808",
     "tsc ticks"},
};

static void use(unsigned before, unsigned after)
{
    for (unsigned i = 0; i < MSRS; i++)
        run_msrs[i] = EXPECTED[i].msr;
    run_msrs_before = (uint16_t)before;
    run_msrs_after = (uint16_t)after;
}

static void one_run(void)
{
    run_start("kernel", EXPECT_EXACT, NULL);
    run_calibration();
    use(2, 2);
}

BEFORE_EACH(one_run);

static void expect_msr_rows(void)
{
    for (unsigned i = 0; i < MSRS; i++) {
        bool fault = EXPECTED[i].msr.fault;

        make(ROW_OF_MSR(i));
        assert_written(row_name(&row, &out), EXPECTED[i].name);
        assert_null(row.event);
        assert_false(row.has_slot);
        assert_memory_equal(row.msr, &EXPECTED[i].msr, sizeof(*row.msr));
        assert_int_equal(row.msr_before, i < 2);
        assert_int_equal(row.accepted, !fault);
        assert_int_equal(row.verdict, fault ? VERDICT_UNAVAILABLE : VERDICT_MEASURED);
        assert_int_equal(row.status, fault ? STATUS_MSR_REFUSED : STATUS_OK);
        assert_int_equal(row.expect.kind, EXPECT_NOTHING);
        assert_int_equal(row.reason[0] != 0, fault);
    }
}

TEST(rows_stand_behind_the_time_stamp)
{
    run_look_at(0);
    assert_int_equal(rows_count(&run_view, run_last), EVENTS_COUNT + 1 + MSRS);
    assert_null(make(EVENTS_COUNT)->msr);
    assert_int_equal(row.stats.max, SLOPE_TSC * RUN_N);
    expect_msr_rows();
}

/* Without samples, the scripts' results follow the record's head. */
TEST(a_fault_of_the_kernel_is_not_theirs)
{
    run_result(0, STATUS_FAULT);
    run_look();
    assert_int_equal(run_last->samples, 0);
    expect_msr_rows();
}

TEST(what_refused)
{
    run_msrs[0] = (struct msr_result){.msr = 0x34, .kind = MSR_OP_READ, .fault = 1};
    run_look_at(0);
    assert_string_equal(make(ROW_OF_MSR(0))->reason,
                        "the CPU has no such MSR, or refuses the value: RDMSR raised #GP");
    assert_string_equal(make(ROW_OF_MSR(1))->reason,
                        "the CPU has no such MSR, or refuses the value: WRMSR raised #GP");
}

TEST(lines_of_results_csv)
{
    static const char *const VALUES[] = {"min", "median", "mean", "max", "q1", "q3"};
    static const char *const EMPTY[] = {"param",   "per_iteration", "expected", "counter",
                                        "partner", "pass",          "modes"};

    run_result(0, STATUS_OK);
    for (unsigned i = 0; i < MSRS; i++) {
        const char *value = EXPECTED[i].value ? EXPECTED[i].value : "";
        bool fault = EXPECTED[i].msr.fault;

        find("0", "kernel", EXPECTED[i].name);
        expect("encoding", EXPECTED[i].encoding);
        expect("unit", EXPECTED[i].unit);
        expect("runs", fault ? "0" : "1");
        expect("rejected", "0");
        expect("stddev", fault ? "" : "0");
        expect("verdict", fault ? "unavailable" : "measured");
        expect("n", "1000");
        for (size_t v = 0; v < sizeof(VALUES) / sizeof(VALUES[0]); v++)
            expect(VALUES[v], value);
        for (size_t e = 0; e < sizeof(EMPTY) / sizeof(EMPTY[0]); e++)
            expect(EMPTY[e], "");
    }
}

static struct result *last_result(void)
{
    run_look();
    return (struct result *)(run_bytes + ((const char *)run_last - run_bytes));
}

static unsigned believed(struct result *result)
{
    struct journal_head *head = (struct journal_head *)result - 1;

    head->payload_crc = crc32_ieee(0, head + 1, head->payload_bytes);
    head->head_crc = crc32_ieee(0, head, offsetof(struct journal_head, head_crc));
    run_look();
    return run_results_count;
}

TEST(kinds_that_cannot_be)
{
    for (unsigned kind = 0; kind < 256; kind++)
        for (unsigned i = 0; i < MSRS; i += MSRS - 1) {
            bool right = kind == MSR_OP_READ || kind == MSR_OP_WRITE || kind == MSR_OP_RDTSC;
            struct result *result;

            one_run();
            run_result(0, STATUS_OK);
            result = last_result();
            ((struct msr_result *)result_msrs(result))[i].kind = (uint8_t)kind;
            if (believed(result) != right)
                fail_msg("kind %u at %u: %s", kind, i, right ? "refused" : "believed");
        }
}

TEST(counts_beyond_the_record)
{
    static const struct {
        uint16_t before, after;
        bool right;
    } ROWS[] = {{2, 2, true},           {4, 0, true},
                {0, 4, true},           {0, 0, true},
                {3, 2, false},          {2, 3, false},
                {5, 0, false},          {UINT16_MAX, 2, false},
                {2, UINT16_MAX, false}, {UINT16_MAX, UINT16_MAX, false},
                {0, UINT16_MAX, false}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct result *result;

        one_run();
        run_result(0, STATUS_OK);
        result = last_result();
        memset(run_bytes + run_journal.used, MSR_OP_READ, 4096); /* valid, but after the end */
        result->msrs_before = ROWS[i].before;
        result->msrs_after = ROWS[i].after;
        if (believed(result) != ROWS[i].right)
            fail_msg("row %zu: %s", i, ROWS[i].right ? "refused" : "believed");
    }
}
