/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of registers, and RDPMC. SDM vol. 3B, "Architectural Performance Monitoring", "Full-Width
 * Writes to Performance Counter Registers"; vol. 2, "RDPMC".
 */
#include "conform.h"

#define GARBAGE 0x5a5a5a5au /* low half of a counter at reset (../README.md) */
#define CR4_PCE 0x100u

/* At reset, IA32_PERF_GLOBAL_CTRL enables only the general counters (SDM vol. 3B). */
void test_reset(void)
{
    for (unsigned i = 0; i < cpu.gp; i++) {
        expect(rdmsr(IA32_PERFEVTSEL0 + i), 0, "IA32_PERFEVTSEL%u is 0 at reset", i);
    }
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        expect(read_counter(bit) & UINT32_MAX, GARBAGE, "%s holds garbage at reset",
               counter_name(bit));
    }
    if (cpu.version >= 2) {
        expect(rdmsr(IA32_PERF_GLOBAL_CTRL), low_bits(cpu.gp),
               "IA32_PERF_GLOBAL_CTRL enables the general counters at reset");
        expect(rdmsr(IA32_FIXED_CTR_CTRL), 0, "IA32_FIXED_CTR_CTRL is 0 at reset");
        expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "IA32_PERF_GLOBAL_STATUS is 0 at reset");
    }
    if (cpu.metrics) {
        expect(rdmsr(MSR_PERF_METRICS), 0, "MSR_PERF_METRICS is 0 at reset");
    }
}

/* From version 5 on, CPUID.0AH:ECX is the fixed counters' bitmap, and AnyThread is deprecated. */
static void test_leaf(void)
{
    struct leaf leaf = cpuid(10, 0);
    uint64_t capabilities;

    expect(leaf.edx >> 15 & 1, cpu.version >= 5, "CPUID.0AH:EDX[15]: version 5 has no AnyThread");
    expect(leaf.ecx, cpu.version >= 5 ? low_bits(cpu.fixed) : 0,
           "CPUID.0AH:ECX: version 5 has the bitmap of fixed counters");
    expect(cpu.version >= 2 || !cpu.fixed, 1, "CPUID.0AH:EDX: version 1 has no fixed counters");
    expect(try_rdmsr(IA32_PERF_CAPABILITIES, &capabilities), !cpu.pdcm,
           "IA32_PERF_CAPABILITIES is there as CPUID.1:ECX[15] says");
}

void test_values(void)
{
    static const uint64_t writes[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffd, 0x1234567800000005};

    test_leaf();
    for (unsigned i = 0; i < cpu.gp; i++) {
        for (unsigned k = 0; k < sizeof(writes) / sizeof(writes[0]); k++) {
            wrmsr(IA32_PMC0 + i, writes[k]);
            expect(rdmsr(IA32_PMC0 + i),
                   (uint64_t)(int64_t)(int32_t)writes[k] & low_bits(cpu.gp_width),
                   "IA32_PMC%u stores bits 31:0 of %llx, sign-extended", i, writes[k]);
        }
        wrmsr(IA32_PMC0 + i, 0);
        if (cpu.full_width) {
            uint64_t all = 0xa5a5a5a5a5a5a5a5 & low_bits(cpu.gp_width);

            wrmsr(IA32_A_PMC0 + i, all);
            expect(rdmsr(IA32_PMC0 + i), all, "IA32_A_PMC%u writes all bits of IA32_PMC%u", i, i);
            wrmsr(IA32_PMC0 + i, 7);
            expect(rdmsr(IA32_A_PMC0 + i), 7, "IA32_A_PMC%u reads IA32_PMC%u", i, i);
        }
    }
}

/*
 * ECX[31:16] is the type of the counter (0 general, 4000h fixed, 2000h PERF_METRICS), and ECX[15:0]
 * is its index.
 */
static bool rdpmc_exists(uint32_t ecx)
{
    uint32_t index = ecx & 0xffff;

    switch (ecx >> 16) {
    case 0:
        return index < cpu.gp;
    case 0x4000:
        return index < cpu.fixed;
    case 0x2000:
        return cpu.metrics && index == 0;
    default:
        return false;
    }
}

static void check_rdpmc(uint32_t ecx)
{
    uint64_t value;

    expect(try_rdpmc(ecx, &value), !rdpmc_exists(ecx), "RDPMC of %08x %s", ecx,
           rdpmc_exists(ecx) ? "reads" : "raises #GP");
}

static void test_cpl(void)
{
    uint32_t cr4;

    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 & ~CR4_PCE));
    expect(user_try_rdpmc(), 1, "RDPMC in ring 3 without CR4.PCE raises #GP");
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_PCE));
    expect(user_try_rdpmc(), 0, "RDPMC in ring 3 with CR4.PCE reads");
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4));
}

void test_rdpmc(void)
{
    static const uint32_t types[] = {0, 1u << 30, 1u << 29};

    for (unsigned t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (uint32_t i = 0; i <= 9; i++) {
            check_rdpmc(types[t] | i);
        }
        check_rdpmc(types[t] | 0x100);
        check_rdpmc(types[t] | 0x8000);
    }
    for (unsigned i = 16; i < 32; i++) {
        if (i != 29 && i != 30) {
            check_rdpmc(1u << i);
        }
    }
    check_rdpmc(3u << 29);
    for (int bit = next_counter(0); bit < 64; bit = next_counter(bit + 1)) {
        uint64_t all = 0xb6d95e73a1c40f82 & low_bits(counter_width(bit));
        uint64_t value = 0;

        if (bit < 32 && !cpu.full_width) {
            all = 0x21c40f82;
        }
        write_counter(bit, all);
        try_rdpmc(bit < 32 ? (uint32_t)bit : 1u << 30 | ((uint32_t)bit - 32), &value);
        expect(value, all, "RDPMC reads all bits of %s", counter_name(bit));
    }
    test_cpl();
}
