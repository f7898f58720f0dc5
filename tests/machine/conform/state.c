/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State MSRs of each CPU model: SDM vol. 4, the tables of each family; values from
 * ../PROPERTIES.md. With pmu-strict-msr=on, MSRs that the modelled CPU lacks raise #GP.
 */
#include "conform.h"

#define SKYLAKES (SKL | SKX)
#define HYBRID   (CORE | ATOM)
#define SNB_ON   (ALL & ~NHM)
#define SKL_ON   (SKYLAKES | ICX | HYBRID)
#define SERVERS  (SKX | ICX)

struct row {
    uint16_t msr;
    uint8_t families;
    bool read_only;
    const char *name;
};

static const struct row rows[] = {
    {0x010, ALL, false, "IA32_TIME_STAMP_COUNTER"},
    {0x017, ALL, true, "IA32_PLATFORM_ID"},
    {0x034, ALL, true, "MSR_SMI_COUNT"},
    {0x08b, ALL, false, "IA32_BIOS_SIGN_ID"},
    {0x0ce, ALL, true, "MSR_PLATFORM_INFO"},
    {0x0e7, ALL, false, "IA32_MPERF"},
    {0x0e8, ALL, false, "IA32_APERF"},
    {0x198, ALL, true, "IA32_PERF_STATUS"},
    {0x199, ALL, false, "IA32_PERF_CTL"},
    {0x19b, ALL, false, "IA32_THERM_INTERRUPT"},
    {0x19c, ALL, false, "IA32_THERM_STATUS"},
    {0x1a0, ALL, false, "IA32_MISC_ENABLE"},
    {0x1a2, ALL, false, "MSR_TEMPERATURE_TARGET"},
    {0x1a4, ALL, false, "MSR_MISC_FEATURE_CONTROL"},
    {0x1ad, ALL, false, "MSR_TURBO_RATIO_LIMIT"},
    {0x1b1, SNB_ON, false, "IA32_PACKAGE_THERM_STATUS"},
    {0x1b2, SNB_ON, false, "IA32_PACKAGE_THERM_INTERRUPT"},
    {0x606, SNB_ON, true, "MSR_RAPL_POWER_UNIT"},
    {0x610, SNB_ON, false, "MSR_PKG_POWER_LIMIT"},
    {0x611, SNB_ON, true, "MSR_PKG_ENERGY_STATUS"},
    {0x619, SERVERS, true, "MSR_DRAM_ENERGY_STATUS"},
    {0x639, SNB_ON & ~SERVERS, true, "MSR_PP0_ENERGY_STATUS"},
    {0x641, SNB_ON & ~SERVERS, true, "MSR_PP1_ENERGY_STATUS"},
    {0x621, SKL_ON, true, "MSR_UNCORE_PERF_STATUS"},
    {0x64f, SKL_ON, false, "MSR_CORE_PERF_LIMIT_REASONS"},
    {0x690, HSW, false, "MSR_CORE_PERF_LIMIT_REASONS of Haswell"},
    {0x770, SKL_ON, false, "IA32_PM_ENABLE"},
    {0x123, 0, false, "MSR 123h, which no CPU has"},
    {0xc90, 0, false, "MSR C90h, which belongs to cache allocation"},
};

/* Setting a bit that is not in `allowed` raises #GP. */
static const struct {
    uint16_t msr;
    uint8_t families;
    uint64_t allowed;
    const char *name;
} writable[] = {
    {0x199, ALL, 0xff00 | BIT(32), "IA32_PERF_CTL: ratio and turbo bit"},
    {0x19b, ALL, 0xffff1f, "IA32_THERM_INTERRUPT"},
    {0x1a4, ALL, 15, "MSR_MISC_FEATURE_CONTROL: four prefetchers"},
    {0x1b2, SNB_ON, 0xffff17, "IA32_PACKAGE_THERM_INTERRUPT"},
};

static void check_presence(void)
{
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool there = rows[i].families & cpu.family;
        uint64_t value;

        expect(try_rdmsr(rows[i].msr, &value), !there, "%s %s", rows[i].name,
               there ? "is there" : "raises #GP");
        if (!there || rows[i].read_only) {
            expect(try_wrmsr(rows[i].msr, 0), 1, "%s %s", rows[i].name,
                   there ? "is read-only" : "raises #GP at a write");
        }
    }
}

static void check_writable(void)
{
    for (unsigned i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
        uint64_t faulted = 0;
        uint64_t before;

        if (!(writable[i].families & cpu.family)) {
            continue;
        }
        before = rdmsr(writable[i].msr);
        for (unsigned bit = 0; bit < 64; bit++) {
            faulted |= (uint64_t)try_wrmsr(writable[i].msr, BIT(bit)) << bit;
        }
        expect(faulted, ~writable[i].allowed, "%s, and no other bits, may be written",
               writable[i].name);
        wrmsr(writable[i].msr, writable[i].allowed);
        expect(rdmsr(writable[i].msr), writable[i].allowed, "%s, all at once", writable[i].name);
        wrmsr(writable[i].msr, before);
    }
}

static uint64_t base_ratio(void)
{
    static const struct {
        uint8_t family;
        uint8_t ratio;
    } ratios[] = {{NHM, 20}, {SNB, 34}, {HSW, 35},  {SKL, 40},
                  {SKX, 21}, {ICX, 23}, {CORE, 32}, {ATOM, 24}};
    unsigned i = 0;

    while (ratios[i].family != cpu.family) {
        i++;
    }
    return ratios[i].ratio;
}

/*
 * IA32_APERF counts now / base for each tick of IA32_MPERF. IA32_MPERF is zeroed last and read
 * first, so it cannot be ahead of IA32_APERF * base / now. `+ now` allows for rounding down.
 */
void check_aperf(uint64_t now, uint64_t base)
{
    uint64_t start = __builtin_ia32_rdtsc();
    uint64_t mperf;
    uint64_t aperf;

    wrmsr(IA32_APERF, 0);
    wrmsr(IA32_MPERF, 0);
    pause_us(1000);
    mperf = rdmsr(IA32_MPERF);
    aperf = rdmsr(IA32_APERF);
    expect(mperf > 0 && mperf * now <= aperf * base + now, 1,
           "IA32_APERF ticks now / base times as fast as IA32_MPERF");
    expect(aperf * base <= (__builtin_ia32_rdtsc() - start) * now, 1,
           "IA32_APERF ticks no faster than the TSC * now / base");
}

/*
 * pmu-mperf-slow=3623: a core clock of 33 * 100 MHz, and a TSC of 24 MHz * 276 / 2 = 3312 MHz;
 * 3300 / 3312 is 1 - 3623 ppm.
 */
void test_mperf_slow(void)
{
    uint64_t outer = __builtin_ia32_rdtsc();
    uint64_t inner;
    uint64_t mperf;

    wrmsr(IA32_MPERF, 0);
    inner = __builtin_ia32_rdtsc();
    pause_us(20000);
    inner = __builtin_ia32_rdtsc() - inner;
    mperf = rdmsr(IA32_MPERF) * 3312;
    outer = __builtin_ia32_rdtsc() - outer;
    expect(mperf >= (inner - 1) * 3299 && mperf <= (outer + 1) * 3301, 1,
           "pmu-mperf-slow: MPERF has 3300 ticks for 3312 of the TSC");
    check_aperf(21, 21);
}

static void check_values(void)
{
    uint64_t base = base_ratio();

    expect(rdmsr(MSR_PLATFORM_INFO) >> 8 & 0xff, base, "MSR_PLATFORM_INFO[15:8] is the base ratio");
    expect(rdmsr(IA32_PERF_STATUS) & 0xffff, cpu.family == NHM ? base : base << 8,
           "IA32_PERF_STATUS[15:0] is the base ratio, in the low byte on Nehalem");
    expect(rdmsr(0x1a2) >> 16 & 0xff, 100, "MSR_TEMPERATURE_TARGET[23:16] is TjMax");
    expect(rdmsr(IA32_THERM_STATUS) & (BIT(31) | 3), BIT(31),
           "IA32_THERM_STATUS: a valid reading, neither hot nor logged");
    expect(rdmsr(0x1ad) & 0xff, base + 2, "MSR_TURBO_RATIO_LIMIT: two above base");
    if (cpu.family & SKL_ON)
        expect(rdmsr(0x621), base - 4, "MSR_UNCORE_PERF_STATUS: four below base");
    if (cpu.family & SNB_ON) {
        uint64_t energy = rdmsr(0x611);

        expect(rdmsr(0x606) >> 8 & 31, cpu.family == SNB ? 16 : 14,
               "MSR_RAPL_POWER_UNIT[12:8] is the energy unit");
        pause_us(20000);
        expect((uint32_t)(rdmsr(0x611) - energy) > 0, 1, "MSR_PKG_ENERGY_STATUS moves with time");
        expect(rdmsr(0x611) >> 32, 0, "MSR_PKG_ENERGY_STATUS has 32 bits");
    }
}

/*
 * SDM vol. 3B, "Enabling HWP": software can set 770h[0] but not clear it. 771h and 774h raise #GP
 * until this bit is set.
 */
static void check_hwp(void)
{
    uint64_t value;

    expect(cpuid(6, 0).eax >> 7 & 1, !!(cpu.family & SKL_ON), "CPUID.06H:EAX[7] announces HWP");
    expect(try_rdmsr(0x771, &value), 1, "IA32_HWP_CAPABILITIES raises #GP before HWP is on");
    if (cpu.family & SKL_ON) {
        expect(try_rdmsr(0x774, &value), 1, "IA32_HWP_REQUEST raises #GP before HWP is on");
        expect(try_wrmsr(0x770, 2), 1, "IA32_PM_ENABLE[1] is reserved");
        wrmsr(0x770, 1);
        wrmsr(0x770, 0);
        expect(rdmsr(0x770), 1, "IA32_PM_ENABLE[0] cannot be cleared");
        expect(try_rdmsr(0x771, &value), 0, "IA32_HWP_CAPABILITIES is there with HWP");
        expect(value >> 8 & 0xff, base_ratio(), "IA32_HWP_CAPABILITIES: guaranteed ratio");
        expect(try_rdmsr(0x774, &value), 0, "IA32_HWP_REQUEST is there with HWP");
    }
}

void test_state(void)
{
    check_presence();
    check_writable();
    check_values();
    check_aperf(base_ratio(), base_ratio());
    check_hwp();
}

/* Without pmu-strict-msr, missing MSRs read 0 and ignore writes, as in stock QEMU. */
void test_lenient(void)
{
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t value = 1;

        if (!(rows[i].families & cpu.family)) {
            expect(try_rdmsr(rows[i].msr, &value), 0, "%s does not fault", rows[i].name);
            expect(value, 0, "%s reads 0", rows[i].name);
            expect(try_wrmsr(rows[i].msr, 1), 0, "%s ignores writes", rows[i].name);
        }
    }
}
