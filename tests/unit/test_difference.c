/* SPDX-License-Identifier: BSD-2-Clause */
/* results.csv: what a kernel of a section [code] counts for each n is a difference. */
#include <stdio.h>
#include <string.h>

#include "test.h"
#include "fake_csv.h"
#include "fake_run.h"
#include "pmu/render.h"

static char text[64 << 10];
static struct csv_record names, record;

static uint16_t all_of_2n_dirty(const struct point *point)
{
    return point->kind == SAMPLE_2N ? EVIDENCE_NMI : 0;
}

/* Two kernels that count alike: the second one's counts are differences. */
static void measure(uint16_t (*evidence)(const struct point *point))
{
    struct known_kernel kernel = {.name = "k", .n = RUN_N};
    struct render r = {run_bytes, 0, run_scratch, 256, false};
    struct out out = out_buffer(text, sizeof(text));

    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    kernel.flags = KNOWN_DIFFERENCE | 1;
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_cpu(0, NULL);
    run_calibration();
    run_evidence = evidence;
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
    r.journal_bytes = run_journal.used;
    assert_true(render_results_csv(&r, &out));
}

/* What the two rows of an event say for each n, by the formulas of fake_run.h. */
static void expect(const char *event, double constant, double slope, bool twice)
{
    const char *at = text;
    bool right = true;
    unsigned rows = 0;

    assert_true(csv_next(&at, text + strlen(text), &names, &right));
    while (csv_next(&at, text + strlen(text), &record, &right)) {
        char wanted[32] = "";
        bool difference = rows >= 1;

        if (strcmp(csv_value(&names, &record, "event"), event) != 0)
            continue;
        if (!difference)
            snprintf(wanted, sizeof(wanted), "%g", (constant + slope * RUN_N) / RUN_N);
        else if (twice)
            snprintf(wanted, sizeof(wanted), "%g", slope);
        assert_string_equal(csv_value(&names, &record, "per_iteration"), wanted);
        assert_string_equal(csv_value(&names, &record, "verdict"), "measured");
        rows++;
    }
    assert_int_equal(rows, 2);
}

TEST(per_iteration)
{
    measure(NULL);
    expect("INST_RETIRED.ANY", RUN_C0[DECLARED_INSTRUCTIONS], RUN_C1[DECLARED_INSTRUCTIONS], true);
    expect("MEM_INST_RETIRED.ALL_LOADS", RUN_C0[DECLARED_LOADS], RUN_C1[DECLARED_LOADS], true);
    expect("CPU_CLK_UNHALTED.THREAD", 0, SLOPE_CYCLES, true);
    expect("LONGEST_LAT_CACHE.MISS", 0, 0, true);
    expect("TSC", 0, SLOPE_TSC, true);
}

/* Without a clean sample at 2n there is no difference, and none is made up. */
TEST(nothing_at_2n)
{
    measure(all_of_2n_dirty);
    expect("INST_RETIRED.ANY", RUN_C0[DECLARED_INSTRUCTIONS], RUN_C1[DECLARED_INSTRUCTIONS], false);
    expect("TSC", 0, SLOPE_TSC, false);
}
