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
    TSC_MONOTONIC,   /* measured under Linux, against CLOCK_MONOTONIC_RAW */
    TSC_PSTATE_DEF0, /* AMD's P0: MSR C001_0064H */
    TSC_SOURCES,
};

/* The frequency assumed if no source is available. Rows then get no MHz, no ns and no rate. */
#define TSC_HZ_GUESS 2000000000ull

/* A frequency outside these limits is assumed to be an error of its source. */
#define TSC_HZ_MIN 100000000ull
#define TSC_HZ_MAX 10000000000ull

/*
 * Returns the TSC frequency in Hz, and sets *source to its source (enum tsc_source). The first
 * available source applies:
 * 1. CPUID.15H: the crystal's frequency times the ratio. On Skylake to Comet Lake clients, the leaf
 * lacks the crystal's frequency, which is 24 MHz.
 * 2. The nominal frequency: tsc_nominal_hz(), if CPUID.15H gives no ratio (EAX or EBX is 0) and the
 * measurement agrees within 50 ppm.
 * 3. The measurement.
 * 4. The nominal frequency, even if the conditions of 2 are not met.
 * 5. CPUID.16H.
 * 6. TSC_HZ_GUESS; the source is TSC_UNKNOWN.
 *
 * From Sandy Bridge to Broadwell, the bus clock can be up to 0.25 % slow. On AMD's CPUs, spread
 * spectrum can slow the clock by 0.25 % or more. The nominal frequency therefore comes before the
 * measurement only if they agree within 50 ppm; the measurement resolves 6 ppm. If CPUID.15H gives
 * a ratio, the TSC does not derive from the bus clock at all.
 *
 * A source is skipped if its frequency is below TSC_HZ_MIN or above TSC_HZ_MAX. `ratio`, which is
 * from tsc_read_ratio(), and `measured_hz` are 0 if unavailable. See the Intel SDM, vol. 3B
 * "Time-Stamp Counter", vol. 2A "CPUID" and vol. 4 "Model-Specific Registers".
 */
uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t ratio, uint64_t measured_hz,
                       uint32_t *source);

/*
 * Reads the register from which tsc_nominal_hz() computes the nominal frequency. On Intel CPUs, it
 * is MSR_PLATFORM_INFO. On AMD CPUs from Zen on, it is PStateDef0, if HWCR says that the TSC has
 * the frequency of P0. Returns 0 if there is no such register or it cannot be read. read() returns
 * false if the register raises #GP.
 */
uint64_t tsc_read_ratio(const struct cpu_caps *caps,
                        bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context);

/*
 * The nominal frequency, from the result of tsc_read_ratio(). On Intel CPUs, it is the base
 * frequency: MSR_PLATFORM_INFO[15:8] times the bus clock (133.33 MHz on Nehalem and Westmere, else
 * 100 MHz). On AMD CPUs, it is the frequency of P0. The result is 0 if the frequency is not known,
 * for example on Core 2 and the first Atoms: their MSR CEH is not MSR_PLATFORM_INFO, or their bus
 * clock may differ from 100 MHz.
 */
uint64_t tsc_nominal_hz(const struct cpu_caps *caps, uint64_t ratio);

/* The source (enum tsc_source) of the frequency that tsc_nominal_hz() returns. */
uint32_t tsc_nominal_source(const struct cpu_caps *caps);

/*
 * Whether a frequency differs by more than 1 % from the measurement against the ACPI timer, so that
 * one of the two must be wrong. False if there is no measurement (0). Correct frequencies differ
 * from the measurement by less than 1 %: a measurement of 50 ms resolves 6 ppm, and spread spectrum
 * slows the bus clock by at most 0.5 %. The ACPI timer is read several times, and the quickest
 * reading is used. SMIs therefore matter only if an SMI of at least half a millisecond delays each
 * reading.
 */
bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz);

/*
 * Whether `source` is the measurement and `hz` differs by more than 1 % from nominal_hz, the result
 * of tsc_nominal_hz(). The tolerance of a bus clock is below 1 %, so a larger difference means that
 * the timer or the ratio is wrong, or that the board overclocks the bus. False if nominal_hz is 0,
 * which means that it is not known.
 */
bool tsc_timer_is_doubtful(uint32_t source, uint64_t nominal_hz, uint64_t hz);

/*
 * The largest possible error of a frequency, in ppm; 0 if it is not known (TSC_UNKNOWN). If there
 * is a measurement, the error is the sum of three numbers: the difference between frequency and
 * measurement, the 6 ppm that the measurement resolves, and the 500 ppm by which the timer may be
 * wrong. The 500 ppm are from the "IA-PC HPET (High Precision Event Timers) Specification" 1.0a,
 * section 2.2, because the ACPI timer and the HPET share an oscillator. Without a measurement, the
 * error is 500 ppm for a crystal; 5,000 ppm for a bus clock, because of spread spectrum; and 10,000
 * ppm for CPUID.16H, which is rounded.
 */
uint32_t tsc_error_ppm(uint32_t source, uint64_t hz, uint64_t measured_hz);

/*
 * The crystal's frequency in Hz, from CPUID.15H or, if CPUID.15H does not give it, from the model.
 * 0: not known.
 */
uint64_t tsc_crystal_hz(const struct cpu_caps *caps);

#define TSC_TIMER_MASK      0xffffffu /* every ACPI timer has at least these 24 bits */
#define TSC_TIMER_READS_MAX 1000u

/*
 * Waits until the ACPI timer is `ticks` ticks past `first`, an earlier reading of the timer. False
 * if TSC_TIMER_READS_MAX readings in a row show no progress, which means that the timer stands
 * still. A running timer ticks during each reading, because a tick of 0.28 us is shorter than a
 * reading. ACPI specification, "Power Management Timer".
 */
bool tsc_await_timer(uint32_t (*read)(void *context), void *context, uint32_t first,
                     uint32_t ticks);

/* "from CPUID.15H", "measured against the ACPI timer", ... */
const char *tsc_source_name(uint32_t source);

/* "CPUID.15H", "ACPI timer", ...; "" for TSC_UNKNOWN. */
const char *tsc_source_word(uint32_t source);

#endif
