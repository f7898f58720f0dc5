/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on sums of counts, in run.json and on the console. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/events/text.h"
#include "pmu/report/report.h"

#define WHAT    "Hits + MEM_LOAD_RETIRED.L1_MISS <= MEM_INST_RETIRED.ALL_LOADS"
#define LOADS   2005 /* 5 + 2 n */
#define KERNELS 12u

static unsigned differing; /* on CPU 1, the last `differing` kernels have too many hits */

static void counts(struct point *point)
{
    unsigned i = point->event - EVENTS_COUNT;
    bool differs = point->cpu == 1 && point->kernel + differing >= KERNELS;

    if (point->event < EVENTS_COUNT || point->kernel == KERNEL_CALIBRATION)
        return;
    point->value = i == 0 ? LOADS + (differs ? 40 : 0) : 0;
}

static void more(const char *name, uint64_t select)
{
    event_begin(piece_of(name), RING_OS, &run_more[run_more_count]);
    run_more[run_more_count++].select = select;
}

static void run_all(unsigned cpus, bool has_misses)
{
    run_begin(NULL, "");
    for (unsigned k = 0; k < KERNELS; k++)
        run_kernel(formatted("kernel_%u", k), EXPECT_EXACT);
    more("MEM_LOAD_RETIRED.L1_HIT", 0x1d1);
    event_rename(piece_of("Hits"), &run_more[0]);
    if (has_misses)
        more("MEM_LOAD_RETIRED.L1_MISS", 0x8d1);
    run_hook = counts;
    run_cpus(cpus, KERNELS, NULL);
    run_end();
    run_look();
    render();
}

static const char *told(void)
{
    static char console[8192];
    static struct report report;
    struct out out = out_buffer(console, sizeof(console));
    const struct render r = {run_bytes, run_journal.used, run_scratch, 256, false, false};

    report_start(&report, &out, 1);
    report_cpu(&report, &run_view);
    out.used = 0;
    report_sums(&report, &r);
    return out_end(&out);
}

TEST(a_sum_that_agrees)
{
    differing = 0;
    run_all(2, true);
    has("\"what\": \"" WHAT "\",\n      \"agrees\": 24,\n      \"differs\": 0,\n"
        "      \"differences\": []");
    assert_string_equal(told(), "Sums      " WHAT ": agrees\n          24 times\n");
}

/* At most eight violations of a rule are listed. */
TEST(a_sum_that_differs)
{
    static const unsigned SHOWN[] = {1, 8, 9};

    for (size_t i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]); i++) {
        differing = SHOWN[i];
        run_all(2, true);
        has(formatted("\"what\": \"" WHAT "\",\n      \"agrees\": %u,\n      \"differs\": %u,",
                      24 - differing, differing));
        has(formatted("{\"cpu\": 1, \"kernel\": \"kernel_%u\", \"param\": \"\", \"n\": 1000, "
                      "\"sum\": 2045, \"total\": 2005, \"tolerance\": 2, "
                      "\"verdict\": \"differs by 40 (1.995 %%)\"}",
                      KERNELS - differing));
        assert_int_equal(times("\"differs by"), differing < 8 ? differing : 8);
        assert_string_equal(
            told(), formatted("Sums      " WHAT
                              ":\n          differs %u of 24 times: CPU 1 kernel_%u differs by 40 "
                              "(1.995 %%)\n",
                              differing, KERNELS - differing));
    }
}

TEST(no_sum)
{
    differing = 0;
    run_all(1, false);
    has("\"sums\": []");
    has_not("sums_left_out");
    assert_string_equal(told(), "");
}

static void nothing(struct point *point)
{
    point->value = point->event < EVENTS_COUNT ? point->value : 0;
}

/* The console lists six of seven agreeing sums; run.json lists all. */
TEST(many_sums)
{
    run_begin(NULL, "");
    run_kernel("kernel", EXPECT_EXACT);
    for (unsigned i = 0; i < 21; i++) {
        more(formatted("E%u:%s", i / 3, i % 3 == 0 ? "k" : i % 3 == 1 ? "u" : "uk"), 0x10 + i / 3);
        run_more[i].rings = (uint8_t)(1 + i % 3);
    }
    run_hook = nothing;
    run_cpu(0, NULL);
    run_measure(0);
    render();
    assert_int_equal(times("\"what\":"), 7);
    assert_string_equal(told(), "Sums      E0:k + E0:u = E0:uk: agrees 1 time\n"
                                "          E1:k + E1:u = E1:uk: agrees 1 time\n"
                                "          E2:k + E2:u = E2:uk: agrees 1 time\n"
                                "          E3:k + E3:u = E3:uk: agrees 1 time\n"
                                "          E4:k + E4:u = E4:uk: agrees 1 time\n"
                                "          E5:k + E5:u = E5:uk: agrees 1 time\n"
                                "          further sums that agree: 1; see run.json\n");
}
