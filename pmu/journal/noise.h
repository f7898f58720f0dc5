/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The certificate of a CPU's noise: a loop that does nothing but read the time stamp, with
 * interrupts off, and takes down each gap between two readings. The terms are those of Linux'
 * hwnoise tracer (Documentation/trace/osnoise-tracer.rst,
 * Documentation/tools/rtla/rtla-hwnoise.rst): runtime, noise, % CPU available, max single, HW, NMI;
 * so that both can be put side by side. It has one period, so that its max noise is its noise.
 */
#ifndef BARECOUNT_PMU_JOURNAL_NOISE_H
#define BARECOUNT_PMU_JOURNAL_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define NOISE_BUCKETS 24u

/* The loop's own step must be so much shorter than what it calls a gap. */
#define NOISE_STEPS_MIN 4u

enum noise_when { NOISE_BEFORE, NOISE_AFTER };

/* What came while a gap was open, a sum of these; 0: nothing that is known of. */
#define NOISE_NMI (1u << 0)
#define NOISE_SMI (1u << 1)

/* A threshold is below it: that is minutes, and no bucket's bound overflows. */
#define NOISE_THRESHOLD_TICKS_MAX (1ull << 40)

/* All ticks are those of the time stamp. */
struct noise {
    uint32_t cpu;
    uint32_t when;       /* enum noise_when: of the CPU's kernels */
    uint32_t status;     /* enum status: the rest is valid with STATUS_OK alone */
    uint32_t nmis;       /* all of them, in a gap or too short for one */
    uint32_t smis_known; /* 1: MSR_SMI_COUNT is there */
    uint32_t smis;
    uint64_t threshold_ticks; /* what two readings must be apart for a gap, at least */
    uint64_t runtime_ticks;   /* that were watched, gaps included */
    uint64_t noise_ticks;     /* the gaps together */
    uint64_t longest_ticks;   /* the longest of them */
    uint64_t gaps;
    uint64_t nmi_gaps; /* with an NMI; a gap may have both */
    uint64_t smi_gaps;
    uint64_t unexplained;  /* with neither */
    uint64_t aperf, mperf; /* what they advanced by over the loop; 0 without the registers */
    /* Bucket b: gaps of threshold * 2^b ticks or more, and less than the next; the last: and above.
     * As many as it can hold. */
    uint32_t bucket[NOISE_BUCKETS];
};
_Static_assert(sizeof(struct noise) == 200, "journal layout");

/* Ticks of at least so many nanoseconds, and at least one. tsc_hz is below 2^44 (17 THz). */
uint64_t noise_ticks(uint64_t ns, uint64_t tsc_hz);

/* The threshold that can be watched by a loop whose quickest step takes so long. */
uint64_t noise_threshold(uint64_t wanted_ticks, uint64_t step_ticks);

/* Nothing was watched yet; a threshold of at least one tick. Keeps cpu and when. */
void noise_start(struct noise *noise, uint64_t threshold_ticks);

/* A gap between two readings, with its causes (NOISE_*); none when it is below the threshold. */
void noise_add(struct noise *noise, uint64_t gap_ticks, unsigned causes);

/*
 * A stretch of readings that was watched: from `first` to `before` they came closer than the
 * threshold, then came `last`, and between these two the causes (NOISE_*). The time stamp may wrap.
 * Where it went back it was not watched.
 */
void noise_stretch(struct noise *noise, uint64_t first, uint64_t before, uint64_t last,
                   unsigned causes);

/*
 * Whether a certificate can be right: its gaps, their buckets, ticks and causes do not contradict
 * each other. What is below would not make sense otherwise.
 */
bool noise_is_right(const struct noise *noise);

/* (runtime - noise) / runtime in thousandths of a percent, rounded down: 100000 without noise. */
uint32_t noise_available(const struct noise *noise);

/* Gaps without an NMI: hwnoise's HW. */
uint64_t noise_hw(const struct noise *noise);

/* Whether a CPU was watched, or was to be: not so where the plan has noise_ms=0. */
static inline bool noise_was_asked(const struct noise *noise)
{
    return noise->status != 0 || noise->threshold_ticks > 0;
}

/* Whether nothing was noticed: no gap, and no NMI or SMI too short for one. */
bool noise_is_quiet(const struct noise *noise);

/*
 * Nanoseconds of ticks, halves rounded up, the frequency taken in whole kHz; 0 when it is below
 * 500 Hz, which means not known.
 */
uint64_t noise_ns(uint64_t ticks, uint64_t tsc_hz);

/*
 * "none", or "3 gaps, max 150.2 us, 3 SMIs", or why it is not known. In ticks when tsc_hz is 0.
 * NMIs and SMIs are told without a gap, too; and so is that SMIs cannot be counted.
 */
void noise_words(const struct noise *noise, uint64_t tsc_hz, struct out *out);

/*
 * Of a threshold that was raised: "gaps count from 480 ns, not 100 ns: a step of the loop takes 120
 * ns". In ticks when tsc_hz is 0; what was wanted was then made into ticks by a guess.
 */
void noise_raised_words(const struct noise *noise, uint64_t wanted_ns, uint64_t wanted_ticks,
                        uint64_t tsc_hz, struct out *out);

#endif
