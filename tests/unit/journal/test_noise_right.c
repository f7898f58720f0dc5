/* SPDX-License-Identifier: BSD-2-Clause */
/* Noise certificates whose numbers are not consistent are rejected. */
#include "tests/unit/test.h"
#include "pmu/journal/noise.h"
#include "pmu/base/status.h"

#define THRESHOLD 2100u

static struct noise noise;

static void begin(uint64_t threshold)
{
    noise_start(&noise, threshold);
}

/*
 * The gaps are as long as the threshold (caused by an NMI), twice as long (by an NMI and an SMI),
 * and four times as long (without a known cause).
 */
static struct noise three_gaps(void)
{
    begin(THRESHOLD);
    noise_stretch(&noise, 0, 0, THRESHOLD, NOISE_NMI);
    noise_stretch(&noise, 0, 0, 2 * THRESHOLD, NOISE_NMI | NOISE_SMI);
    noise_stretch(&noise, 0, 0, 4 * THRESHOLD, 0);
    noise.smis_known = 1;
    return noise;
}

TEST(what_can_be_right)
{
    const struct noise right = three_gaps();

    assert_true(noise_is_right(&right));
#define CHANGED(field, value)                                                                      \
    noise = right;                                                                                 \
    noise.field = value
#define WRONG(field, value)                                                                        \
    CHANGED(field, value);                                                                         \
    assert_false(noise_is_right(&noise))
    WRONG(when, NOISE_AFTER + 1);
    WRONG(status, STATUS_COUNT);
    WRONG(smis_known, 2);
    WRONG(threshold_ticks, 0);
    WRONG(threshold_ticks, 4 * THRESHOLD + 1);
    WRONG(runtime_ticks, 7 * THRESHOLD - 1);
    WRONG(noise_ticks, 7 * THRESHOLD + 1);
    WRONG(noise_ticks, 0);
    WRONG(longest_ticks, 7 * THRESHOLD + 1);
    WRONG(gaps, 0);
    WRONG(gaps, 2);
    WRONG(bucket[0], 0);
    WRONG(bucket[0], 2);
    WRONG(bucket[0], UINT32_MAX); /* a saturated bucket means more gaps than `gaps` says */
    WRONG(nmi_gaps, 0);           /* a gap that counts as explained has no cause */
    WRONG(nmi_gaps, 3);
    WRONG(smi_gaps, 3);
    WRONG(smi_gaps, UINT64_MAX);
    WRONG(unexplained, 2);
    WRONG(unexplained, 4);
    noise.smi_gaps = UINT64_MAX; /* the sum of the causes wraps, and looks valid */
    assert_false(noise_is_right(&noise));
    CHANGED(nmi_gaps, 1);
    assert_true(noise_is_right(&noise));
    CHANGED(unexplained, 0);
    assert_true(noise_is_right(&noise));
    CHANGED(smi_gaps, 0);
    assert_true(noise_is_right(&noise));
    noise = (struct noise){.status = STATUS_TIMEOUT};
    assert_true(noise_is_right(&noise));
}

/* If a bucket is saturated, the sum of the buckets may be less than the number of gaps. */
TEST(the_edges_of_what_is_right)
{
    begin(NOISE_THRESHOLD_TICKS_MAX - 1);
    noise_stretch(&noise, 0, 1000, 1000, 0);
    assert_true(noise_is_right(&noise));
    noise.threshold_ticks++;
    assert_false(noise_is_right(&noise));
    noise.threshold_ticks--;
    noise.noise_ticks = noise.longest_ticks = 10;
    assert_false(noise_is_right(&noise));
    begin(1);
    noise.gaps = noise.unexplained = noise.noise_ticks = noise.runtime_ticks = 1ull << 33;
    noise.longest_ticks = 1;
    noise.bucket[0] = UINT32_MAX;
    assert_true(noise_is_right(&noise));
    noise.bucket[0]--;
    assert_false(noise_is_right(&noise));
}
