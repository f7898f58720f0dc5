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
    TSC_MONOTONIC, /* measured under Linux, against CLOCK_MONOTONIC_RAW */
};

/* What is taken when nothing tells: estimates of time are then rough, and it is said. */
#define TSC_HZ_GUESS 2000000000ull

/* What is beyond is taken for a mistake of its source. */
#define TSC_HZ_MIN 100000000ull
#define TSC_HZ_MAX 10000000000ull

/*
 * In Hz, with its source (enum tsc_source) in *source, the first of these that there is:
 * 1. CPUID.15H where it is whole: crystal times ratio.
 * 2. MSR_PLATFORM_INFO[15:8] times the bus clock (133.33 MHz on Nehalem and Westmere, else
 *    100 MHz), where CPUID.15H has no ratio (EAX or EBX is 0), unless what was measured disagrees.
 * 3. As measured.
 * 4. MSR_PLATFORM_INFO all the same.
 * 5. CPUID.16H.
 * 6. TSC_HZ_GUESS, as TSC_UNKNOWN.
 * MSR_PLATFORM_INFO is exact where it is right, and a measurement is not; but it need not be right.
 * A ratio without its crystal (Skylake to Coffee Lake clients) says that the time stamp is not made
 * of the bus clock: 83 x 24 MHz are 1992 MHz, where MSR_PLATFORM_INFO says 2000, too near for the
 * 1 % below to tell. Silvermont's bus clock is 80 or 83.3 MHz, not 100.
 *
 * A source whose answer lies beyond TSC_HZ_MIN and TSC_HZ_MAX is passed over.
 * `platform_info` and `measured_hz` are 0 where there is none. Intel SDM vol. 3B "Time-Stamp
 * Counter", vol. 2A "CPUID", vol. 4 "Model-Specific Registers".
 */
uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t platform_info, uint64_t measured_hz,
                       uint32_t *source);

/*
 * MSR_PLATFORM_INFO[15:8] times the bus clock: the base frequency that Intel's CPUs name. 0: not
 * named, or another vendor's CPU.
 */
uint64_t tsc_platform_hz(const struct cpu_caps *caps, uint64_t platform_info);

/*
 * Whether a frequency and the one that was measured against the ACPI timer cannot both be right:
 * they differ by more than 1 % of what was measured. 50 ms of that timer resolve 6 millionths; a
 * bus clock that is spread runs up to 0.5 % slow; the tightest of a few readings avoids an SMI, and
 * one in all of them would have to take half a millisecond. False when nothing was measured (0).
 */
bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz);

/* "CPUID.15H", "measured against the ACPI timer", ... */
const char *tsc_source_name(uint32_t source);

#endif
