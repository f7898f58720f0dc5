/* SPDX-License-Identifier: BSD-2-Clause */
/* The certificates of noise in run.json. */
#include <string.h>

#include "test.h"
#include "fake_json.h"
#include "fake_run.h"
#include "pmu/render.h"

static char text[64 << 10];

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

/* The certificates of a run that has one, as the array's text. */
static const char *rendered(void (*change)(struct run_record *run), const struct noise *noise,
                            size_t bytes)
{
    struct out out = out_buffer(text, sizeof(text));
    struct render render = {run_bytes, 0, run_scratch, 256, false};
    char *start, *end;

    run_begin(change, "");
    run_append(RECORD_NOISE, noise, bytes);
    run_end();
    render.journal_bytes = run_journal.used;
    assert_true(render_run_json(&render, &out));
    out_end(&out);
    assert_true(json_is_valid(text, strlen(text)));
    start = strstr(text, "\"noise_certificates\": ");
    assert_non_null(start);
    end = strstr(start, "\"verdict\"");
    assert_non_null(end);
    *end = 0;
    return start;
}

static void has(const char *in, const char *piece)
{
    if (!strstr(in, piece))
        fail_msg("'%s' is not in %s", piece, in);
}

static void has_not(const char *in, const char *piece)
{
    if (strstr(in, piece))
        fail_msg("'%s' is in %s", piece, in);
}

/* A threshold of 1 us, 100 ms; gaps of 3 us with an NMI, 40 us with an SMI, and 1 us. */
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
    const char *json = rendered(two_ghz, &noise, sizeof(noise));

    for (size_t i = 0; i < sizeof(PIECES) / sizeof(PIECES[0]); i++)
        has(json, PIECES[i]);
    has_not(json, "\"gaps\": 0"); /* empty buckets */
}

TEST(what_is_not_known_is_not_there)
{
    struct noise noise = three_gaps();
    const char *json;

    noise.when = NOISE_BEFORE;
    noise.smis_known = 0;
    noise.aperf = noise.mperf = 0;
    json = rendered(guessed, &noise, sizeof(noise));
    has(json, "\"when\": \"before\"");
    has(json, "{\"from_ticks\": 4000, \"gaps\": 1}");
    has(json, "\"hw\": 2,");
    has_not(json, "_ns");
    has_not(json, "_us");
    has_not(json, "smis");
    has_not(json, "unexplained");
    has_not(json, "perf");
}

TEST(a_cpu_that_did_not_answer)
{
    struct noise noise = three_gaps();
    const char *json;

    noise.status = STATUS_TIMEOUT;
    json = rendered(two_ghz, &noise, sizeof(noise));
    has(json, "\"cpu\": 7");
    has(json, "\"status\": \"the CPU did not answer within its bound\"");
    has_not(json, "gaps");
    has_not(json, "ticks");
}

/* A record that cannot be right is not used, nor is the one before it in its place. */
TEST(a_wrong_record_is_left_out)
{
    struct noise noise = three_gaps();

    has_not(rendered(two_ghz, &noise, sizeof(noise) - 8), "cpu");
    noise.longest_ticks = noise.noise_ticks + 1;
    has_not(rendered(two_ghz, &noise, sizeof(noise)), "cpu");
}
