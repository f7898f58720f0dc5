/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the best known TSC frequency. */
#include "pmu/cpu/msr.h"
#include "pmu/cpu/tsc.h"

#define BUS_HZ         100000000ull
#define NEHALEM_BUS_HZ 133333333ull
#define DOUBTFUL_PART  100u /* 1 % */

/* Family 6 models of Nehalem and Westmere. */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f};

static uint64_t bus_hz(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(NEHALEM); i++)
        if (caps->family == 6 && caps->model == NEHALEM[i])
            return NEHALEM_BUS_HZ;
    return BUS_HZ;
}

static bool is_sane(uint64_t hz)
{
    return hz >= TSC_HZ_MIN && hz <= TSC_HZ_MAX;
}

uint64_t tsc_platform_hz(const struct cpu_caps *caps, uint64_t platform_info)
{
    return caps->vendor == VENDOR_INTEL ? bus_hz(caps) * PLATFORM_INFO_RATIO(platform_info) : 0;
}

bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz)
{
    uint64_t apart = hz > measured_hz ? hz - measured_hz : measured_hz - hz;

    return measured_hz > 0 && apart > measured_hz / DOUBTFUL_PART;
}

uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t platform_info, uint64_t measured_hz,
                       uint32_t *source)
{
    const bool has_ratio = caps->tsc_ratio_denominator > 0 && caps->tsc_ratio_numerator > 0;
    const uint64_t crystals = (uint64_t)caps->crystal_hz * caps->tsc_ratio_numerator;
    const uint64_t from_bus = tsc_platform_hz(caps, platform_info);
    const bool bus_is_right = !has_ratio && !tsc_is_doubtful(from_bus, measured_hz);
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

const char *tsc_source_name(uint32_t source)
{
    static const char *const NAMES[] = {
        [TSC_UNKNOWN] = "a guess: no source found",
        [TSC_CPUID_15H] = "from CPUID.15H",
        [TSC_PLATFORM_INFO] = "from MSR_PLATFORM_INFO",
        [TSC_ACPI_TIMER] = "measured against the ACPI timer",
        [TSC_CPUID_16H] = "from CPUID.16H, rounded",
        [TSC_MONOTONIC] = "measured against CLOCK_MONOTONIC_RAW",
    };

    return NAMES[source <= TSC_MONOTONIC ? source : TSC_UNKNOWN];
}
