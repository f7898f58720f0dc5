/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A measurement of a CPU's noise. With interrupts off (except under Linux), a loop reads the time
 * stamp, and records each gap between two readings that reaches a threshold. The terms are those of
 * Linux's hwnoise tracer, so that results can be compared: runtime, noise, % CPU available, max
 * single, HW, NMI. Linux's Documentation/trace/osnoise-tracer.rst and
 * Documentation/tools/rtla/rtla-hwnoise.rst describe the terms. A measurement has only one period,
 * so hwnoise's "max noise" would equal its "noise".
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

/* The causes of a gap that can be recognised, as bits. */
#define NOISE_NMI (1u << 0)
#define NOISE_SMI (1u << 1)

/* Thresholds are below this value (some minutes), so that no bucket's limit overflows. */
#define NOISE_THRESHOLD_TICKS_MAX (1ull << 40)

/* All ticks are time-stamp ticks. */
struct noise {
    uint32_t cpu;
    uint32_t when;       /* enum noise_when: before or after the CPU's kernels */
    uint32_t status;     /* enum status; the fields below are valid only if it is STATUS_OK */
    uint32_t nmis;       /* number of NMIs, with or without a gap */
    uint32_t smis_known; /* 1: `smis` is known, from MSR_SMI_COUNT or a counter */
    uint32_t smis;
    uint64_t threshold_ticks; /* minimum gap */
    uint64_t runtime_ticks;   /* observed time, including gaps */
    uint64_t noise_ticks;     /* sum of all gaps */
    uint64_t longest_ticks;   /* the longest gap */
    uint64_t gaps;
    uint64_t nmi_gaps; /* gaps with an NMI, and perhaps also an SMI */
    uint64_t smi_gaps;
    uint64_t unexplained;  /* gaps with neither an NMI nor an SMI */
    uint64_t aperf, mperf; /* increments of the MSRs, scaled to runtime_ticks; 0: not read */
    /*
     * The number of gaps by length. Bucket b counts gaps from threshold * 2^b ticks to just below
     * threshold * 2^(b + 1) ticks. The last bucket has no upper limit. The numbers saturate.
     */
    uint32_t bucket[NOISE_BUCKETS];
};
_Static_assert(sizeof(struct noise) == 200, "journal layout");

/* Converts nanoseconds to ticks, rounded up, at least 1. tsc_hz must be below 2^44 (17 THz). */
uint64_t noise_ticks(uint64_t ns, uint64_t tsc_hz);

/*
 * The threshold: wanted_ticks or, if larger, NOISE_STEPS_MIN times the loop's fastest step,
 * step_ticks.
 */
uint64_t noise_threshold(uint64_t wanted_ticks, uint64_t step_ticks);

/* Starts a measurement. Preserves `cpu` and `when`. The threshold must be at least 1 tick. */
void noise_start(struct noise *noise, uint64_t threshold_ticks);

/* Adds a gap with its causes (NOISE_*), unless it is shorter than the threshold. */
void noise_add(struct noise *noise, uint64_t gap_ticks, unsigned causes);

/*
 * Adds a series of readings of the time stamp. All steps from the reading `first` to the reading
 * `before` are shorter than the threshold. `last` is the reading after `before`, and `causes`
 * (NOISE_*) are the events between these two readings. The time stamp may wrap. The step to `last`
 * is ignored if the time stamp went backwards.
 */
void noise_stretch(struct noise *noise, uint64_t first, uint64_t before, uint64_t last,
                   unsigned causes);

/* Whether gaps, buckets, ticks and causes are consistent, as the functions below require. */
bool noise_is_right(const struct noise *noise);

/* (runtime - noise) / runtime in thousandths of a percent, rounded down: 100000 without noise. */
uint32_t noise_available(const struct noise *noise);

/* The number of gaps without an NMI, which hwnoise calls HW. */
uint64_t noise_hw(const struct noise *noise);

/*
 * Whether the measurement was made or attempted. False if the plan has noise_ms=0, or if the run
 * ended before the measurement.
 */
static inline bool noise_was_asked(const struct noise *noise)
{
    return noise->status != 0 || noise->threshold_ticks > 0;
}

/* Whether the measurement succeeded and found no gap, NMI or SMI. */
bool noise_is_quiet(const struct noise *noise);

/*
 * Converts ticks to nanoseconds, rounded half up. The frequency is first rounded to kHz. The result
 * is 0 if the frequency is not known (0).
 */
uint64_t noise_ns(uint64_t ticks, uint64_t tsc_hz);

/*
 * Writes the noise in words: "none", or "3 gaps, max 150.2 us, 3 SMIs", or why it is not known. If
 * tsc_hz is 0, times are in ticks. The numbers of NMIs and SMIs include those that caused no gap.
 * If SMIs cannot be counted, says this too.
 */
void noise_words(const struct noise *noise, uint64_t tsc_hz, struct out *out);

/*
 * Writes that the threshold was raised: "only gaps from 480 ns on are seen, not from 100 ns: one
 * step of the watching loop takes 120 ns". If tsc_hz is 0, times are in ticks, and wanted_ticks is
 * based on a guessed frequency.
 */
void noise_raised_words(const struct noise *noise, uint64_t wanted_ns, uint64_t wanted_ticks,
                        uint64_t tsc_hz, struct out *out);

#endif
