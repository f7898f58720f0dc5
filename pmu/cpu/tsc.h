/* SPDX-License-Identifier: BSD-2-Clause */
/* The frequency of the time-stamp counter. */
#ifndef BARECOUNT_PMU_CPU_TSC_H
#define BARECOUNT_PMU_CPU_TSC_H

#include "pmu/cpu/caps.h"

enum tsc_source {
    TSC_UNKNOWN,
    TSC_CPUID_15H,
    TSC_PLATFORM_INFO,
    TSC_ACPI_TIMER,
    TSC_CPUID_16H,
    TSC_MONOTONIC,   /* Linux: measured against CLOCK_MONOTONIC_RAW */
    TSC_PSTATE_DEF0, /* AMD: MSR C001_0064H */
    TSC_SOURCES,
};

/* Used if there is no source. Result rows then have no MHz, no ns and no rate. */
#define TSC_HZ_GUESS 2000000000ull

/* A frequency outside this range is regarded as an error of its source. */
#define TSC_HZ_MIN 100000000ull
#define TSC_HZ_MAX 10000000000ull

/*
 * Returns the TSC frequency in Hz from the first available source:
 * 1. CPUID.15H. Skylake to Comet Lake clients have a crystal of 24 MHz.
 * 2. tsc_nominal_hz(), if CPUID.15H gives no ratio and the measurement agrees within 50 ppm. (Bus
 * clocks can be 0.25 % slow, or more with spread spectrum. The measurement resolves 6 ppm.)
 * 3. The measurement.
 * 4. tsc_nominal_hz().
 * 5. CPUID.16H.
 * 6. TSC_HZ_GUESS (TSC_UNKNOWN).
 *
 * `ratio` is from tsc_read_ratio(). `ratio` and `measured_hz` are 0 if unavailable. Intel SDM vol.
 * 3B "Time-Stamp Counter", vol. 2A "CPUID", vol. 4 "Model-Specific Registers".
 */
uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t ratio, uint64_t measured_hz,
                       uint32_t *source);

/*
 * Reads the register for tsc_nominal_hz(). On Intel, this is MSR_PLATFORM_INFO. From Zen on, it is
 * PStateDef0, if HWCR says that the TSC has the frequency of P0. Returns 0 if there is no such
 * register, or if it raises #GP. read() returns false after a #GP.
 */
uint64_t tsc_read_ratio(const struct cpu_caps *caps,
                        bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context);

/*
 * The nominal frequency from tsc_read_ratio(). Intel: MSR_PLATFORM_INFO[15:8] times the bus clock
 * (133.33 MHz on Nehalem and Westmere, else 100 MHz). AMD: the frequency of P0. Returns 0 if it is
 * not known, as on Core 2 and the first Atoms.
 */
uint64_t tsc_nominal_hz(const struct cpu_caps *caps, uint64_t ratio);

/* The source (enum tsc_source) of tsc_nominal_hz(). */
uint32_t tsc_nominal_source(const struct cpu_caps *caps);

/*
 * Whether a frequency differs by more than 1 % from the measurement. If so, either the frequency or
 * the measurement is wrong. False without a measurement (0). A measurement of 50 ms resolves 6 ppm,
 * and spread spectrum is at most 0.5 %.
 */
bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz);

/*
 * Whether a measured `hz` differs by more than 1 % from nominal_hz (0: unknown). If so, the timer
 * or the ratio is wrong, or the bus is overclocked.
 */
bool tsc_timer_is_doubtful(uint32_t source, uint64_t nominal_hz, uint64_t hz);

/*
 * The largest possible error in ppm; 0: unknown. With a measurement, the result is the sum of three
 * errors: the difference between `hz` and the measurement, 6 ppm for the resolution, and 500 ppm
 * for the timer ("IA-PC HPET (High Precision Event Timers) Specification" 1.0a, section 2.2).
 * Without a measurement, the result is 500 ppm for a crystal, 5,000 ppm for a bus clock (spread
 * spectrum), and 10,000 ppm for CPUID.16H (rounded).
 */
uint32_t tsc_error_ppm(uint32_t source, uint64_t hz, uint64_t measured_hz);

/* The frequency of the core crystal in Hz, from CPUID.15H or the model; 0: not known. */
uint64_t tsc_crystal_hz(const struct cpu_caps *caps);

#define TSC_TIMER_MASK      0xffffffu /* every ACPI timer has these bits */
#define TSC_TIMER_READS_MAX 1000u

/*
 * Waits until the ACPI timer is `ticks` ticks past `first`. False if TSC_TIMER_READS_MAX successive
 * readings are equal: the timer then stands still, because a reading takes longer than a tick (0.28
 * us). ACPI specification "Power Management Timer".
 */
bool tsc_await_timer(uint32_t (*read)(void *context), void *context, uint32_t first,
                     uint32_t ticks);

/* "from CPUID.15H", "measured against the ACPI timer", ... */
const char *tsc_source_name(uint32_t source);

/* "" for TSC_UNKNOWN. */
const char *tsc_source_word(uint32_t source);

#endif
