/* SPDX-License-Identifier: BSD-2-Clause */
/* results.csv: a kernel's parameters, and whether CPUs ran in parallel. */
#include <string.h>

#include "test.h"
#include "fake_csv.h"
#include "fake_run.h"
#include "pmu/render.h"

static char text[64 << 10];
static struct csv_record names, record;

static void in_parallel(struct run_record *run)
{
    run->parallel = 1;
}

/* A kernel's parameters make it another entry; how the CPUs ran is the whole run's. */
TEST(parameters_and_mode)
{
    static const char *const PARAMS[] = {"", "n=1000", "n=1000;size=4096", "odd=\"a,b\""};
    struct known_kernel kernel = {.name = "k", .n = RUN_N};

    for (unsigned parallel = 0; parallel < 2; parallel++) {
        const char *at = text;
        bool right = true;
        unsigned lines = 0;
        struct render r;
        struct out out;

        run_begin(parallel ? in_parallel : NULL, "");
        for (size_t i = 0; i < sizeof(PARAMS) / sizeof(PARAMS[0]); i++) {
            strcpy(kernel.param, PARAMS[i]);
            run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
        }
        run_cpu(0, NULL);
        run_calibration();
        for (unsigned i = 0; i < sizeof(PARAMS) / sizeof(PARAMS[0]); i++)
            run_result(i, STATUS_OK);
        r = (struct render){run_bytes, run_journal.used, run_scratch, 256, false};
        out = out_buffer(text, sizeof(text));
        assert_true(render_results_csv(&r, &out));
        assert_true(csv_next(&at, text + out.used, &names, &right));
        for (unsigned i = 0; csv_next(&at, text + out.used, &record, &right); i++) {
            assert_string_equal(csv_value(&names, &record, "param"),
                                PARAMS[i / (EVENTS_COUNT + 1)]);
            assert_string_equal(csv_value(&names, &record, "mode"),
                                parallel ? "parallel" : "serial");
            lines = i + 1;
        }
        assert_true(right);
        assert_int_equal(lines, sizeof(PARAMS) / sizeof(PARAMS[0]) * (EVENTS_COUNT + 1));
    }
}
