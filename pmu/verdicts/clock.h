/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frequency of a core during its measurements. Fixed counter 1 counts core cycles, fixed
 * counter 2 counts at the rate of the time stamp, both only while the core is not halted: the
 * core's frequency is thus that of the time stamp times core / reference cycles. Intel SDM vol. 3B
 * "Fixed-function Performance Counters", "Time-Stamp Counter".
 *
 * The result is a mean weighted by time; changes by turbo or heat between kernels, or within one,
 * are not visible.
 *
 * The reference counter may advance in steps of many ticks, so that each sample's count may be off
 * by one step. Over many samples these errors grow with the square root of their number. A
 * frequency is therefore reported only if the samples together counted CLOCK_STEPS_MIN steps times
 * that square root, so that the error is usually less than 1 %.
 */
#ifndef BARECOUNT_PMU_VERDICTS_CLOCK_H
#define BARECOUNT_PMU_VERDICTS_CLOCK_H

#include "pmu/journal/view.h"
#include "pmu/base/scale.h"

/* The maximum of sums, up to which every function below is exact. */
#define CLOCK_CYCLES_MAX (1ull << 60)

/* The number of reference steps required: see above. */
#define CLOCK_STEPS_MIN 100u

/* The sums for one CPU; each is at most CLOCK_CYCLES_MAX. */
struct clock {
    uint64_t core; /* core cycles of its kernels */
    uint64_t reference;
    uint64_t aperf, mperf;  /* of its noise measurements */
    uint64_t watched_ticks; /* their duration in time-stamp ticks */
    uint32_t kernels;       /* kernels included in core and reference */
    uint32_t samples;       /* samples included in core and reference */
};

/*
 * Adds a result's accepted samples at n, from the first pass that has both counters, to the clock
 * of the view's CPU. Ignores counters that failed their test or do not count the same rings. Uses
 * view->scratch.
 */
void clock_add(struct clock *clock, const struct view *view, const struct result *result);

/*
 * Adds the increments of IA32_APERF and IA32_MPERF during a noise measurement; ignores a failed
 * one, and a CPU without these registers. Intel SDM vol. 3B "Hardware Coordination Feedback
 * Capability".
 */
void clock_watch(struct clock *clock, const struct noise *noise);

/* scale_ns_milli() for a row's median, in thousandths of a cycle, which may be negative. */
int64_t clock_median_ns_milli(int64_t cycles_milli, uint64_t khz);

/*
 * The frequencies of the time stamp; of the core during its kernels; of the reference clock,
 * counted by IA32_MPERF, and of the core during noise measurements. 0: not known, as are all if the
 * time stamp's is a guess (TSC_UNKNOWN).
 */
uint64_t clock_tsc_khz(const struct run_record *run);
uint64_t clock_run_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_reference_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_watched_khz(const struct clock *clock, const struct run_record *run);

/*
 * Estimates the error of clock_run_khz() in ppm: the time stamp's largest error, plus that of a
 * reference count which is off by the square root of `samples` steps.
 */
uint32_t clock_run_error_ppm(const struct clock *clock, const struct run_record *run);

/* The CPU's nominal base frequency: CPUID.16H, or else MSR_PLATFORM_INFO. 0: not known. */
uint64_t clock_nominal_khz(const struct cpu_record *cpu);

/*
 * The largest step of the time stamp and of fixed counter 2, in ticks, rounded up: they may advance
 * once per cycle of the bus clock (at least 80 MHz, Silvermont's).
 */
uint32_t clock_step_ticks(const struct run_record *run);

/*
 * Whether the sum of reference ticks over samples suffices according to the rule above. In
 * integers: floor(reference / (CLOCK_STEPS_MIN * step))^2 >= samples. False for no samples.
 */
bool clock_tells(uint64_t reference, uint32_t samples, const struct run_record *run);

/*
 * The slots of fixed counters 1 and 2 in a pass of the view's CPU; SLOTS_MAX if missing or failed
 * in the test. True if both are usable and count the same rings.
 */
bool clock_slots(const struct view *view, const struct pass *pass, unsigned *core,
                 unsigned *reference);

/* Whether a slot is fixed counter 2. */
bool clock_is_reference(const struct slot *slot);

#endif
