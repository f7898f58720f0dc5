/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What version 6 adds: CPUID.23H, absent counters below the highest one, UMASK2 and EQ. SDM vol.
 * 2A, "Architectural Performance Monitoring Extended Leaf"; vol. 3B, "Architectural Performance
 * Monitoring Version 6".
 */
#include "conform.h"

#define LEAF_EXTENDED           0x23u
#define BLOCKS                  0x1900u /* counter i: 1900H + 4i, its select: 1901H + 4i */
#define FIXED_BLOCKS            0x1980u
#define UMASK2(value)           ((uint64_t)(value) << 40)
#define EQ                      BIT(36)
#define CONDITIONAL             0x11c4u /* on Lion Cove, counts only with UMASK2 = 1 */
#define INSTRUCTIONS_OF_A_CYCLE 0xc0u

static uint64_t count_select(uint64_t select, code *kernel)
{
    uint64_t value;

    stop_all();
    write_counter(0, 0);
    wrmsr(IA32_PERFEVTSEL0, select | EN | OS);
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(0), kernel);
    value = read_counter(0);
    stop_all();
    return value;
}

static void check_counters(struct leaf counters)
{
    uint64_t value;

    for (unsigned i = 0; i < 10; i++) {
        expect(try_rdmsr(IA32_PERFEVTSEL0 + i, &value) == 0, counters.eax >> i & 1, "select %u", i);
        expect(try_rdmsr(IA32_PMC0 + i, &value) == 0, counters.eax >> i & 1, "counter %u", i);
        expect(try_rdpmc(i, &value) == 0, counters.eax >> i & 1, "RDPMC of counter %u", i);
    }
    for (unsigned i = 0; i < 7; i++) {
        expect(try_rdmsr(IA32_FIXED_CTR0 + i, &value) == 0, counters.ebx >> i & 1,
               "fixed counter %u", i);
    }
    expect(try_wrmsr(IA32_PERF_GLOBAL_CTRL, counters.eax | (uint64_t)counters.ebx << 32), 0,
           "38Fh accepts the bits of all counters");
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

/* The MSRs in a counter's block are aliases of the counter's ordinary MSRs. */
static void check_blocks(struct leaf counters)
{
    for (unsigned i = 0; i < 10; i++) {
        bool there = counters.eax >> i & 1;

        expect(try_wrmsr(BLOCKS + 4 * i, 1 + i) == 0, there, "counter %u in its block", i);
        expect(try_wrmsr(BLOCKS + 4 * i + 1, 0xc0) == 0, there, "select %u in its block", i);
        if (there) {
            expect(rdmsr(IA32_PMC0 + i), 1 + i, "counter %u after a write to its block", i);
            expect(rdmsr(IA32_PERFEVTSEL0 + i), 0xc0, "select %u after a write to its block", i);
        }
    }
    for (unsigned i = 0; i < 7; i++) {
        bool there = counters.ebx >> i & 1;

        expect(try_wrmsr(FIXED_BLOCKS + 4 * i, 1 + i) == 0, there, "fixed counter %u in its block",
               i);
        if (there) {
            expect(rdmsr(IA32_FIXED_CTR0 + i), 1 + i, "fixed counter %u after a write to its block",
                   i);
        }
    }
}

static void check_leaf(void)
{
    struct leaf main = cpuid(LEAF_EXTENDED, 0);

    expect(cpuid(7, 0).eax >= 1, true, "CPUID.7 has subleaf 1");
    expect(cpuid(7, 1).eax >> 8 & 1, 1, "CPUID.7.1:EAX[8]");
    expect(main.eax, 0xb, "CPUID.23H.0:EAX");
    expect(main.ebx, 0x3, "CPUID.23H.0:EBX");
    expect(cpuid(LEAF_EXTENDED, 2).eax, 0, "CPUID.23H.2 is not listed");
    check_counters(cpuid(LEAF_EXTENDED, 1));
    check_blocks(cpuid(LEAF_EXTENDED, 1));
}

static void check_umask2(void)
{
    const struct kernel *kernel = kernels;

    while (kernel->entry != kernel_jcc) {
        kernel++;
    }
    expect(count_select(CONDITIONAL | UMASK2(1), kernel_jcc),
           expected(kernel->count, BIT(COL_TAKEN) | BIT(COL_NOT_TAKEN)), "an event with UMASK2");
    expect(count_select(CONDITIONAL, kernel_jcc), 0, "the same event without UMASK2");
    expect(try_wrmsr(IA32_PERFEVTSEL0, UMASK2(0x100)), 1, "bit 48 of a select is reserved");
}

/* In each cycle up to four instructions retire. */
static void check_eq(void)
{
    uint64_t least[5];

    for (unsigned i = 1; i <= 4; i++) {
        least[i] = count_select(INSTRUCTIONS_OF_A_CYCLE | CMASK(i), kernel_nops);
    }
    for (unsigned i = 1; i < 4; i++) {
        expect(count_select(INSTRUCTIONS_OF_A_CYCLE | CMASK(i) | EQ, kernel_nops),
               least[i] - least[i + 1], "cycles with exactly %u instructions", i);
    }
    expect(count_select(INSTRUCTIONS_OF_A_CYCLE | CMASK(4) | EQ, kernel_nops), least[4],
           "cycles with exactly 4 instructions");
}

void test_version_6(void)
{
    check_leaf();
    check_umask2();
    check_eq();
}

void test_absent(void)
{
    struct leaf counters = cpuid(LEAF_EXTENDED, 1);

    expect(counters.eax, 0x3ff & ~0x4au, "CPUID.23H.1:EAX");
    expect(counters.ebx, 0x7f & ~0x8u, "CPUID.23H.1:EBX");
    check_counters(counters);
}
