/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the TSC frequency. */
#include "pmu/base/scale.h"
#include "pmu/cpu/msr.h"
#include "pmu/cpu/tsc.h"
#include "pmu/cpu/zen.h"

#define BUS_HZ          100000000ull
#define NEHALEM_BUS_HZ  133333333ull
#define CLIENTS_CRYSTAL 24000000ull
#define DOUBTFUL_PART   100u   /* 1 % */
#define AGREES_PART     20000u /* 50 ppm */
#define PPM             1000000u
#define RESOLUTION_PPM  6u
#define TIMER_PPM       500u
#define ZEN_HZ          200000000ull /* P0 is ZEN_HZ * CpuFid / CpuDfsId */
#define ZEN_5_HZ        5000000ull   /* P0 is ZEN_5_HZ * CpuFid */
#define ZEN_FID_MIN     0x10u

/*
 * Models of family 6 (Core 2, Bonnell, Silvermont and Airmont) on which MSR CEH is not
 * MSR_PLATFORM_INFO, or on which the bus clock may differ from 100 MHz.
 */
static const uint8_t WITHOUT_PLATFORM_INFO[] = {0x0f, 0x16, 0x17, 0x1d, 0x1c, 0x26, 0x27, 0x35,
                                                0x36, 0x37, 0x4a, 0x4d, 0x5a, 0x5d, 0x4c, 0};
/* Skylake to Comet Lake clients: SDM vol. 3B "Nominal Core Crystal Clock Frequency". */
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

/* A CpuDfsId is a divisor in eighths; above 3.25, only multiples of a quarter are valid. */
static bool is_divisor(unsigned did)
{
    return (did >= 0x08 && did <= 0x1a) || (did >= 0x1c && did <= 0x2c && did % 2 == 0);
}

/*
 * PStateDef0 (AMD PPRs, "MSRC001_006[4...B] [P-state [7:0]]"): PstateEn is bit 63. CpuFid is bits
 * 11:0 in family 1AH. In earlier families, CpuFid is bits 7:0, and CpuDfsId is bits 13:8.
 */
static uint64_t p0_hz(const struct cpu_caps *caps, uint64_t def)
{
    const unsigned did = (unsigned)(def >> 8) & 0x3f;

    if (!zen_core_name(caps)[0] || !(def & AMD_PSTATE_EN))
        return 0;
    if (caps->family >= FAMILY_ZEN_5)
        return (def & 0xfff) >= ZEN_FID_MIN ? (def & 0xfff) * ZEN_5_HZ : 0;
    return (def & 0xff) >= ZEN_FID_MIN && is_divisor(did) ? (def & 0xff) * ZEN_HZ / did : 0;
}

uint64_t tsc_read_ratio(const struct cpu_caps *caps,
                        bool (*read)(void *context, uint32_t msr, uint64_t *value), void *context)
{
    uint64_t hwcr = 0, ratio = 0;

    if (!caps_has(caps, FEATURE_MSR))
        return 0;
    if (caps->vendor == VENDOR_INTEL)
        return read(context, MSR_PLATFORM_INFO, &ratio) ? ratio : 0;
    if (!caps_is_zen(caps) || !read(context, MSR_AMD_HWCR, &hwcr) ||
        !(hwcr & AMD_HWCR_TSC_FREQ_SEL) || !read(context, MSR_AMD_PSTATE_DEF0, &ratio))
        return 0;
    return ratio;
}

uint64_t tsc_nominal_hz(const struct cpu_caps *caps, uint64_t ratio)
{
    if (caps->vendor == VENDOR_AMD)
        return p0_hz(caps, ratio);
    if (caps->vendor != VENDOR_INTEL || is_of(WITHOUT_PLATFORM_INFO, caps))
        return 0;
    return (caps_is_nehalem(caps) ? NEHALEM_BUS_HZ : BUS_HZ) * PLATFORM_INFO_RATIO(ratio);
}

uint32_t tsc_nominal_source(const struct cpu_caps *caps)
{
    return caps->vendor == VENDOR_AMD ? TSC_PSTATE_DEF0 : TSC_PLATFORM_INFO;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static bool differs(uint64_t hz, uint64_t measured_hz, uint64_t part)
{
    return measured_hz > 0 && apart(hz, measured_hz) > measured_hz / part;
}

bool tsc_is_doubtful(uint64_t hz, uint64_t measured_hz)
{
    return differs(hz, measured_hz, DOUBTFUL_PART);
}

bool tsc_timer_is_doubtful(uint32_t source, uint64_t nominal_hz, uint64_t hz)
{
    return source == TSC_ACPI_TIMER && nominal_hz > 0 && tsc_is_doubtful(nominal_hz, hz);
}

uint64_t tsc_frequency(const struct cpu_caps *caps, uint64_t ratio, uint64_t measured_hz,
                       uint32_t *source)
{
    const bool has_ratio = caps->tsc_ratio_denominator > 0 && caps->tsc_ratio_numerator > 0;
    const uint64_t crystals = tsc_crystal_hz(caps) * caps->tsc_ratio_numerator;
    const uint64_t nominal = tsc_nominal_hz(caps, ratio);
    const bool is_right = !has_ratio && !differs(nominal, measured_hz, AGREES_PART);
    const struct {
        uint64_t hz;
        uint32_t source;
    } candidates[] = {
        {has_ratio ? crystals / caps->tsc_ratio_denominator : 0, TSC_CPUID_15H},
        {is_right ? nominal : 0, tsc_nominal_source(caps)},
        {measured_hz, TSC_ACPI_TIMER},
        {nominal, tsc_nominal_source(caps)},
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
    static const uint32_t UNMEASURED_PPM[TSC_SOURCES] = {[TSC_CPUID_15H] = 500,
                                                         [TSC_PLATFORM_INFO] = 5000,
                                                         [TSC_CPUID_16H] = 10000,
                                                         [TSC_PSTATE_DEF0] = 5000};
    uint64_t ppm;

    if (source == TSC_UNKNOWN || source >= TSC_SOURCES)
        return 0;
    if (!is_sane(measured_hz))
        return UNMEASURED_PPM[source];
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
} SOURCES[TSC_SOURCES] = {
    [TSC_UNKNOWN] = {"a guess: no source found", ""},
    [TSC_CPUID_15H] = {"from CPUID.15H", "CPUID.15H"},
    [TSC_PLATFORM_INFO] = {"from MSR_PLATFORM_INFO", "MSR_PLATFORM_INFO"},
    [TSC_ACPI_TIMER] = {"measured against the ACPI timer", "ACPI timer"},
    [TSC_CPUID_16H] = {"from CPUID.16H, rounded", "CPUID.16H"},
    [TSC_MONOTONIC] = {"measured against CLOCK_MONOTONIC_RAW", "CLOCK_MONOTONIC_RAW"},
    [TSC_PSTATE_DEF0] = {"from PStateDef0", "PStateDef0"},
};

const char *tsc_source_name(uint32_t source)
{
    return SOURCES[source < TSC_SOURCES ? source : TSC_UNKNOWN].name;
}

const char *tsc_source_word(uint32_t source)
{
    return SOURCES[source < TSC_SOURCES ? source : TSC_UNKNOWN].word;
}
