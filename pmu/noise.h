/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The certificate of a CPU's noise: a loop that does nothing but read the time stamp, with
 * interrupts off, and takes down each gap between two readings. In the terms of Linux' hwnoise
 * tracer (Documentation/trace/hwlat_detector, osnoise-tracer): runtime, noise, max single, the
 * number of gaps by their cause; so that both can be put side by side.
 */
#ifndef BARECOUNT_PMU_NOISE_H
#define BARECOUNT_PMU_NOISE_H

#include <stdint.h>

#define NOISE_BUCKETS 24u

enum noise_when { NOISE_BEFORE, NOISE_AFTER };

/* All ticks are those of the time stamp. */
struct noise {
    uint32_t cpu;
    uint32_t when;   /* enum noise_when: of the CPU's kernels */
    uint32_t status; /* enum status: the rest is valid with STATUS_OK alone */
    uint32_t nmis;
    uint32_t smis_known; /* 1: MSR_SMI_COUNT is there */
    uint32_t smis;
    uint64_t threshold_ticks; /* what two readings must be apart for a gap, at least */
    uint64_t runtime_ticks;   /* that were watched, gaps included */
    uint64_t noise_ticks;     /* the gaps together */
    uint64_t longest_ticks;   /* the longest of them */
    uint64_t gaps;
    uint64_t aperf, mperf; /* what they advanced by over the loop; 0 without the registers */
    /* Bucket b: gaps of threshold * 2^b ticks or more, and less than the next; the last: and above.
     */
    uint32_t bucket[NOISE_BUCKETS];
};
_Static_assert(sizeof(struct noise) == 176, "journal layout");

#endif
