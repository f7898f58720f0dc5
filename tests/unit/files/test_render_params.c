/* SPDX-License-Identifier: BSD-2-Clause */
/* results.csv: a kernel's parameters, and whether CPUs ran in parallel. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"

TEST(parameters_and_mode)
{
    static const char *const PARAMS[] = {"", "n=1000", "n=1000;size=4096", "odd=\"a,b\""};
    struct known_kernel kernel = {.name = "k", .n = RUN_N};

    for (unsigned parallel = 0; parallel < 2; parallel++) {
        unsigned lines = 0;

        run_begin(parallel ? in_parallel : NULL, "");
        for (size_t i = 0; i < sizeof(PARAMS) / sizeof(PARAMS[0]); i++) {
            strcpy(kernel.param, PARAMS[i]);
            run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
        }
        run_cpu(0, NULL);
        run_calibration();
        for (unsigned i = 0; i < sizeof(PARAMS) / sizeof(PARAMS[0]); i++)
            run_result(i, STATUS_OK);
        for (render_lines(render_results_csv); next_line(); lines++) {
            expect("param", PARAMS[lines / (EVENTS_COUNT + 1)]);
            expect("mode", parallel ? "parallel" : "serial");
        }
        assert_int_equal(lines, sizeof(PARAMS) / sizeof(PARAMS[0]) * (EVENTS_COUNT + 1));
    }
}

static uint32_t warmup, runs;

static void set_warmup(struct run_record *run)
{
    run->warmup = warmup;
    run->runs = runs;
}

/*
 * A kernel is cold if n is less than a round, or if there is no warm-up and there are at most two
 * runs.
 */
TEST(cold_kernels)
{
    static const struct {
        uint64_t round;
        const char *warm, *first_is_cold;
    } ROWS[] = {
        {0, "", ""}, {1, "", ""}, {2, "no", "yes"}, {RUN_N, "no", "yes"}, {RUN_N + 1, "yes", "yes"},
    };
    static const struct {
        uint32_t warmup, runs;
        bool is_warm;
    } CASES[] = {{1, 1, true}, {1, 3, true}, {0, 1, false}, {0, 2, false}, {0, 3, true}};
    struct known_kernel kernel = {.name = "k", .n = RUN_N};

    for (size_t c = 0; c < sizeof(CASES) / sizeof(CASES[0]); c++) {
        unsigned lines = 0;

        warmup = CASES[c].warmup;
        runs = CASES[c].runs;

        run_begin(set_warmup, "");
        for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
            kernel.round = ROWS[i].round;
            run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
        }
        run_cpu(0, NULL);
        run_calibration();
        for (unsigned i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
            run_result(i, STATUS_OK);
        for (render_lines(render_results_csv); next_line(); lines++)
            expect("cold", CASES[c].is_warm ? ROWS[lines / (EVENTS_COUNT + 1)].warm
                                            : ROWS[lines / (EVENTS_COUNT + 1)].first_is_cold);
        assert_int_equal(lines, sizeof(ROWS) / sizeof(ROWS[0]) * (EVENTS_COUNT + 1));
    }
}
