/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a core ran while it was measured. Fixed counter 1 counts the core's cycles, fixed
 * counter 2 ticks at the rate of the time-stamp counter, both only while the core is not halted:
 * the core's frequency is that of the time stamp times core / reference cycles. Intel SDM vol. 3B
 * "Fixed-function Performance Counters", "Time-Stamp Counter".
 *
 * It is a mean over all that was counted, weighted by time: what turbo or heat changed between
 * kernels, or within one, averages out and is not seen.
 *
 * The reference counter may advance in steps of many ticks, so each sample's count may be off by
 * one step. Over many samples these errors add up as the square root of their number. A frequency
 * is told from samples only when they counted, together, CLOCK_STEPS_MIN steps times that square
 * root: then the steps change it by less than 1 %, as a rule. One sample must have as many steps by
 * itself.
 */
#ifndef BARECOUNT_PMU_VERDICTS_CLOCK_H
#define BARECOUNT_PMU_VERDICTS_CLOCK_H

#include "pmu/journal/view.h"
#include "pmu/base/scale.h"

/* Sums beyond are not kept: so far every function below is exact. */
#define CLOCK_CYCLES_MAX (1ull << 60)

/* Steps of the reference clock that tell a frequency: see above. */
#define CLOCK_STEPS_MIN 100u

/* Of one CPU; each sum is at most CLOCK_CYCLES_MAX. */
struct clock {
    uint64_t core; /* cycles of its kernels */
    uint64_t reference;
    uint64_t aperf, mperf;  /* of its certificates of noise */
    uint64_t watched_ticks; /* of the time stamp, meanwhile */
    uint32_t kernels;       /* that the cycles are of */
    uint32_t samples;       /* that the cycles are of */
};

/*
 * Adds a result's accepted samples at n, of the first pass that has both counters, to the clock of
 * the view's CPU. Nothing is added of counters that failed their test, or that do not count in the
 * same rings, and nothing when there are no such samples. Uses view->scratch.
 */
void clock_add(struct clock *clock, const struct view *view, const struct result *result);

/*
 * Adds what IA32_APERF and IA32_MPERF advanced by over a certificate of noise; nothing of one that
 * did not succeed, or of a CPU without these registers. Intel SDM vol. 3B "Hardware Coordination
 * Feedback Capability".
 */
void clock_watch(struct clock *clock, const struct noise *noise);

/* scale_ns_milli() of a row's median, which is in thousandths of a cycle; it may be below zero. */
int64_t clock_median_ns_milli(int64_t cycles_milli, uint64_t khz);

/*
 * The frequency of the run's time stamp; of a core over its kernels; and over its certificates: of
 * the reference clock, which IA32_MPERF counts, and of the core. All by the frequency of the time
 * stamp, and 0 as well when that is a guess (TSC_UNKNOWN).
 */
uint64_t clock_tsc_khz(const struct run_record *run);
uint64_t clock_run_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_reference_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_watched_khz(const struct clock *clock, const struct run_record *run);

/* What the CPU's base frequency is said to be: CPUID.16H, or else MSR_PLATFORM_INFO. 0: nothing. */
uint64_t clock_nominal_khz(const struct cpu_record *cpu);

/*
 * The time stamp, and fixed counter 2 at its rate, may advance by what they tick in a period of the
 * bus clock (80 MHz, the slowest: Silvermont's): by no more than so many ticks, rounded up.
 */
uint32_t clock_step_ticks(const struct run_record *run);

/*
 * Whether so many reference ticks, the sum over so many samples, tell a frequency: the rule above.
 * In integers: floor(reference / (CLOCK_STEPS_MIN * step))^2 >= samples. Of no samples: never.
 */
bool clock_tells(uint64_t reference, uint32_t samples, const struct run_record *run);

/*
 * The slots of fixed counters 1 and 2 in a pass of the view's CPU; SLOTS_MAX where there is none,
 * or it failed its test. True when both are there and count the same rings.
 */
bool clock_slots(const struct view *view, const struct pass *pass, unsigned *core,
                 unsigned *reference);

/* Whether a slot is fixed counter 2. */
bool clock_is_reference(const struct slot *slot);

#endif
