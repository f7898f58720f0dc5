/* SPDX-License-Identifier: BSD-2-Clause */
/* The noise certificate: threshold, sums, histogram and description. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/journal/noise.h"
#include "pmu/base/status.h"

#define THRESHOLD 2100u
#define GHZ       1000000000ull

static struct noise noise;

static void begin(uint64_t threshold)
{
    memset(&noise, 0xa5, sizeof(noise));
    noise.cpu = 3;
    noise.when = NOISE_AFTER;
    noise_start(&noise, threshold);
}

TEST(the_start)
{
    struct noise expected = {.cpu = 3, .when = NOISE_AFTER, .threshold_ticks = THRESHOLD};

    begin(THRESHOLD);
    assert_memory_equal(&noise, &expected, sizeof(noise));
}

/* The result is ns * hz / 10^9, rounded up, and at least 1. */
TEST(ticks_of_nanoseconds)
{
    static const struct {
        uint64_t ns, hz, ticks;
    } ROWS[] = {
        {1000, 2100000000, 2100},
        {1000, GHZ, 1000},
        {1, 2100000000, 3},
        {0, GHZ, 1},
        {1000, 1000, 1},
        {1000, 0, 1},
        {1000, 2100000001, 2101},
        {100000000, 2100000000, 210000000},
        {3600 * GHZ, 5 * GHZ, 18000 * GHZ}, /* an hour at 5 GHz */
        {999999999, 17 * GHZ + 999999999, 17999999982},
        {GHZ + 1, 3 * GHZ, 3 * GHZ + 3},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (noise_ticks(ROWS[i].ns, ROWS[i].hz) != ROWS[i].ticks)
            fail_msg("row %zu: %llu", i, (unsigned long long)noise_ticks(ROWS[i].ns, ROWS[i].hz));
}

TEST(a_slow_loop_raises_the_threshold)
{
    assert_int_equal(noise_threshold(1000, 250), 1000);
    assert_int_equal(noise_threshold(1000, 251), 1004);
    assert_int_equal(noise_threshold(1, 0), 1);
    assert_true(noise_threshold(1000, UINT64_MAX / 2) == UINT64_MAX);
    assert_true(noise_threshold(1000, UINT64_MAX / 4) == UINT64_MAX / 4 * 4);
}

TEST(the_bounds_of_the_buckets)
{
    for (unsigned b = 0; b < NOISE_BUCKETS; b++) {
        begin(THRESHOLD);
        noise_add(&noise, ((uint64_t)THRESHOLD << b) - 1, 0);
        noise_add(&noise, (uint64_t)THRESHOLD << b, 0);
        for (unsigned i = 0; i < NOISE_BUCKETS; i++)
            assert_int_equal(noise.bucket[i], i == b || i + 1 == b);
        assert_int_equal(noise.gaps, b == 0 ? 1 : 2);
    }
    begin(1);
    noise_add(&noise, 0, 0);
    assert_int_equal(noise.gaps, 0);
    noise_add(&noise, UINT64_MAX, 0);
    assert_int_equal(noise.bucket[NOISE_BUCKETS - 1], 1);
    noise.bucket[0] = UINT32_MAX;
    noise_add(&noise, 1, 0);
    assert_int_equal(noise.bucket[0], UINT32_MAX);
    assert_int_equal(noise.gaps, 2);
}

TEST(the_sums)
{
    begin(THRESHOLD);
    noise_add(&noise, 3000, 0);
    noise_add(&noise, 2099, 0);
    noise_add(&noise, 9000, 0);
    noise_add(&noise, 2100, 0);
    assert_int_equal(noise.gaps, 3);
    assert_int_equal(noise.noise_ticks, 3000 + 9000 + 2100);
    assert_int_equal(noise.longest_ticks, 9000);
    assert_int_equal(noise.runtime_ticks, 0);
    assert_int_equal(noise.bucket[0], 2);
    assert_int_equal(noise.bucket[2], 1); /* 8400 to 16799 */
}

/* The runtime includes gaps, but not the time between two stretches. */
TEST(stretches)
{
    begin(1000);
    noise_stretch(&noise, 500, 4500, 9500, 0); /* 4000 quiet ticks, 5000 of noise */
    noise_stretch(&noise, 20000, 20000, 20100, 0);
    noise_stretch(&noise, UINT64_MAX - 9, 90, 1190, 0); /* wraps: 100 quiet ticks, 1100 of noise */
    noise_stretch(&noise, UINT64_MAX - 99, UINT64_MAX, 1899, 0); /* wraps in a gap: 99, 1900 */
    assert_int_equal(noise.runtime_ticks, 9000 + 100 + 1200 + 1999);
    assert_int_equal(noise.noise_ticks, 5000 + 1100 + 1900);
    assert_int_equal(noise.longest_ticks, 5000);
    assert_int_equal(noise.gaps, 3);
    noise_stretch(&noise, 7000, 7300, 7299, 0); /* the TSC went back: only the quiet part counts */
    assert_int_equal(noise.runtime_ticks, 9000 + 100 + 1200 + 1999 + 300);
    assert_int_equal(noise.gaps, 3);
}

TEST(what_is_available)
{
    static const struct {
        uint64_t runtime, noise;
        uint32_t available;
    } ROWS[] = {
        {1000000, 0, 100000},
        {1000000, 1, 99999},
        {1000000, 1000000, 0},
        {1000000, 250000, 75000},
        {599000000, 138, 99999}, /* rtla-hwnoise's example: 99.99997 % */
        {3, 1, 66666},
        {0, 0, 0},
        {UINT64_MAX, UINT64_MAX / 4 + 1, 74999},
        {UINT64_MAX, 0, 100000},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        noise = (struct noise){.runtime_ticks = ROWS[i].runtime, .noise_ticks = ROWS[i].noise};
        if (noise_available(&noise) != ROWS[i].available)
            fail_msg("row %zu: %u", i, noise_available(&noise));
    }
}

TEST(the_causes)
{
    begin(THRESHOLD);
    noise.nmis = 3;
    for (unsigned i = 0; i < 3; i++) {
        noise_add(&noise, THRESHOLD, 0);
        noise_add(&noise, THRESHOLD - 1, NOISE_NMI);
        noise_add(&noise, THRESHOLD - 1, NOISE_SMI);
    }
    assert_int_equal(noise_hw(&noise), 3);
    assert_int_equal(noise.unexplained, 3);
    noise_add(&noise, THRESHOLD, NOISE_NMI);
    noise_stretch(&noise, 0, 0, THRESHOLD, NOISE_SMI);
    noise_stretch(&noise, 0, 0, THRESHOLD, NOISE_SMI);
    noise_add(&noise, THRESHOLD, NOISE_NMI | NOISE_SMI);
    assert_int_equal(noise.gaps, 7);
    assert_int_equal(noise.nmi_gaps, 2);
    assert_int_equal(noise.smi_gaps, 3);
    assert_int_equal(noise.unexplained, 3);
    assert_int_equal(noise_hw(&noise), 5);
    noise.runtime_ticks = noise.noise_ticks;
    assert_true(noise_is_right(&noise));
}

TEST(nanoseconds_of_ticks)
{
    assert_int_equal(noise_ns(2100, 2100000000), 1000);
    assert_int_equal(noise_ns(3, 2000000000), 2); /* 1.5 */
    assert_int_equal(noise_ns(1, 3000000000), 0); /* 0.333 */
    assert_int_equal(noise_ns(210000000, 2100000000), 100000000);
    assert_int_equal(noise_ns(5, 0), 0);
}

static void says(const char *expected, uint64_t tsc_hz)
{
    assert_written(noise_words(&noise, tsc_hz, &out), expected);
}

TEST(the_words)
{
    begin(1000);
    noise.smis_known = 1;
    noise_stretch(&noise, 0, 100000000, 100000012, 0);
    says("none", GHZ);
    noise.smis = 50;
    says("none, 50 SMIs", GHZ);
    noise.smis_known = noise.smis = 0;
    noise.nmis = 1;
    says("none, 1 NMI, SMIs not counted", GHZ);
    noise.smis_known = 1;
    noise.nmis = 0;
    noise_add(&noise, 150249, 0);
    says("1 gap, max 150.2 us", GHZ);
    noise_add(&noise, 150250, 0);
    noise_add(&noise, 1000000, 0);
    noise.smis = 2;
    noise.nmis = 1;
    says("3 gaps, max 1.0 ms, 2 SMIs, 1 NMI", GHZ);
    says("3 gaps, max 1000000 ticks, 2 SMIs, 1 NMI", 0);
    noise.smis_known = noise.smis = 0;
    noise.runtime_ticks = 3600 * GHZ;
    says("3 gaps, max 1.0 ms, 1 NMI, SMIs not counted", GHZ);
    noise.status = STATUS_TIMEOUT;
    says("not known (the CPU did not answer within its time limit)", GHZ);
}

TEST(what_is_quiet)
{
    begin(THRESHOLD);
    assert_true(noise_is_quiet(&noise)); /* an unknown number of SMIs is not noise */
    noise.nmis = 1;
    assert_false(noise_is_quiet(&noise));
    begin(THRESHOLD);
    noise.smis = 1;
    assert_false(noise_is_quiet(&noise));
    begin(THRESHOLD);
    noise_add(&noise, THRESHOLD, 0);
    assert_false(noise_is_quiet(&noise));
    begin(THRESHOLD);
    noise.status = STATUS_TIMEOUT;
    assert_false(noise_is_quiet(&noise));
}

/* The requested 100 ns are 201 ticks of this TSC, but a step takes 240 ticks. */
TEST(a_raised_threshold)
{
    begin(960);
    assert_written(
        noise_raised_words(&noise, 100, 201, 2 * GHZ + 1, &out),
        "only gaps from 480 ns on are seen, not from 100 ns: one step of the watching loop takes "
        "120 ns");
    assert_written(
        noise_raised_words(&noise, 100, 201, 0, &out),
        "only gaps from 960 ticks on are seen, not from 201 ticks: one step of the watching loop "
        "takes 240 ticks");
}
