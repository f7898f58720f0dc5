/* SPDX-License-Identifier: BSD-2-Clause */
/* results.csv: what a kernel of a section [code] counts for each n is a difference. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"

/* Two kernels that count alike: the second one's counts are differences. */
static void measure(uint16_t (*evidence)(const struct point *point))
{
    struct known_kernel kernel = {.name = "k", .n = RUN_N};

    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    kernel.flags = KNOWN_DIFFERENCE | 1;
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_cpu(0, NULL);
    run_calibration();
    run_evidence = evidence;
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
}

/* What the two rows of an event say for each n, by the formulas of fakes/run.h. */
static void expect_rows(const char *event, double constant, double slope, bool twice)
{
    unsigned rows = 0;

    render_lines(render_results_csv);
    while (next_line()) {
        char wanted[32] = "";
        bool difference = rows >= 1;

        if (strcmp(value_of("event"), event) != 0)
            continue;
        if (!difference)
            snprintf(wanted, sizeof(wanted), "%g", (constant + slope * RUN_N) / RUN_N);
        else if (twice)
            snprintf(wanted, sizeof(wanted), "%g", slope);
        expect("per_iteration", wanted);
        expect("verdict", "measured");
        rows++;
    }
    assert_int_equal(rows, 2);
}

TEST(per_iteration)
{
    measure(NULL);
    expect_rows("INST_RETIRED.ANY", RUN_C0[DECLARED_INSTRUCTIONS], RUN_C1[DECLARED_INSTRUCTIONS],
                true);
    expect_rows("MEM_INST_RETIRED.ALL_LOADS", RUN_C0[DECLARED_LOADS], RUN_C1[DECLARED_LOADS], true);
    expect_rows("CPU_CLK_UNHALTED.THREAD", 0, SLOPE_CYCLES, true);
    expect_rows("LONGEST_LAT_CACHE.MISS", 0, 0, true);
    expect_rows("TSC", 0, SLOPE_TSC, true);
}

/* Without a clean sample at 2n there is no difference, and none is made up. */
TEST(nothing_at_2n)
{
    measure(all_of_2n_dirty);
    expect_rows("INST_RETIRED.ANY", RUN_C0[DECLARED_INSTRUCTIONS], RUN_C1[DECLARED_INSTRUCTIONS],
                false);
    expect_rows("TSC", 0, SLOPE_TSC, false);
}
