/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines with an unusual PMU, or without one. */
#include "conform.h"

#define GARBAGE 0x5a5a5a5au /* low half of a counter at reset (../README.md) */

/* pmu=off, pmu-version=0, or a CPU that is neither Intel's nor a Zen: all is as in stock QEMU. */
void test_off(void)
{
    uint64_t value;

    test_no_rules();
    expect(cpu.version, 0, "no leaf 0Ah");
    expect(try_rdpmc(0, &value), 1, "RDPMC is undefined");
    wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
    expect(rdmsr(IA32_PERF_GLOBAL_CTRL), 0, "IA32_PERF_GLOBAL_CTRL is not there");
}

void test_left_running(void)
{
    expect(rdmsr(IA32_PERFEVTSEL0), 0x4300c0, "left running: select 0");
    expect(rdmsr(IA32_FIXED_CTR_CTRL), 3, "left running: fixed control");
    expect(rdmsr(IA32_PERF_GLOBAL_CTRL), BIT(32) | 1, "left running: global control");
    expect((uint32_t)rdmsr(IA32_PMC0) - GARBAGE >= 1000, 1, "the firmware was counted");
    expect(rdmsr(IA32_DEBUGCTL), FREEZE_LBRS | FREEZE_PMCS, "left running: freeze on a PMI");
    wrmsr(IA32_DEBUGCTL, 0);
    expect(rdmsr(IA32_DEBUGCTL), 0, "IA32_DEBUGCTL keeps 0");
    expect(rdmsr(IA32_PEBS_ENABLE), 1, "left running: IA32_PEBS_ENABLE");
    wrmsr(IA32_PEBS_ENABLE, 2);
    expect(rdmsr(IA32_PEBS_ENABLE), 2, "IA32_PEBS_ENABLE keeps 2");
    expect(try_wrmsr(IA32_PEBS_ENABLE, BIT(cpu.gp)), 1, "IA32_PEBS_ENABLE past the last counter");
    expect(cpu.debug_store, 1, "CPUID.1:EDX[21]: debug store");
    expect(rdmsr(IA32_MISC_ENABLE) & BIT(12), 0, "IA32_MISC_ENABLE[12]: PEBS is available");
}

void test_gp_msr(void)
{
    uint64_t value;

    expect(try_rdmsr(MSR_SMI_COUNT, &value), 1, "RDMSR of the faulty MSR");
    expect(try_wrmsr(MSR_SMI_COUNT, 0), 1, "WRMSR of the faulty MSR");
    expect(try_rdmsr(0x8b, &value), 0, "RDMSR of another MSR");
}

void test_zero_msr(void)
{
    expect(try_wrmsr(0x199, 0x1500), 0, "WRMSR of the MSR that reads 0");
    expect(rdmsr(0x199), 0, "RDMSR of the MSR that reads 0");
    wrmsr(0x19b, 0x10);
    expect(rdmsr(0x19b), 0x10, "RDMSR of another MSR");
}

/* pmu-crystal=on: 24 MHz * 125 / 3 */
void test_crystal(void)
{
    const struct leaf leaf = cpuid(0x15, 0);

    expect(cpuid(0, 0).eax, 0x15, "pmu-crystal: the last basic leaf");
    expect(leaf.eax, 3, "CPUID.15H:EAX, the ratio's denominator");
    expect(leaf.ebx, 125, "CPUID.15H:EBX, the ratio's numerator");
    expect(leaf.ecx, 0, "CPUID.15H:ECX, the crystal's frequency, is 0");
}

void test_mute(void)
{
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        uint64_t value = 1;

        expect(count_from(0, bit, own_select(bit), kernel_empty), 0, "mute: %s counts nothing",
               counter_name(bit));
        write_counter(bit, 5);
        expect(read_counter(bit), 0, "mute: %s keeps nothing", counter_name(bit));
        try_rdpmc(bit < 32 ? (uint32_t)bit : 1u << 30 | ((uint32_t)bit - 32), &value);
        expect(value, 0, "mute: RDPMC of %s", counter_name(bit));
    }
    wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS);
    expect(rdmsr(IA32_PERFEVTSEL0), INSTRUCTIONS, "mute: the select is kept");
}
