/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines the frequency of the time-stamp counter. */
#ifndef BARECOUNT_PMU_CPU_TSC_H
#define BARECOUNT_PMU_CPU_TSC_H

#include "pmu/cpu/caps.h"

enum tsc_source {
    TSC_UNKNOWN,
    TSC_CPUID_15H,
    TSC_PLATFORM_INFO,
    TSC_ACPI_TIMER,
    TSC_CPUID_16H,
    TSC_MONOTONIC, /* measured under Linux, against CLOCK_MONOTONIC_RAW */
};

/* Assumed when no source is available; the output then says that times are rough. */
#define TSC_HZ_GUESS 2000000000ull

/* Frequencies outside these limits are taken for errors of their source. */
#define TSC_HZ_MIN 100000000ull
#define TSC_HZ_MAX 10000000000ull

/*
 * The TSC frequency in Hz, with its source (enum tsc_source) in *source. The first available source
 * applies:
 * 1. CPUID.15H: crystal times ratio. The crystal of Skylake to Comet Lake clients, which the leaf
 * lacks, runs at 24 MHz.
 * 2. MSR_PLATFORM_INFO[15:8] times the bus clock (133.33 MHz on Nehalem and Westmere, else 100
 * MHz), if CPUID.15H has no ratio (EAX or EBX is 0) and the measurement agrees within 50 ppm.
 * 3. The measurement.
 * 4. MSR_PLATFORM_INFO in any case.
 * 5. CPUID.16H.
 * 6. TSC_HZ_GUESS, as TSC_UNKNOWN.
 * Bus clocks run up to 0.25 % slow from Sandy Bridge to Broadwell, so a nominal frequency is only
 * believed if the measurement, which resolves 6 ppm, agrees. A ratio in CPUID.15H means that the
 * TSC does not derive from the bus clock at all. On Core 2 and the first Atoms, MSR CEH is another
 * register, or the bus clock is not 100 MHz.
 *
 * Sources outside TSC_HZ_MIN to TSC_HZ_MAX are skipped. `platform_info` and `measured_hz` are 0 if
 * unavailable. Intel SDM vol. 3B "Time-Stamp Counter", vol. 2A "CPUID", vol. 4 "Model-Specific
 * Registers".
 */
uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t platform_info, uint64_t measured_hz,
                       uint32_t *source);

/*
 * MSR_PLATFORM_INFO[15:8] times the nominal bus clock: the base frequency of Intel CPUs; 0:
 * unknown, or a model that has no such register.
 */
uint64_t tsc_platform_hz(const struct cpu_caps *caps, uint64_t platform_info);

/*
 * Whether a frequency differs by more than 1 % from the measurement against the ACPI timer, so that
 * one of them is wrong; false without a measurement (0). Two correct ones differ by less: 50 ms of
 * the timer resolve 6 ppm, spread spectrum slows the bus clock by up to 0.5 %, and the tightest of
 * a few readings excludes SMIs unless each reading has one of at least half a millisecond.
 */
bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz);

/*
 * Whether the measurement was taken although it differs by more than 1 % from tsc_platform_hz() (0:
 * not known): no bus clock is that slow, so the timer or the ratio is wrong.
 */
bool tsc_timer_is_doubtful(uint32_t source, uint64_t platform_hz, uint64_t hz);

/*
 * The largest error of a frequency that its source allows, in ppm; 0: not known (TSC_UNKNOWN). With
 * a measurement, the sum of: their difference, the 6 ppm that it resolves, and the 500 ppm that its
 * timer may be off ("IA-PC HPET (High Precision Event Timers) Specification" 1.0a, 2.2; the ACPI
 * timer has the same oscillator). Without a measurement: 500 ppm for a crystal, 5,000 for a bus
 * clock, which spread spectrum may slow by this much, 10,000 for CPUID.16H, which is rounded.
 */
uint32_t tsc_error_ppm(uint32_t source, uint64_t hz, uint64_t measured_hz);

/* The crystal that CPUID.15H multiplies, in Hz: from the leaf, or the model's; 0: not known. */
uint64_t tsc_crystal_hz(const struct cpu_caps *caps);

#define TSC_TIMER_MASK      0xffffffu /* 24 bits of the ACPI timer always exist */
#define TSC_TIMER_READS_MAX 1000u

/*
 * Waits until the ACPI timer has made `ticks` ticks since it was read as `first`. False if the
 * timer stands still, as TSC_TIMER_READS_MAX readings in a row showed no progress; a running timer
 * ticks during each (0.28 us a tick, less than one reading takes). ACPI specification, "Power
 * Management Timer".
 */
bool tsc_await_timer(uint32_t (*read)(void *context), void *context, uint32_t first,
                     uint32_t ticks);

/* "from CPUID.15H", "measured against the ACPI timer", ... */
const char *tsc_source_name(uint32_t source);

/* "CPUID.15H", "ACPI timer", ...; "" for TSC_UNKNOWN. */
const char *tsc_source_word(uint32_t source);

#endif
