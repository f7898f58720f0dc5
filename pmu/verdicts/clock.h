/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mean frequency of a core during its kernels: the time stamp's frequency times core cycles /
 * reference cycles. Intel: fixed counters 1 and 2 (SDM vol. 3B "Fixed-function Performance
 * Counters" and "Time-Stamp Counter"). AMD: events 76H (core) and 120H (reference). Event 120H
 * exists from Zen 4 on; on earlier AMD CPUs, this frequency is not known.
 *
 * Each sample may be wrong by a step of the reference counter, so the total error grows with the
 * square root of the number of samples. If the reference counter advances by at least
 * CLOCK_STEPS_MIN * sqrt(samples) steps in all samples together, the error is usually below 1 %.
 */
#ifndef BARECOUNT_PMU_VERDICTS_CLOCK_H
#define BARECOUNT_PMU_VERDICTS_CLOCK_H

#include "pmu/journal/view.h"
#include "pmu/base/scale.h"

/* A measurement is not added if a total would exceed this. */
#define CLOCK_CYCLES_MAX (1ull << 60)

#define CLOCK_STEPS_MIN 100u

struct clock {
    uint64_t core;
    uint64_t reference;     /* reference cycles, in the same samples as `core` */
    uint64_t aperf, mperf;  /* increments during noise measurements */
    uint64_t watched_ticks; /* duration of noise measurements, in time-stamp ticks */
    uint32_t kernels;
    uint32_t samples;
};

/*
 * Adds the core and reference cycles of a result's accepted samples at n. Uses only the first pass
 * that counts core and reference cycles in the same rings. Uses view->scratch.
 */
void clock_add(struct clock *clock, const struct view *view, const struct result *result);

/*
 * Adds increments of IA32_APERF and IA32_MPERF (Intel SDM vol. 3B "Hardware Coordination Feedback
 * Capability"). Ignores failed measurements.
 */
void clock_watch(struct clock *clock, const struct noise *noise);

/* Like scale_ns_milli(), but also for negative medians. */
int64_t clock_median_ns_milli(int64_t cycles_milli, uint64_t khz);

/*
 * The frequencies, in this order, of: the time stamp; the core during its kernels; the reference
 * clock of IA32_MPERF; the core during noise measurements. 0: not known. With TSC_UNKNOWN, all are
 * 0.
 */
uint64_t clock_tsc_khz(const struct run_record *run);
uint64_t clock_run_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_reference_khz(const struct clock *clock, const struct run_record *run);
uint64_t clock_watched_khz(const struct clock *clock, const struct run_record *run);

/*
 * Estimates the error of clock_run_khz(), in ppm: the largest error of the time stamp's frequency,
 * plus sqrt(samples) steps of the reference count.
 */
uint32_t clock_run_error_ppm(const struct clock *clock, const struct run_record *run);

/* The base frequency, from CPUID.16H or tsc_nominal_hz(). 0: not known. */
uint64_t clock_nominal_khz(const struct cpu_record *cpu);

/*
 * The largest step of the time stamp and of fixed counter 2, in ticks. The time stamp and this
 * counter may advance once per cycle of the bus clock, whose frequency is at least 80 MHz
 * (Silvermont).
 */
uint32_t clock_step_ticks(const struct run_record *run);

/*
 * Whether enough reference cycles were counted for a frequency (see the top of this file): returns
 * floor(reference / (CLOCK_STEPS_MIN * step))^2 >= samples, and false for 0 samples.
 */
bool clock_tells(uint64_t reference, uint32_t samples, const struct run_record *run);

/*
 * Finds the slots of core and reference cycles. A slot is SLOTS_MAX if it is missing, or if its
 * counter failed its test. Returns true if both slots exist and count the same rings.
 */
bool clock_slots(const struct view *view, const struct pass *pass, unsigned *core,
                 unsigned *reference);

/* Whether a slot is fixed counter 2. */
bool clock_is_reference(const struct slot *slot);

#endif
