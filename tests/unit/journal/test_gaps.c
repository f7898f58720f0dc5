/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps, found by comparing the clocks before and after a window. */
#include "tests/unit/test.h"
#include "pmu/journal/evidence.h"

static uint64_t ticks;

/*
 * A gap is the elapsed ticks minus MPERF's ticks. A gap is evidence if it exceeds 1000 + elapsed /
 * 64.
 */
TEST(gaps)
{
    static const struct {
        uint64_t elapsed, mperf;
        uint32_t gap;
        bool evidence;
    } ROWS[] = {
        {0, 0, 0, false},
        {64000, 64000, 0, false},
        {64000, 64500, 0, false}, /* the readings of MPERF may enclose those of the TSC */
        {64000, 62000, 2000, false},
        {64000, 61999, 2001, true},
        {63, 0, 63, false},
        {1015, 0, 1015, false},           /* 1000 + 15 */
        {1016, 0, 1016, true},            /* 1000 + 15, rounded down */
        {6400000, 6380000, 20000, false}, /* 0.3 % slower */
        {64000, -5ull, 0, false},         /* MPERF was set back */
        {1ull << 40, 0, UINT32_MAX, true},
        {(1ull << 32) - 1, 0, UINT32_MAX, true},
        {(1ull << 32) - 2, 0, UINT32_MAX - 1, true},
    };
    static const uint64_t STARTS[] = {0, 777, -3ull}; /* the last one wraps */

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (unsigned s = 0; s < sizeof(STARTS) / sizeof(STARTS[0]); s++) {
            const struct clocks before = {
                .aperf = STARTS[s], .mperf = STARTS[s], .tsc_first = 100, .tsc_last = 900000};
            const struct clocks after = {.aperf = STARTS[s] + 11,
                                         .mperf = STARTS[s] + ROWS[i].mperf,
                                         .tsc_first = 900000 + ROWS[i].elapsed,
                                         .tsc_last = 1ull << 60};
            struct sample sample = {.evidence = EVIDENCE_NMI};

            evidence_between_clocks(0, &before, &after, &sample);
            if (sample.evidence != (EVIDENCE_NMI | (ROWS[i].evidence ? EVIDENCE_GAP : 0)))
                fail_msg("row %zu: %x", i, sample.evidence);
            assert_int_equal(sample.gap_ticks, ROWS[i].gap);
            assert_true(sample.mperf == ROWS[i].mperf && sample.aperf == 11);
            sample = (struct sample){.evidence = EVIDENCE_NMI, .gap_ticks = 1};
            evidence_between_clocks(CPU_MPERF_DIFFERS, &before, &after, &sample);
            assert_true(sample.evidence == EVIDENCE_NMI && sample.gap_ticks == 0);
            assert_true(sample.mperf == ROWS[i].mperf && sample.aperf == 11);
        }
}

/* MPERF advances by `mperf_share` thousandths of the TSC's ticks. */
static uint64_t step, mperf, mperf_share, stood_still;
static unsigned readings;

static uint64_t machine_ticks(void)
{
    readings++;
    ticks += step;
    mperf = (ticks - stood_still) * mperf_share / 1000;
    return ticks;
}

/* The core halts once in each of the first `still_left` comparisons. */
static uint64_t still_at, still_left;

static uint64_t halting_ticks(void)
{
    if (still_left > 0 && ticks > still_at) {
        still_left--;
        still_at = ticks + DIFFERS_TICKS;
        ticks += 50000;
        stood_still += 50000;
    }
    return machine_ticks();
}

static void machine_clocks(struct clocks *now)
{
    now->tsc_first = halting_ticks();
    now->mperf = mperf;
    now->tsc_last = halting_ticks();
}

static bool differs(uint64_t share, uint64_t stops)
{
    ticks = 1000000;
    stood_still = 0;
    readings = 0;
    mperf_share = share;
    still_left = stops;
    still_at = ticks + 1000;
    return evidence_mperf_differs(machine_clocks, halting_ticks);
}

/* Three gaps in a row mean that MPERF ticks more slowly than the TSC. One or two may be halts. */
TEST(an_mperf_of_another_rate)
{
    step = 100;
    assert_false(differs(1000, 0));
    assert_in_range(readings, DIFFERS_TICKS / step, DIFFERS_TICKS / step + 10);
    assert_true(differs(1, 0)); /* Xeon Phi: 1 / 1024 */
    assert_in_range(readings, 3 * DIFFERS_TICKS / step, 3 * (DIFFERS_TICKS / step + 10));
    assert_true(differs(0, 0));
    /*
     * In 200,000 ticks, MPERF may miss 1000 + 3125 ticks (20.6 thousandths), and another 100 ticks
     * for a reading.
     */
    assert_true(differs(978, 0));
    assert_false(differs(980, 0));
    assert_false(differs(2000, 0));
    for (unsigned stops = 1; stops < DIFFERS_TRIES; stops++)
        assert_false(differs(1000, stops));
    assert_true(differs(1000, DIFFERS_TRIES));
    step = 0;
    assert_false(differs(0, 0));
    assert_in_range(readings, DIFFERS_READINGS, DIFFERS_READINGS + 10);
}
