/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interrupt at an overflow. SDM vol. 3B, "Performance Monitoring", INT (interrupt enable flag)
 * and "Architectural Performance Monitoring Version 2" (PMI); vol. 3A, "Local Vector Table":
 * delivery sets the entry's mask bit.
 */
#include "conform.h"

extern code kernel_pmi, kernel_pmi_held, pmi_nops, pmi_held_nops;
extern volatile uint32_t pmi_eip, pmi_lvt, pmi_count;

/* The n-th nop of kernel_pmi is instruction n + 2 of the window, after the call and sti. */
#define NOP(n) (2u + (n))

static void listen(uint32_t entry)
{
    pmi_count = 0;
    pmi_eip = 0;
    apic_write(APIC_LVT_PERFORMANCE, entry);
}

static void overflow_at(unsigned n, int bit, bool interrupts, code *kernel)
{
    uint32_t enable = bit < 32 ? INT : FIXED_PMI;

    count_from(0 - (uint64_t)n, bit, own_select(bit) | (interrupts ? enable : 0), kernel);
}

static uint32_t at_nop(code *nops, unsigned n)
{
    return (uint32_t)nops + n;
}

static void check_delivery(const char *how, uint32_t entry)
{
    listen(entry);
    overflow_at(NOP(5), 0, true, kernel_pmi);
    expect(pmi_count, 1, "%s: an overflow interrupts once", how);
    expect(pmi_eip, at_nop(pmi_nops, 5), "%s: before the next instruction", how);
    expect(pmi_lvt, entry | LVT_MASKED, "%s: the LVT entry is masked in the handler", how);
    expect(apic_read(APIC_LVT_PERFORMANCE), entry | LVT_MASKED,
           "%s: the LVT entry is masked after the handler", how);
    /*
     * 38 instructions of the window (call sti, 30 nops, cli ret, mov xor xor wrmsr), 9 of the
     * handler.
     */
    expect(read_counter(0), 38 + 9 - NOP(5), "%s: the handler is counted like all else", how);
    overflow_at(NOP(5), 0, true, kernel_pmi);
    expect(pmi_count, 1, "%s: a second overflow does not pass the mask", how);
    apic_write(APIC_LVT_PERFORMANCE, entry);
    count_from(0, 0, INSTRUCTIONS | INT, kernel_pmi);
    expect(pmi_count, 1, "%s: unmasking does not bring an interrupt back", how);
    overflow_at(NOP(7), 0, true, kernel_pmi);
    expect(pmi_count, 2, "%s: unmasked, the next overflow interrupts", how);
    expect(pmi_eip, at_nop(pmi_nops, 7), "%s: again before the next instruction", how);
    listen(entry | LVT_MASKED);
    overflow_at(NOP(5), 0, true, kernel_pmi);
    expect(pmi_count, 0, "%s: a masked entry never interrupts", how);
    listen(entry);
    overflow_at(NOP(5), 0, false, kernel_pmi);
    expect(pmi_count, 0, "%s: without INT there is no interrupt", how);
    expect(apic_read(APIC_LVT_PERFORMANCE), entry, "%s: without INT the entry stays unmasked", how);
    if (cpu.version >= 2) {
        expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 1, "%s: without INT the status bit is set", how);
    }
    listen(entry);
    count_from(0, 0, INSTRUCTIONS | INT, kernel_pmi);
    expect(pmi_count, 0, "%s: without an overflow there is no interrupt", how);
}

/*
 * Checks only the number of interrupts. The instruction at which the interrupt comes differs
 * between counters of instructions, cycles and slots.
 */
static void check_counter(int bit)
{
    listen(PMI_VECTOR);
    overflow_at(4, bit, true, kernel_pmi);
    expect(pmi_count, 1, "%s interrupts at its overflow", counter_name(bit));
    listen(PMI_VECTOR);
    overflow_at(4, bit, false, kernel_pmi);
    expect(pmi_count, 0, "%s without its enable bit does not interrupt", counter_name(bit));
}

void test_pmi(void)
{
    uint32_t before = apic_read(APIC_LVT_PERFORMANCE);

    check_delivery("PMI", PMI_VECTOR);
    check_delivery("PMI as NMI", LVT_NMI);
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        check_counter(bit);
    }
    /*
     * The counter overflows after the call and two nops. The interrupt waits for sti and for the
     * nop in its shadow.
     */
    listen(PMI_VECTOR);
    overflow_at(3, 0, true, kernel_pmi_held);
    expect(pmi_count, 1, "PMI: held back by IF = 0, it is not lost");
    expect(pmi_eip, at_nop(pmi_held_nops, 1), "PMI: comes after the shadow of STI");
    listen(LVT_NMI);
    overflow_at(3, 0, true, kernel_nops);
    expect(pmi_eip, (uint32_t)kernel_nops + 2, "PMI as NMI: IF = 0 does not hold it back");
    stop_all();
    apic_write(APIC_LVT_PERFORMANCE, before | LVT_MASKED);
}
