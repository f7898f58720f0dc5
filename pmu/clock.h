/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a core ran while it was measured. Fixed counter 1 counts the core's cycles, fixed
 * counter 2 ticks at the rate of the time-stamp counter, both only while the core is not halted:
 * the core's frequency is that of the time stamp times core / reference cycles. Intel SDM vol. 3B
 * "Fixed-function Performance Counters", "Time-Stamp Counter".
 *
 * It is a mean over all that was counted, weighted by time: what turbo or heat changed between
 * kernels, or within one, averages out and is not seen. The reference counter may advance in steps
 * of many ticks; that, too, is only right in the mean of many windows.
 */
#ifndef BARECOUNT_PMU_CLOCK_H
#define BARECOUNT_PMU_CLOCK_H

#include "view.h"

/* Sums beyond are not kept: so far every function below is exact. */
#define CLOCK_CYCLES_MAX (1ull << 60)

/* Cycles of one CPU's kernels, each at most CLOCK_CYCLES_MAX. */
struct clock {
    uint64_t core;
    uint64_t reference;
    uint32_t kernels; /* that the cycles are of */
};

/*
 * Adds a result's accepted samples at n, of the first pass that has both counters, to the clock of
 * the view's CPU. Nothing is added of counters that failed their test, or that do not count in the
 * same rings, and nothing when there are no such samples. Uses view->scratch.
 */
void clock_add(struct clock *clock, const struct view *view, const struct result *result);

/*
 * core / reference * base, in kHz, halves rounded up. 0: not known, as a count or base_hz is 0. The
 * counts are at most CLOCK_CYCLES_MAX; a result that is no frequency is at most UINT64_MAX / 1000.
 */
uint64_t clock_khz(uint64_t core, uint64_t reference, uint64_t base_hz);

/*
 * What so many core cycles take at `khz`, in thousandths of a nanosecond, halves rounded up; 0
 * when khz is 0, UINT64_MAX when it is 2^63 (106 days) or more. khz is one of clock_khz().
 */
uint64_t clock_ns_milli(uint64_t cycles, uint64_t khz);

/*
 * clock_khz() of a clock, by the frequency of the run's time stamp. 0 as well when that is a guess
 * (TSC_UNKNOWN).
 */
uint64_t clock_run_khz(const struct clock *clock, const struct run_record *run);

#endif
