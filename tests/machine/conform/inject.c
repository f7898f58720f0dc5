/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Injections that are visible in registers, repeated injections, pmu-hot, pmu-dither-us, and time
 * with -icount. ../conform_scenarios.sh sets the properties (../PROPERTIES.md). IA32_MCi_STATUS:
 * SDM vol. 3B, "Machine-Check Architecture", "IA32_MCi_STATUS MSRs".
 */
#include "conform.h"

#define IA32_MCG_CAP     0x179u
#define IA32_MCG_STATUS  0x17au
#define MCG_RIPV         BIT(0)
#define MCG_EIPV         BIT(1)
#define MCG_MCIP         BIT(2)
#define CR4_MCE          (1u << 6)
#define IA32_MC0_STATUS  0x401u
#define MC_BANK          4u /* MSR numbers per bank */
#define MC_VALID         BIT(63)
#define MC_UNCORRECTED   BIT(61)
#define MC_ENABLED       BIT(60)
#define MC_ADDRESS_VALID BIT(58)
#define MC_COUNT(n)      ((uint64_t)(n) << 38)
#define MC_ERROR         (MC_VALID | MC_UNCORRECTED | MC_ENABLED | MC_ADDRESS_VALID | MC_PARITY)
#define MC_PARITY        5u

#define LIMIT_SKYLAKE 0x64fu
#define LIMIT_HASWELL 0x690u
#define THERMAL       BIT(1)
#define THERMAL_LOG   BIT(17)
#define POWER         (BIT(10) | BIT(26)) /* PL1 and its log */
#define DITHER_US     2000u

/* Number of instructions in a window with kernel_nops: call, 40 nops, ret; mov xor xor wrmsr. */
#define NOPS_OWN 46u

#define NMI_HANDLER 9u
#define SMI_HANDLER 11u

#define GAP_TICKS 4000000000u
#define TICKS     8u /* TSC ticks per instruction with -icount shift=3 */

extern volatile uint32_t pmi_eip, pmi_count;
extern code kernel_long_rep;

void test_inject_machine_check(void)
{
    const uint32_t status = IA32_MC0_STATUS + MC_BANK;

    expect((rdmsr(IA32_MCG_CAP) & 0xff) > 2, 1, "IA32_MCG_CAP[7:0]: more than two banks");
    expect(rdmsr(status), 0, "IA32_MC1_STATUS: no error at reset");
    for (unsigned i = 1; i <= 4; i++) {
        uint64_t errors = i - 1;

        pmi_count = 0;
        expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), NOPS_OWN,
               "pmu-inject=machine-check: opening %u counts only the window", i);
        expect(rdmsr(status), errors ? MC_VALID | MC_ENABLED | MC_PARITY | MC_COUNT(errors) : 0,
               "pmu-inject=machine-check, open=2, period=1: after opening %u", i);
        expect(rdmsr(status - MC_BANK) | rdmsr(status + MC_BANK), 0,
               "pmu-inject=machine-check: other banks after opening %u", i);
    }
    wrmsr(status, 0);
    expect(rdmsr(status), 0, "IA32_MC1_STATUS is cleared by writing 0");
    count_from(0, 0, INSTRUCTIONS, kernel_nops);
    expect(rdmsr(status), MC_VALID | MC_ENABLED | MC_PARITY | MC_COUNT(1),
           "IA32_MC1_STATUS counts errors from 1 after it was cleared");
}

static void check_mc(const char *name, uint64_t mcg_status, uint64_t status)
{
    uint32_t cr4;

    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_MCE));
    pmi_count = 0;
    count_from(0, 0, INSTRUCTIONS, kernel_nops);
    expect(pmi_count, 0, "%s: no #MC at the first opening", name);
    expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), NOPS_OWN + NMI_HANDLER,
           "%s: the handler's instructions are counted", name);
    expect(pmi_count, 1, "%s: one #MC at the second opening", name);
    expect(rdmsr(IA32_MCG_STATUS), MCG_MCIP | mcg_status, "%s: IA32_MCG_STATUS", name);
    expect(rdmsr(IA32_MC0_STATUS + MC_BANK), status, "%s: IA32_MC1_STATUS", name);
    expect(rdmsr(IA32_MC0_STATUS + MC_BANK + 1), 0x12345000, "%s: IA32_MC1_ADDR", name);
    wrmsr(IA32_MCG_STATUS, 0);
    expect(rdmsr(IA32_MCG_STATUS), 0, "%s: IA32_MCG_STATUS is cleared", name);
}

void test_inject_mc(void)
{
    check_mc("pmu-inject=mc", MCG_RIPV, MC_ERROR);
}

void test_inject_mc_fatal(void)
{
    check_mc("pmu-inject=mc-fatal", 0, MC_ERROR);
}

void test_inject_mc_action(void)
{
    check_mc("pmu-inject=mc-action", MCG_RIPV | MCG_EIPV, MC_ERROR | BIT(56) | BIT(55));
}

void test_inject_mc_sibling(void)
{
    check_mc("pmu-inject=mc-sibling", MCG_RIPV, MC_ERROR | BIT(56) | BIT(55));
}

/* In addition to the error of bank 1, bank 0 shows a corrected error. */
void test_inject_mc_corrupt(void)
{
    check_mc("pmu-inject=mc-corrupt", MCG_RIPV, MC_ERROR | BIT(57));
    expect(rdmsr(IA32_MC0_STATUS), BIT(63) | BIT(60) | 5, "pmu-inject=mc-corrupt: IA32_MC0_STATUS");
}

void test_inject_mc_elsewhere(void)
{
    check_mc("pmu-inject=mc-elsewhere", MCG_RIPV, 0);
}

void test_old_error(void)
{
    const uint64_t old = MC_VALID | MC_UNCORRECTED | MC_ENABLED | BIT(57) | MC_PARITY;

    expect(rdmsr(IA32_MC0_STATUS + MC_BANK), old, "pmu-old-error: IA32_MC1_STATUS at reset");
    check_mc("pmu-old-error, pmu-inject=mc-elsewhere", MCG_RIPV, old);
}

void test_inject_limit(void)
{
    const uint32_t msr = cpu.family == HSW ? LIMIT_HASWELL : LIMIT_SKYLAKE;

    for (unsigned i = 1; i <= 3; i++) {
        count_from(0, 0, INSTRUCTIONS, kernel_nops);
        expect(rdmsr(msr) & (THERMAL | THERMAL_LOG), i >= 2 ? THERMAL_LOG : 0,
               "pmu-inject=limit, open=2: limit reasons after opening %u", i);
        expect((rdmsr(IA32_THERM_STATUS) | rdmsr(IA32_PACKAGE_THERM_STATUS)) & 3, 0,
               "pmu-inject=limit: neither core nor package is hot after opening %u", i);
    }
    wrmsr(msr, 0);
    expect(rdmsr(msr), 0, "the log of the limit reasons is cleared by writing 0");
}

void test_hot(void)
{
    for (unsigned i = 0; i < 2; i++) {
        expect(rdmsr(IA32_THERM_STATUS) & 3, 3, "pmu-hot: the core, cleared %u times", i);
        expect(rdmsr(IA32_PACKAGE_THERM_STATUS) & 3, 3, "pmu-hot: the package, cleared %u times",
               i);
        expect(rdmsr(LIMIT_SKYLAKE), THERMAL | THERMAL_LOG,
               "pmu-hot: the limit reasons, cleared %u times", i);
        wrmsr(IA32_THERM_STATUS, 0);
        wrmsr(IA32_PACKAGE_THERM_STATUS, 0);
        wrmsr(LIMIT_SKYLAKE, 0);
    }
    expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), NOPS_OWN, "pmu-hot: instructions");
}

void test_dither(void)
{
    unsigned changes = 0;
    uint64_t before = rdmsr(IA32_PERF_STATUS) >> 8 & 0xff;
    const uint64_t first = before;
    uint64_t other = before;

    expect(rdmsr(LIMIT_SKYLAKE), POWER, "pmu-dither-us: the limit reasons");
    for (unsigned i = 0; i < 40; i++) {
        uint64_t now = rdmsr(IA32_PERF_STATUS) >> 8 & 0xff;

        changes += now != before;
        other = now != first ? now : other;
        before = now;
        pause_us(DITHER_US / 2);
    }
    expect(first + other, 2 * 21 + 2, "pmu-dither-us: base ratio, and two above");
    expect(changes >= 5, 1, "pmu-dither-us: the ratio changes again and again");
    expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), NOPS_OWN, "pmu-dither-us: instructions");
}

/* Of every 20 instructions, 9 are the handler's and 11 are the kernel's. */
void test_inject_every(void)
{
    for (unsigned i = 1; i <= 4; i++) {
        unsigned times = i >= 2 ? 3 : 0;

        pmi_count = 0;
        pmi_eip = 0;
        expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), NOPS_OWN + times * NMI_HANDLER,
               "pmu-inject-every: instructions at opening %u, the handlers' included", i);
        expect(pmi_count, times, "pmu-inject-times=3: opening %u", i);
        expect(pmi_eip, times ? (uint32_t)kernel_nops + 4 + 2 * (20 - NMI_HANDLER) : 0,
               "pmu-inject-after=5, every=20: where the last NMI comes at opening %u", i);
    }
}

/* The call and ten nops are between the two NMIs. */
void test_inject_again(void)
{
    for (unsigned i = 1; i <= 3; i++) {
        pmi_count = 0;
        count_from(0, 0, INSTRUCTIONS, kernel_nops);
        expect(pmi_count, i == 2 ? 2 : 0, "pmu-inject-times=2, open=2, no period: opening %u", i);
        if (i == 2) {
            expect(pmi_eip, (uint32_t)kernel_nops + 20 - NMI_HANDLER - 1,
                   "pmu-inject-every=20 after an NMI at once: where the second NMI comes");
        }
    }
}

/*
 * Of every 30 instructions, 11 are the handler's and 19 are the window's. The third SMI therefore
 * comes after 45 of the window's 46 instructions. If 30 of the window's instructions lay between
 * two SMIs, the window would end before the third SMI.
 */
void test_inject_smi_every(void)
{
    install_smm_handler();
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t before = rdmsr(MSR_SMI_COUNT);
        unsigned times = i == 2 ? 3 : 0;
        uint64_t counted = count_from(0, 0, INSTRUCTIONS, kernel_nops);

        expect(counted, NOPS_OWN + times * SMI_HANDLER,
               "pmu-inject=smi, every=30: instructions at opening %u, the handlers' included", i);
        expect(rdmsr(MSR_SMI_COUNT) - before, times, "pmu-inject=smi, times=3: opening %u", i);
    }
}

struct clocks {
    uint64_t tsc;
    uint64_t mperf;
    uint64_t aperf;
};

/* Returns the number of ticks of each clock during a window. */
static __attribute__((noinline)) struct clocks clocks_of(code *kernel)
{
    struct clocks from = {__builtin_ia32_rdtsc(), rdmsr(IA32_MPERF), rdmsr(IA32_APERF)};

    count_from(0, 0, INSTRUCTIONS, kernel);
    return (struct clocks){__builtin_ia32_rdtsc() - from.tsc, rdmsr(IA32_MPERF) - from.mperf,
                           rdmsr(IA32_APERF) - from.aperf};
}

void test_icount(void)
{
    struct clocks empty = clocks_of(kernel_empty);
    struct clocks nops = clocks_of(kernel_nops);
    struct clocks jcc = clocks_of(kernel_jcc);
    struct clocks rep = clocks_of(kernel_long_rep);
    uint64_t own = own_count(0);

    expect(nops.tsc - empty.tsc, TICKS * (NOPS_OWN - own), "-icount: TSC ticks for nops");
    expect(jcc.tsc - empty.tsc, TICKS * (2007 - own), "-icount: TSC ticks for jumps");
    expect(nops.mperf - empty.mperf, TICKS * (NOPS_OWN - own), "-icount: MPERF ticks for nops");
    expect(nops.aperf - empty.aperf, TICKS * (NOPS_OWN - own), "-icount: APERF ticks for nops");
    /*
     * kernel_long_rep executes 2 MOVs and 70,000 repetitions more than kernel_empty. QEMU may add
     * an empty repetition.
     */
    expect(((rep.tsc - empty.tsc) / TICKS - 2) / 2, 70000 / 2,
           "-icount: each repetition of a REP string instruction takes 8 ticks");
    expect(clocks_of(kernel_empty).tsc, empty.tsc, "-icount: the same kernel takes the same time");
}

/*
 * Returns whether a difference is less than 2 away from its exact value. `exact` is the integer
 * part of the exact value. The difference comes from four readings, each rounded down.
 */
static uint64_t about(uint64_t difference, uint64_t exact)
{
    return difference + 1 - exact <= 3;
}

/* The scenario sets pmu-bus-slow=2500 and pmu-base-ratio=10, and uses -icount. */
void test_bus_slow(void)
{
    const uint32_t ticks = TICKS * (2007 - (uint32_t)own_count(0)) * 9975 / 10000;
    struct clocks empty = clocks_of(kernel_empty);
    struct clocks jcc = clocks_of(kernel_jcc);

    expect(rdmsr(MSR_PLATFORM_INFO) >> 8 & 0xff, 10, "pmu-base-ratio: MSR_PLATFORM_INFO");
    expect(rdmsr(IA32_PERF_STATUS) >> 8 & 0xff, 10, "pmu-base-ratio: IA32_PERF_STATUS");
    expect(about(jcc.tsc - empty.tsc, ticks), 1, "pmu-bus-slow: the TSC is 2,500 ppm slower");
    expect(about(jcc.mperf - empty.mperf, ticks), 1,
           "pmu-bus-slow: IA32_MPERF is 2,500 ppm slower");
}

void test_inject_gap(void)
{
    struct clocks first = clocks_of(kernel_nops);

    for (unsigned i = 2; i <= 3; i++) {
        struct clocks c = clocks_of(kernel_nops);

        expect(read_counter(0), NOPS_OWN, "pmu-inject=gap: instructions at opening %u", i);
        expect(c.tsc - first.tsc, i == 2 ? GAP_TICKS : 0,
               "pmu-inject=gap: additional ticks of the TSC at opening %u", i);
        expect(c.mperf - first.mperf, 0, "pmu-inject=gap: IA32_MPERF at opening %u", i);
        expect(c.aperf - first.aperf, 0, "pmu-inject=gap: IA32_APERF at opening %u", i);
    }
}
