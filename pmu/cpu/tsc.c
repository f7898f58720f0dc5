/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the best known TSC frequency. */
#include "pmu/base/scale.h"
#include "pmu/cpu/msr.h"
#include "pmu/cpu/tsc.h"

#define BUS_HZ          100000000ull
#define NEHALEM_BUS_HZ  133333333ull
#define CLIENTS_CRYSTAL 24000000ull
#define DOUBTFUL_PART   100u   /* 1 % */
#define AGREES_PART     20000u /* 50 ppm */
#define PPM             1000000u
#define RESOLUTION_PPM  6u
#define TIMER_PPM       500u

/*
 * Models of family 6; a zero ends each list. On Core 2, Bonnell, Silvermont and Airmont, MSR CEH is
 * not MSR_PLATFORM_INFO, or the bus clock is slower than 100 MHz.
 */
static const uint8_t WITHOUT_PLATFORM_INFO[] = {0x0f, 0x16, 0x17, 0x1d, 0x1c, 0x26, 0x27, 0x35,
                                                0x36, 0x37, 0x4a, 0x4d, 0x5a, 0x5d, 0x4c, 0};
/* Skylake to Comet Lake clients: SDM vol. 3B, "Nominal Core Crystal Clock Frequency". */
static const uint8_t CLIENTS[] = {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0};

static bool is_of(const uint8_t *models, const struct cpu_caps *caps)
{
    for (; caps->vendor == VENDOR_INTEL && caps->family == 6 && *models != 0; models++)
        if (*models == caps->model)
            return true;
    return false;
}

uint64_t tsc_crystal_hz(const struct cpu_caps *caps)
{
    if (caps->crystal_hz == 0 && is_of(CLIENTS, caps))
        return CLIENTS_CRYSTAL;
    return caps->crystal_hz;
}

static bool is_sane(uint64_t hz)
{
    return hz >= TSC_HZ_MIN && hz <= TSC_HZ_MAX;
}

uint64_t tsc_platform_hz(const struct cpu_caps *caps, uint64_t platform_info)
{
    if (caps->vendor != VENDOR_INTEL || is_of(WITHOUT_PLATFORM_INFO, caps))
        return 0;
    return (caps_is_nehalem(caps) ? NEHALEM_BUS_HZ : BUS_HZ) * PLATFORM_INFO_RATIO(platform_info);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Whether a frequency differs from the measurement by more than measured_hz / part. */
static bool differs(uint64_t hz, uint64_t measured_hz, uint64_t part)
{
    return measured_hz > 0 && apart(hz, measured_hz) > measured_hz / part;
}

bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz)
{
    return differs(hz, measured_hz, DOUBTFUL_PART);
}

bool tsc_timer_is_doubtful(uint32_t source, uint64_t platform_hz, uint64_t hz)
{
    return source == TSC_ACPI_TIMER && platform_hz > 0 && tsc_is_doubtful(platform_hz, hz);
}

uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t platform_info, uint64_t measured_hz,
                       uint32_t *source)
{
    const bool has_ratio = caps->tsc_ratio_denominator > 0 && caps->tsc_ratio_numerator > 0;
    const uint64_t crystals = tsc_crystal_hz(caps) * caps->tsc_ratio_numerator;
    const uint64_t from_bus = tsc_platform_hz(caps, platform_info);
    const bool bus_is_right = !has_ratio && !differs(from_bus, measured_hz, AGREES_PART);
    const struct {
        uint64_t hz;
        uint32_t source;
    } candidates[] = {
        {has_ratio ? crystals / caps->tsc_ratio_denominator : 0, TSC_CPUID_15H},
        {bus_is_right ? from_bus : 0, TSC_PLATFORM_INFO},
        {measured_hz, TSC_ACPI_TIMER},
        {from_bus, TSC_PLATFORM_INFO},
        {caps->base_mhz * 1000000ull, TSC_CPUID_16H},
    };

    for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
        if (is_sane(candidates[i].hz)) {
            *source = candidates[i].source;
            return candidates[i].hz;
        }
    *source = TSC_UNKNOWN;
    return TSC_HZ_GUESS;
}

uint32_t tsc_error_ppm(uint32_t source, uint64_t hz, uint64_t measured_hz)
{
    static const uint32_t UNMEASURED_PPM[] = {
        [TSC_CPUID_15H] = 500, [TSC_PLATFORM_INFO] = 5000, [TSC_CPUID_16H] = 10000};
    uint64_t ppm;

    if (source == TSC_UNKNOWN || source > TSC_MONOTONIC)
        return 0;
    if (!is_sane(measured_hz))
        return source <= TSC_CPUID_16H ? UNMEASURED_PPM[source] : 0;
    ppm = scale(apart(hz, measured_hz), PPM, measured_hz) + RESOLUTION_PPM + TIMER_PPM;
    return ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX;
}

bool tsc_await_timer(uint32_t (*read)(void *context), void *context, uint32_t first, uint32_t ticks)
{
    uint32_t furthest = 0;
    unsigned in_vain = 0;

    while (furthest < ticks && in_vain < TSC_TIMER_READS_MAX) {
        uint32_t now = (read(context) - first) & TSC_TIMER_MASK;

        in_vain = now > furthest ? 0 : in_vain + 1;
        furthest = now > furthest ? now : furthest;
    }
    return furthest >= ticks;
}

static const struct {
    const char *name, *word;
} SOURCES[] = {
    [TSC_UNKNOWN] = {"a guess: no source found", ""},
    [TSC_CPUID_15H] = {"from CPUID.15H", "CPUID.15H"},
    [TSC_PLATFORM_INFO] = {"from MSR_PLATFORM_INFO", "MSR_PLATFORM_INFO"},
    [TSC_ACPI_TIMER] = {"measured against the ACPI timer", "ACPI timer"},
    [TSC_CPUID_16H] = {"from CPUID.16H, rounded", "CPUID.16H"},
    [TSC_MONOTONIC] = {"measured against CLOCK_MONOTONIC_RAW", "CLOCK_MONOTONIC_RAW"},
};

const char *tsc_source_name(uint32_t source)
{
    return SOURCES[source <= TSC_MONOTONIC ? source : TSC_UNKNOWN].name;
}

const char *tsc_source_word(uint32_t source)
{
    return SOURCES[source <= TSC_MONOTONIC ? source : TSC_UNKNOWN].word;
}
