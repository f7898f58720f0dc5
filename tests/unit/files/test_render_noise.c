/* SPDX-License-Identifier: BSD-2-Clause */
/* The noise certificates in run.json. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"

static void two_ghz(struct run_record *run)
{
    run->tsc_hz = 2000000000;
    run->tsc_source = TSC_PLATFORM_INFO;
}

static void guessed(struct run_record *run)
{
    run->tsc_hz = 2000000000;
    run->tsc_source = TSC_UNKNOWN;
}

static void render_noise(void (*change)(struct run_record *run), const struct noise *noise,
                         size_t bytes)
{
    char *start, *end;

    run_begin(change, "");
    run_append(RECORD_NOISE, noise, bytes);
    run_end();
    render();
    start = strstr(text, "\"noise_certificates\": ");
    assert_non_null(start);
    end = strstr(start, "\"verdict\"");
    assert_non_null(end);
    *end = 0;
    memmove(text, start, strlen(start) + 1);
}

/* Gaps of 3 us (NMI), 40 us (SMI) and 1 us in 100 ms. */
static struct noise three_gaps(void)
{
    struct noise noise = {.cpu = 7, .when = NOISE_AFTER};

    noise_start(&noise, 2000);
    noise_stretch(&noise, 0, 199914007, 199920007, NOISE_NMI);
    noise_stretch(&noise, 0, 0, 80001, NOISE_SMI);
    noise_stretch(&noise, 0, 0, 2000, 0);
    noise.nmis = 3;
    noise.smis = 2;
    noise.smis_known = 1;
    noise.aperf = 11;
    noise.mperf = 12;
    return noise;
}

TEST(every_field)
{
    static const char *const PIECES[] = {
        "\"cpu\": 7",
        "\"when\": \"after\"",
        "\"status\": \"ok\"",
        "\"threshold_ns\": 1000,",
        "\"runtime_us\": 100001.004,",
        "\"noise_us\": 44.001,", /* 44000.5 ns */
        "\"max_single_us\": 40.001,",
        "\"available_percent\": 99.955,", /* 99.95599994  */
        "\"gaps\": 3,",
        "\"hw\": 2,",
        "\"nmis\": 3,",
        "\"smis\": 2,",
        "\"smi_gaps\": 1,",
        "\"unexplained\": 1,",
        "\"threshold_ticks\": 2000,",
        "\"runtime_ticks\": 200002008,",
        "\"noise_ticks\": 88001,",
        "\"longest_ticks\": 80001,",
        "\"aperf\": 11,",
        "\"mperf\": 12,",
        "{\"from_ns\": 1000, \"from_ticks\": 2000, \"gaps\": 1}",
        "{\"from_ns\": 2000, \"from_ticks\": 4000, \"gaps\": 1}",
        "{\"from_ns\": 32000, \"from_ticks\": 64000, \"gaps\": 1}",
    };
    struct noise noise = three_gaps();
    render_noise(two_ghz, &noise, sizeof(noise));

    for (size_t i = 0; i < sizeof(PIECES) / sizeof(PIECES[0]); i++)
        has(PIECES[i]);
    has_not("\"gaps\": 0"); /* empty buckets are omitted */
}

TEST(what_is_not_known_is_not_there)
{
    struct noise noise = three_gaps();

    noise.when = NOISE_BEFORE;
    noise.smis_known = 0;
    noise.aperf = noise.mperf = 0;
    render_noise(guessed, &noise, sizeof(noise));
    has("\"when\": \"before\"");
    has("{\"from_ticks\": 4000, \"gaps\": 1}");
    has("\"hw\": 2,");
    has_not("_ns");
    has_not("_us");
    has_not("smis");
    has_not("unexplained");
    has_not("perf");
}

TEST(a_cpu_that_did_not_answer)
{
    struct noise noise = three_gaps();

    noise.status = STATUS_TIMEOUT;
    render_noise(two_ghz, &noise, sizeof(noise));
    has("\"cpu\": 7");
    has("\"status\": \"the CPU did not answer within its time limit\"");
    has_not("gaps");
    has_not("ticks");
}

TEST(a_wrong_record_is_left_out)
{
    struct noise noise = three_gaps();

    render_noise(two_ghz, &noise, sizeof(noise) - 8);
    has_not("cpu");
    noise.longest_ticks = noise.noise_ticks + 1;
    render_noise(two_ghz, &noise, sizeof(noise));
    has_not("cpu");
}
