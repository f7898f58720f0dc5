/* SPDX-License-Identifier: BSD-2-Clause */
/* If a run counted nothing, its last line depends on whether there is a PMU. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"

#define VENDOR  "counting is not supported on CPUs of this vendor and family"
#define NO_PMU  "CPUID.0AH reports no performance monitor (version 0)"
#define NO_PERF "Linux has no driver for this CPU's performance monitor"

static struct row row;

TEST(the_weightiest_reason_holds)
{
    static const struct {
        enum status why[3];
        const char *line;
    } ROWS[] = {
        {{STATUS_CPU_FEATURE, STATUS_NO_PMU, STATUS_NO_PMU}, "NOT MEASURED " NO_PMU},
        {{STATUS_CPU_FEATURE, STATUS_VENDOR, STATUS_VENDOR}, "NOT MEASURED " VENDOR},
        {{STATUS_CPU_FEATURE, STATUS_CPU_FEATURE, STATUS_CPU_FEATURE}, "FAIL 3"},
        {{STATUS_CPU_FEATURE, STATUS_NO_PMU, STATUS_MSR_FAULT}, "FAIL 3"},
        {{STATUS_NO_PMU, STATUS_NO_COUNTER, STATUS_NO_PMU}, "FAIL 3"},
        {{STATUS_NOT_MODELLED, STATUS_NO_PMU, STATUS_NO_PMU}, "NOT MEASURED " NO_PMU},
        {{STATUS_NO_PERF, STATUS_HUGE_PAGES, STATUS_WRITE_BACK}, "NOT MEASURED " NO_PERF},
        {{STATUS_NO_PERF, STATUS_PERF_DENIED, STATUS_NO_PERF}, "NOT MEASURED " NO_PERF},
        {{STATUS_NO_PERF, STATUS_PERF_REFUSED, STATUS_NO_PERF}, "FAIL 3"},
        {{STATUS_NO_PERF, STATUS_PERF_COUNTER, STATUS_NO_PERF}, "FAIL 3"},
    };

    for (size_t i = 0; i < 3 * sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct tally tally = {0};

        for (unsigned r = 0; r < 3; r++) {
            row = (struct row){.verdict = VERDICT_UNAVAILABLE,
                               .status = ROWS[i / 3].why[(i + r) % 3]};
            tally_add(&tally, &row);
        }
        assert_written(tally_line(&tally, &out), ROWS[i / 3].line);
    }
}

/* The TSC's row names the missing feature. All other rows say that there is no PMU. */
TEST(a_kernel_that_cannot_run_without_a_pmu)
{
    run_begin(NULL, "");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(3, no_pmu);
    run_calibration();
    run_result(0, STATUS_CPU_FEATURE);
    run_look();
    for (unsigned e = 0; e <= EVENTS_COUNT; e++) {
        enum status why = e < EVENTS_COUNT ? STATUS_NO_PMU : STATUS_CPU_FEATURE;

        row_make(&run_view, run_last, e, &row);
        assert_int_equal(row.verdict, VERDICT_UNAVAILABLE);
        assert_int_equal(row.status, why);
        assert_string_equal(row.reason, status_text(why));
    }
}

static void with_avx(struct cpu_caps *caps)
{
    caps->kernel_features = 1 << 0;
}

TEST(what_a_cpu_lacks_is_named)
{
    const struct known_kernel kernel = {
        .name = "needy", .n = RUN_N, .cpu_features = 1 << 0 | 1 << 14 | 1 << 20};

    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_cpu(3, with_avx);
    run_calibration();
    run_result(0, STATUS_CPU_FEATURE);
    run_look();
    row_make(&run_view, run_last, EVENTS_COUNT, &row);
    assert_string_equal(row.reason, "the CPU lacks a feature that the kernel needs: sha, avx512f");
}

TEST(a_plan_that_asks_too_much)
{
    static const enum status PLANS[] = {STATUS_MSR_REFUSED, STATUS_EVENT_UNKNOWN,
                                        STATUS_EVENT_SYNTAX, STATUS_EVENT_NUMBER, STATUS_NO_SPACE};

    for (size_t i = 0; i < sizeof(PLANS) / sizeof(PLANS[0]); i++) {
        struct tally tally = {0};

        row = (struct row){.verdict = VERDICT_UNAVAILABLE, .status = STATUS_VENDOR};
        tally_add(&tally, &row);
        row.status = PLANS[i];
        tally_add(&tally, &row);
        assert_written(tally_line(&tally, &out), "NOT MEASURED " VENDOR);
    }
}
