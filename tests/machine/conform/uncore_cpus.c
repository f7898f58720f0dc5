/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nehalem's uncore counts the events of two CPUs, and interrupts the CPU that software has
 * selected.
 */
#include "two_cpus.h"

#define OTHER_LINES 1000u

extern volatile uint32_t pmi_count;

static void walk_new_lines(void)
{
    static uint32_t next = 0x8000000;

    wait_at_gate(); /* after this, the CPU accesses no PMU register */
    for (uint32_t i = 0; i < OTHER_LINES; i++) {
        *(volatile uint32_t *)next;
        next += 64;
    }
}

static uint64_t misses_of_both(void)
{
    uint32_t before = ap_ends;

    ap_at_gate = gate_open = 0;
    start_ap(walk_new_lines);
    wait_for(&ap_at_gate, 0);
    wrmsr(0x3b0, 0);
    wrmsr(0x391, 1);
    gate_open = 1;
    wait_for(&ap_ends, before);
    wrmsr(0x391, 0);
    return rdmsr(0x3b0);
}

static void wait_for_pmi(void)
{
    apic_write(APIC_LVT_PERFORMANCE, LVT_NMI);
    wrmsr(IA32_DEBUGCTL, BIT(13));
    wait_at_gate();
    wait_for(&pmi_count, 0);
    wrmsr(IA32_DEBUGCTL, 0);
    ap_count[0] = rdmsr(IA32_PERF_GLOBAL_STATUS);
}

void test_uncore_cpus(void)
{
    uint64_t misses = 0;

    wrmsr(0x3c0, EN | 0x0309); /* UNC_LLC_MISS.ANY */
    for (int i = 0; i < 4; i++) {
        misses = misses_of_both(); /* in the last pass, code and stacks are cached */
    }
    expect(misses, OTHER_LINES, "misses of the second CPU, counted by the first");
    ap_at_gate = gate_open = 0;
    start_ap(wait_for_pmi);
    wait_for(&ap_at_gate, 0);
    apic_write(APIC_LVT_PERFORMANCE, LVT_NMI);
    wrmsr(IA32_DEBUGCTL, BIT(13));
    wrmsr(0x395, 5);
    wrmsr(0x394, BIT(48) - 1);
    wrmsr(0x391, BIT(49) | BIT(32)); /* EN_PMI_CORE1, EN_FC0 */
    gate_open = 1;
    expect(wait_for(&ap_ends, 4), 1, "EN_PMI_CORE1: the second CPU answers");
    wrmsr(0x391, 0);
    expect(pmi_count, 1, "EN_PMI_CORE1: one interrupt");
    expect(ap_count[0], BIT(61), "EN_PMI_CORE1: the second CPU's IA32_PERF_GLOBAL_STATUS");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "EN_PMI_CORE1: the boot CPU's");
    expect(apic_read(APIC_LVT_PERFORMANCE), LVT_NMI, "EN_PMI_CORE1: the boot CPU's LVT entry");
    wrmsr(IA32_DEBUGCTL, 0);
}
