/* SPDX-License-Identifier: BSD-2-Clause */
#include "msr.h"
#include "tsc.h"

#define BUS_HZ         100000000ull
#define NEHALEM_BUS_HZ 133333333ull

/* Family 6 models of Nehalem and Westmere. */
static const uint8_t NEHALEM[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f};

static uint64_t bus_hz(const struct cpu_caps *caps)
{
    for (unsigned i = 0; i < sizeof(NEHALEM); i++)
        if (caps->family == 6 && caps->model == NEHALEM[i])
            return NEHALEM_BUS_HZ;
    return BUS_HZ;
}

uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t platform_info, uint64_t measured_hz,
                       uint32_t *source)
{
    if (caps->tsc_ratio_denominator && caps->tsc_ratio_numerator && caps->crystal_hz) {
        *source = TSC_CPUID_15H;
        return (uint64_t)caps->crystal_hz * caps->tsc_ratio_numerator / caps->tsc_ratio_denominator;
    }
    if (caps->vendor == VENDOR_INTEL && PLATFORM_INFO_RATIO(platform_info)) {
        *source = TSC_PLATFORM_INFO;
        return bus_hz(caps) * PLATFORM_INFO_RATIO(platform_info);
    }
    if (measured_hz) {
        *source = TSC_ACPI_TIMER;
        return measured_hz;
    }
    *source = caps->base_mhz ? TSC_CPUID_16H : TSC_UNKNOWN;
    return caps->base_mhz ? caps->base_mhz * 1000000ull : TSC_HZ_GUESS;
}

const char *tsc_source_name(uint32_t source)
{
    static const char *const NAMES[] = {
        [TSC_UNKNOWN] = "a guess: nothing here tells it",
        [TSC_CPUID_15H] = "from CPUID.15H",
        [TSC_PLATFORM_INFO] = "from MSR_PLATFORM_INFO",
        [TSC_ACPI_TIMER] = "measured against the ACPI timer",
        [TSC_CPUID_16H] = "from CPUID.16H, rounded",
    };

    return NAMES[source <= TSC_CPUID_16H ? source : TSC_UNKNOWN];
}
