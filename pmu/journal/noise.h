/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A measurement of a CPU's noise: a loop, with interrupts off, reads nothing but the time stamp and
 * records each gap between two readings. The terms are those of Linux's hwnoise tracer
 * (Documentation/trace/osnoise-tracer.rst, Documentation/tools/rtla/rtla-hwnoise.rst): runtime,
 * noise, % CPU available, max single, HW, NMI; so that results can be compared. There is one
 * period, so that max noise equals noise.
 */
#ifndef BARECOUNT_PMU_JOURNAL_NOISE_H
#define BARECOUNT_PMU_JOURNAL_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define NOISE_BUCKETS 24u

/* The minimum ratio of the threshold to the loop's own step. */
#define NOISE_STEPS_MIN 4u

enum noise_when { NOISE_BEFORE, NOISE_AFTER };

/* Known events during a gap, as a sum; 0: none. */
#define NOISE_NMI (1u << 0)
#define NOISE_SMI (1u << 1)

/* Thresholds are below this, which is minutes, so that no bucket's limit overflows. */
#define NOISE_THRESHOLD_TICKS_MAX (1ull << 40)

/* All ticks are time-stamp ticks. */
struct noise {
    uint32_t cpu;
    uint32_t when;       /* enum noise_when: before or after the CPU's kernels */
    uint32_t status;     /* enum status; the rest is valid only with STATUS_OK */
    uint32_t nmis;       /* with or without a gap */
    uint32_t smis_known; /* 1: MSR_SMI_COUNT exists */
    uint32_t smis;
    uint64_t threshold_ticks; /* minimum gap */
    uint64_t runtime_ticks;   /* observed time, including gaps */
    uint64_t noise_ticks;     /* sum of all gaps */
    uint64_t longest_ticks;   /* the longest of them */
    uint64_t gaps;
    uint64_t nmi_gaps; /* with an NMI, with or without an SMI */
    uint64_t smi_gaps;
    uint64_t unexplained;  /* with neither */
    uint64_t aperf, mperf; /* increments, scaled to runtime_ticks; 0 without the registers */
    /*
     * Bucket b: gaps of at least threshold * 2^b ticks, below the next bucket's; the last bucket
     * has no upper limit. Saturating.
     */
    uint32_t bucket[NOISE_BUCKETS];
};
_Static_assert(sizeof(struct noise) == 200, "journal layout");

/* Ticks for at least this many nanoseconds, at least 1. tsc_hz is below 2^44 (17 THz). */
uint64_t noise_ticks(uint64_t ns, uint64_t tsc_hz);

/* The lowest threshold from wanted_ticks on for a loop whose fastest step is `step_ticks`. */
uint64_t noise_threshold(uint64_t wanted_ticks, uint64_t step_ticks);

/* Starts a measurement with a threshold of at least 1 tick. cpu and when are preserved. */
void noise_start(struct noise *noise, uint64_t threshold_ticks);

/* Adds a gap with its causes (NOISE_*); ignored below the threshold. */
void noise_add(struct noise *noise, uint64_t gap_ticks, unsigned causes);

/*
 * Adds a period of readings that are closer together than the threshold from `first` to `before`,
 * and the reading `last` after it, with the causes (NOISE_*) between these two. The time stamp may
 * wrap; time during which it went backwards does not count.
 */
void noise_stretch(struct noise *noise, uint64_t first, uint64_t before, uint64_t last,
                   unsigned causes);

/* Whether gaps, buckets, ticks and causes are consistent. The functions below require it. */
bool noise_is_right(const struct noise *noise);

/* (runtime - noise) / runtime in thousandths of a percent, rounded down: 100000 without noise. */
uint32_t noise_available(const struct noise *noise);

/* Gaps without an NMI: HW of hwnoise. */
uint64_t noise_hw(const struct noise *noise);

/* Whether the measurement was requested: false with noise_ms=0. */
static inline bool noise_was_asked(const struct noise *noise)
{
    return noise->status != 0 || noise->threshold_ticks > 0;
}

/* Whether there was no gap, NMI or SMI. */
bool noise_is_quiet(const struct noise *noise);

/*
 * Converts ticks to nanoseconds, rounded half up, with the frequency rounded to kHz; 0 if the
 * frequency is 0, that is, unknown.
 */
uint64_t noise_ns(uint64_t ticks, uint64_t tsc_hz);

/*
 * Writes "none", or "3 gaps, max 150.2 us, 3 SMIs", or why it is unknown; in ticks if tsc_hz is 0.
 * Includes NMIs and SMIs without a gap, and whether SMIs cannot be counted.
 */
void noise_words(const struct noise *noise, uint64_t tsc_hz, struct out *out);

/*
 * Writes about a raised threshold: "gaps are seen from 480 ns on, not from 100 ns: one step
 * of the watching loop takes 120 ns"; in ticks if tsc_hz is 0, when wanted_ticks is based on a
 * guess.
 */
void noise_raised_words(const struct noise *noise, uint64_t wanted_ns, uint64_t wanted_ticks,
                        uint64_t tsc_hz, struct out *out);

#endif
