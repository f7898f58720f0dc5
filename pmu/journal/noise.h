/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures a CPU's noise: a loop reads the time stamp, and records each gap that reaches a
 * threshold. The terms are those of Linux's hwnoise tracer: Documentation/trace/osnoise-tracer.rst
 * and Documentation/tools/rtla/rtla-hwnoise.rst.
 */
#ifndef BARECOUNT_PMU_JOURNAL_NOISE_H
#define BARECOUNT_PMU_JOURNAL_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define NOISE_BUCKETS 24u

/* The minimum ratio of the threshold to the time of one step of the loop. */
#define NOISE_STEPS_MIN 4u

enum noise_when { NOISE_BEFORE, NOISE_AFTER };

/* Causes of a gap. */
#define NOISE_NMI (1u << 0)
#define NOISE_SMI (1u << 1)

/* A few minutes. With a larger threshold, a bucket's limit could overflow 64 bits. */
#define NOISE_THRESHOLD_TICKS_MAX (1ull << 40)

/* All ticks are time-stamp ticks. */
struct noise {
    uint32_t cpu;
    uint32_t when;       /* enum noise_when */
    uint32_t status;     /* enum status; the fields below are valid only if it is STATUS_OK */
    uint32_t nmis;       /* with or without a gap */
    uint32_t smis_known; /* 1: `smis` is known */
    uint32_t smis;
    uint64_t threshold_ticks; /* minimum gap */
    uint64_t runtime_ticks;   /* observed time, including gaps */
    uint64_t noise_ticks;     /* sum of all gaps */
    uint64_t longest_ticks;
    uint64_t gaps;
    uint64_t nmi_gaps; /* gaps with an NMI, and perhaps also an SMI */
    uint64_t smi_gaps;
    uint64_t unexplained;  /* gaps without an NMI or SMI */
    uint64_t aperf, mperf; /* increments, scaled to runtime_ticks; 0: not read */
    /*
     * Bucket b counts gaps from threshold * 2^b ticks to just below threshold * 2^(b + 1); the last
     * bucket has no upper limit. The numbers saturate.
     */
    uint32_t bucket[NOISE_BUCKETS];
};
_Static_assert(sizeof(struct noise) == 200, "journal layout");

/* Converts nanoseconds to ticks, rounded up, at least 1. tsc_hz must be below 2^44 (17 THz). */
uint64_t noise_ticks(uint64_t ns, uint64_t tsc_hz);

/* The threshold: wanted_ticks or, if larger, NOISE_STEPS_MIN times the loop's fastest step. */
uint64_t noise_threshold(uint64_t wanted_ticks, uint64_t step_ticks);

/* Starts a measurement; keeps `cpu` and `when`. The threshold must be at least 1 tick. */
void noise_start(struct noise *noise, uint64_t threshold_ticks);

/* Adds a gap with its causes (NOISE_*), unless it is shorter than the threshold. */
void noise_add(struct noise *noise, uint64_t gap_ticks, unsigned causes);

/*
 * Adds readings of the time stamp. All steps from `first` to `before` are shorter than the
 * threshold. The step from `before` to `last` has the causes `causes`, and is ignored if the time
 * stamp went backwards. The time stamp may wrap.
 */
void noise_stretch(struct noise *noise, uint64_t first, uint64_t before, uint64_t last,
                   unsigned causes);

/* Whether the numbers are consistent, as the functions below require. */
bool noise_is_right(const struct noise *noise);

/* (runtime - noise) / runtime in thousandths of a percent, rounded down. */
uint32_t noise_available(const struct noise *noise);

/* The number of gaps without an NMI, which hwnoise calls HW. */
uint64_t noise_hw(const struct noise *noise);

/* Whether the measurement was made or attempted. */
static inline bool noise_was_asked(const struct noise *noise)
{
    return noise->status != 0 || noise->threshold_ticks > 0;
}

/* Whether the measurement succeeded and found no gap, NMI or SMI. */
bool noise_is_quiet(const struct noise *noise);

/*
 * Converts ticks to nanoseconds, rounded half up, with the frequency rounded to kHz. Returns 0 if
 * tsc_hz is 0 (not known).
 */
uint64_t noise_ns(uint64_t ticks, uint64_t tsc_hz);

/*
 * Writes "none", or "3 gaps, max 150.2 us, 3 SMIs", or why the noise is not known. Times are in
 * ticks if tsc_hz is 0. The NMIs and SMIs include those without a gap.
 */
void noise_words(const struct noise *noise, uint64_t tsc_hz, struct out *out);

/*
 * Writes that the threshold was raised because a step of the loop takes too long. Times are in
 * ticks if tsc_hz is 0.
 */
void noise_raised_words(const struct noise *noise, uint64_t wanted_ns, uint64_t wanted_ticks,
                        uint64_t tsc_hz, struct out *out);

#endif
