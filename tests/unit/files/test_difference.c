/* SPDX-License-Identifier: BSD-2-Clause */
/* results.csv: counts per n of a [code] kernel, from differences of samples at 2n and at n. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"

/*
 * Two kernels with the same counts. The first has three copies of its code. Counts per n of the
 * second are differences of samples at 2n and at n.
 */
static void measure(uint16_t (*evidence)(const struct point *point),
                    void (*hook)(struct point *point))
{
    struct known_kernel kernel = {.name = "k", .n = RUN_N, .copies = 3};

    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    kernel.flags = KNOWN_DIFFERENCE | 1;
    kernel.copies = 0;
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    run_cpu(0, NULL);
    run_calibration();
    run_evidence = evidence;
    run_hook = hook;
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
}

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
    measure(NULL, NULL);
    expect_rows("INST_RETIRED.ANY", RUN_C0[DECLARED_INSTRUCTIONS], RUN_C1[DECLARED_INSTRUCTIONS],
                true);
    expect_rows("MEM_INST_RETIRED.ALL_LOADS", RUN_C0[DECLARED_LOADS], RUN_C1[DECLARED_LOADS], true);
    expect_rows("CPU_CLK_UNHALTED.THREAD", 0, SLOPE_CYCLES, true);
    expect_rows("LONGEST_LAT_CACHE.MISS", 0, 0, true);
    expect_rows("TSC", 0, SLOPE_TSC, true);
}

static const int64_t OFF[][RUN_TWICE] = {[SAMPLE_N] = {3000, 3000}, [SAMPLE_2N] = {12000, -6001}};

static void spread(struct point *point)
{
    if (point->kernel != KERNEL_CALIBRATION && point->attempt < RUN_TWICE)
        point->value += (uint64_t)OFF[point->kind][point->attempt];
}

/*
 * Each of the n iterations runs three copies and takes SLOPE_CYCLES. The median at n is 1500 too
 * high. The two samples at 2n are 12000 too high and 6001 too low. The differences between these
 * two samples and the median at n are 2000 + 12000 - 1500 and 2000 - 6001 - 1500. The differences
 * are divided by n and by three.
 */
TEST(per_copy)
{
    unsigned rows = 0;

    measure(NULL, spread);
    for (render_lines(render_results_csv); next_line(); rows++) {
        if (strcmp(value_of("event"), "CPU_CLK_UNHALTED.THREAD") != 0)
            continue;
        if (rows > EVENTS_COUNT) {
            expect_all("copies=; per_copy=; per_copy_min=; per_copy_max=");
            continue;
        }
        expect_all("copies=3; per_copy=1.167; per_copy_min=-1.834; per_copy_max=4.167");
    }
    assert_int_equal(rows, 2 * (EVENTS_COUNT + 1));
}

TEST(nothing_at_2n)
{
    measure(all_of_2n_dirty, NULL);
    expect_rows("INST_RETIRED.ANY", RUN_C0[DECLARED_INSTRUCTIONS], RUN_C1[DECLARED_INSTRUCTIONS],
                false);
    expect_rows("TSC", 0, SLOPE_TSC, false);
    for (render_lines(render_results_csv); next_line();)
        expect_all("per_copy=; per_copy_min=; per_copy_max=");
}
