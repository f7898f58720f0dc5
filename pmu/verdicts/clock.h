/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frequency of a core during its measurements. Fixed counter 1 counts core cycles. Fixed
 * counter 2 counts reference cycles, at the rate of the time stamp. On AMD, general counters count
 * event 76H (core cycles) and, on Zen 4 and later, event 120H (reference cycles). While the core is
 * halted, none of these counters counts. The core's frequency is therefore the time stamp's
 * frequency times the ratio of core to reference cycles. See Intel SDM vol. 3B "Fixed-function
 * Performance Counters" and "Time-Stamp Counter".
 *
 * The result is a mean weighted by time, which hides changes by turbo or heat between kernels, or
 * within a kernel.
 *
 * The reference counter may advance in steps of many ticks, so each sample's count may be wrong by
 * one step. The total error grows with the square root of the number of samples. A frequency is
 * therefore reported only if all samples together counted at least CLOCK_STEPS_MIN * sqrt(samples)
 * steps, which usually keeps the error below 1 %.
 */
#ifndef BARECOUNT_PMU_VERDICTS_CLOCK_H
#define BARECOUNT_PMU_VERDICTS_CLOCK_H

#include "pmu/journal/view.h"
#include "pmu/base/scale.h"

/* The largest total of cycles or ticks; a measurement that would exceed it is not added. */
#define CLOCK_CYCLES_MAX (1ull << 60)

/* A frequency needs at least CLOCK_STEPS_MIN * sqrt(samples) steps of the reference counter. */
#define CLOCK_STEPS_MIN 100u

/* The totals for one CPU. */
struct clock {
    uint64_t core;          /* core cycles in samples of the CPU's kernels */
    uint64_t reference;     /* reference cycles in the same samples */
    uint64_t aperf, mperf;  /* increments during noise measurements */
    uint64_t watched_ticks; /* duration of the noise measurements, in time-stamp ticks */
    uint32_t kernels;       /* number of kernels whose samples were added */
    uint32_t samples;       /* number of samples in core and reference */
};

/*
 * Adds a result's accepted samples at n to the clock of the view's CPU. The samples are from the
 * first pass that counts both core and reference cycles, in the same rings and with counters that
 * passed their test. Uses view->scratch.
 */
void clock_add(struct clock *clock, const struct view *view, const struct result *result);

/*
 * Adds the increments of IA32_APERF and IA32_MPERF during a noise measurement. Ignores a failed
 * measurement, and a CPU without these registers. See Intel SDM vol. 3B "Hardware Coordination
 * Feedback Capability".
 */
void clock_watch(struct clock *clock, const struct noise *noise);

/* Like scale_ns_milli(), for a row's median, which may be negative. */
int64_t clock_median_ns_milli(int64_t cycles_milli, uint64_t khz);

/*
 * The frequencies of the time stamp, of the core during its kernels, of the reference clock (which
 * IA32_MPERF counts), and of the core during noise measurements. 0: not known. No frequency is
 * known if the time stamp's frequency is a guess (TSC_UNKNOWN).
 */
uint64_t clock_tsc_khz(const struct run_record *run);
uint64_t clock_run_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_reference_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_watched_khz(const struct clock *clock, const struct run_record *run);

/*
 * Estimates the error of clock_run_khz() in ppm: the largest error of the time stamp, plus the
 * error of the reference count if this count is wrong by sqrt(samples) steps.
 */
uint32_t clock_run_error_ppm(const struct clock *clock, const struct run_record *run);

/* The CPU's nominal base frequency, from CPUID.16H or from tsc_nominal_hz(). 0: not known. */
uint64_t clock_nominal_khz(const struct cpu_record *cpu);

/*
 * The largest step of the time stamp and of fixed counter 2, in ticks, rounded up. These counters
 * may advance only once per cycle of the bus clock, which runs at 80 MHz (Silvermont) or more.
 */
uint32_t clock_step_ticks(const struct run_record *run);

/*
 * Whether a total of reference ticks is large enough for its number of samples, so that a frequency
 * may be reported. In integers: floor(reference / (CLOCK_STEPS_MIN * step))^2 >= samples. False for
 * 0 samples.
 */
bool clock_tells(uint64_t reference, uint32_t samples, const struct run_record *run);

/*
 * Finds the slots of core and reference cycles in a pass of the view's CPU. *core or *reference is
 * SLOTS_MAX if the pass lacks the slot, or if its counter failed its test. Returns true if both
 * slots exist, their counters passed, and both count the same rings.
 */
bool clock_slots(const struct view *view, const struct pass *pass, unsigned *core,
                 unsigned *reference);

/* Whether a slot is fixed counter 2, which counts reference cycles. */
bool clock_is_reference(const struct slot *slot);

#endif
