/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two packages of one CPU each, whose uncores are independent. SDM vol. 3B, "Performance Monitoring
 * Facility in the Uncore"; OUTSIDE.md.
 */
#include "uncore_packages.h"

#define OVF_PMI BIT(61)
#define CHG     BIT(63)
#define PMI_FRZ BIT(63)

extern volatile uint32_t pmi_count;

volatile uint32_t lines1;
static volatile uint64_t global1; /* the second CPU's value of 391h */

void walk_new_lines(uint32_t lines)
{
    static uint32_t next = 0x8000000;

    for (; lines > 0; lines--) {
        *(volatile uint32_t *)next;
        next += LINE;
    }
}

void run_job(void (*job)(void))
{
    uint32_t before = ap_ends;

    start_ap(job);
    if (!wait_for(&ap_ends, before)) {
        give_up("the second CPU does not answer");
    }
}

void begin_job(void (*job)(void))
{
    ap_at_gate = gate_open = 0;
    start_ap(job);
    if (!wait_for(&ap_at_gate, 0)) {
        give_up("the second CPU does not come to the gate");
    }
}

void end_job(void)
{
    uint32_t before = ap_ends;

    gate_open = 1;
    if (!wait_for(&ap_ends, before)) {
        give_up("the second CPU does not come to its end");
    }
}

/* ---- Registers ---- */

static const struct {
    uint32_t msr;
    uint64_t value[2];
    const char *name;
} registers[] = {
    {UNCORE_GLOBAL_CTRL, {BIT(48), BIT(49) | PMI_FRZ}, "MSR_UNCORE_PERF_GLOBAL_CTRL"},
    {UNCORE_FIXED_CTR0, {0x111, 0x222}, "MSR_UNCORE_FIXED_CTR0"},
    {UNCORE_FIXED_CTR_CTRL, {1, 4}, "MSR_UNCORE_FIXED_CTR_CTRL"},
    {UNCORE_MATCH, {BIT(62), BIT(61)}, "MSR_UNCORE_ADDR_OPCODE_MATCH"},
    {UNCORE_PMC0, {0x333, 0x444}, "MSR_UNCORE_PMC0"},
    {UNCORE_PERFEVTSEL0, {0x0309, 0x0308}, "MSR_UNCORE_PERFEVTSEL0"},
};
#define REGISTERS (sizeof(registers) / sizeof(registers[0]))

static volatile uint64_t seen1[REGISTERS];

static void write1(void)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        wrmsr(registers[i].msr, registers[i].value[1]);
    }
}

static void read1(void)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        seen1[i] = rdmsr(registers[i].msr);
    }
}

static void check_registers(void)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        wrmsr(registers[i].msr, registers[i].value[0]);
    }
    run_job(write1);
    for (unsigned i = 0; i < REGISTERS; i++) {
        expect(rdmsr(registers[i].msr), registers[i].value[0], "package 0's %s", registers[i].name);
        wrmsr(registers[i].msr, 0);
    }
    run_job(read1);
    for (unsigned i = 0; i < REGISTERS; i++) {
        expect(seen1[i], registers[i].value[1], "package 1's %s", registers[i].name);
    }
}

/* ---- Counts ---- */

static void count1(void)
{
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    wrmsr(UNCORE_PERFEVTSEL0, UNCORE_EN | 0x0309);
    wrmsr(UNCORE_PMC0, 0);
    wrmsr(UNCORE_GLOBAL_CTRL, global1);
    wait_at_gate();
    walk_new_lines(lines1);
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    ap_count[0] = rdmsr(UNCORE_PMC0);
}

/* Returns package 0's count. If `stops` is set, package 0 stops counting before its walk. */
static uint64_t count_both(uint64_t on0, uint32_t lines0, uint64_t on1, uint32_t lines, bool stops)
{
    global1 = on1;
    lines1 = lines;
    begin_job(count1);
    wrmsr(UNCORE_PMC0, 0);
    wrmsr(UNCORE_GLOBAL_CTRL, on0);
    if (stops) {
        wrmsr(UNCORE_GLOBAL_CTRL, 0);
    }
    walk_new_lines(lines0);
    end_job();
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    return rdmsr(UNCORE_PMC0);
}

static void check_counts(void)
{
    uint64_t count0 = 0;

    wrmsr(UNCORE_PERFEVTSEL0, UNCORE_EN | 0x0309);
    for (int i = 0; i < 4; i++) { /* in the last pass, stacks and variables are cached */
        count_both(1, LINES0, 1, LINES1, false);
    }
    count0 = count_both(1, 0, 1, LINES1, false);
    expect(count0, 0, "package 1 walks: package 0's misses");
    expect(ap_count[0], LINES1, "package 1 walks: package 1's misses");
    count0 = count_both(1, LINES0, 1, 0, false);
    expect(count0, LINES0, "package 0 walks: package 0's misses");
    expect(ap_count[0], 0, "package 0 walks: package 1's misses");
    count0 = count_both(1, LINES0, 1, LINES1, false);
    expect(count0, LINES0, "both walk: package 0's misses");
    expect(ap_count[0], LINES1, "both walk: package 1's misses");
    count0 = count_both(1, LINES0, 1, LINES1, true);
    expect(count0, 0, "package 0 is stopped: package 0's misses");
    expect(ap_count[0], LINES1, "package 0 is stopped: package 1's misses");
    count0 = count_both(1, LINES0, 0, LINES1, false);
    expect(count0, LINES0, "package 1 is not enabled: package 0's misses");
    expect(ap_count[0], 0, "package 1 is not enabled: package 1's misses");
}

/* ---- Overflow ---- */

static volatile uint64_t global_after, status_after, core_after;

/* The overflow freezes the counters, and interrupts the package's first CPU. */
static void overflow(void)
{
    apic_write(APIC_LVT_PERFORMANCE, LVT_NMI);
    wrmsr(IA32_DEBUGCTL, BIT(13));
    wrmsr(UNCORE_FIXED_CTR_CTRL, 5);
    wrmsr(UNCORE_FIXED_CTR0, BIT(48) - 1);
    wrmsr(UNCORE_GLOBAL_CTRL, PMI_FRZ | BIT(48) | BIT(32));
}

static void look1(void)
{
    global_after = rdmsr(UNCORE_GLOBAL_CTRL);
    status_after = rdmsr(UNCORE_GLOBAL_STATUS);
    core_after = rdmsr(IA32_PERF_GLOBAL_STATUS);
}

static void overflow1(void)
{
    wait_at_gate();
    overflow();
    wait_for(&pmi_count, 0);
    look1();
    wrmsr(UNCORE_FIXED_CTR_CTRL, 0);
    wrmsr(UNCORE_OVF_CTRL, status_after);
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, core_after);
    wrmsr(UNCORE_GLOBAL_CTRL, 1); /* must stay 1 when package 0 overflows later */
}

static void check_overflow(void)
{
    uint64_t before;

    pmi_count = 0;
    begin_job(overflow1);
    apic_write(APIC_LVT_PERFORMANCE, LVT_NMI);
    wrmsr(IA32_DEBUGCTL, BIT(13));
    wrmsr(UNCORE_PMC0, 0);
    wrmsr(UNCORE_GLOBAL_CTRL, 1);
    end_job();
    expect(pmi_count, 1, "package 1 overflows: one interrupt");
    expect(core_after, BIT(61), "package 1 overflows: its CPU's IA32_PERF_GLOBAL_STATUS");
    expect(status_after, OVF_PMI | CHG | BIT(32), "package 1 overflows: its status");
    expect(global_after, PMI_FRZ | BIT(48), "package 1 overflows: it is frozen");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "package 1 overflows: the other CPU's status");
    expect(apic_read(APIC_LVT_PERFORMANCE), LVT_NMI, "package 1 overflows: the other CPU's LVT");
    expect(rdmsr(UNCORE_GLOBAL_STATUS), 0, "package 1 overflows: package 0's status");
    expect(rdmsr(UNCORE_GLOBAL_CTRL), 1, "package 1 overflows: package 0 is not frozen");
    before = rdmsr(UNCORE_PMC0);
    walk_new_lines(LINES0);
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    expect(rdmsr(UNCORE_PMC0) - before, LINES0, "package 1 overflows: package 0 counts on");
    pmi_count = 0;
    overflow();
    wait_for(&pmi_count, 0);
    expect(rdmsr(UNCORE_GLOBAL_STATUS), OVF_PMI | CHG | BIT(32), "package 0 overflows: its status");
    expect(rdmsr(UNCORE_GLOBAL_CTRL), PMI_FRZ | BIT(48), "package 0 overflows: it is frozen");
    run_job(look1);
    expect(pmi_count, 1, "package 0 overflows: one interrupt");
    expect(core_after, 0, "package 0 overflows: the other CPU's status");
    expect(status_after, 0, "package 0 overflows: package 1's status");
    expect(global_after, 1, "package 0 overflows: package 1 is not frozen");
    wrmsr(IA32_DEBUGCTL, 0);
}

void test_uncore_packages(void)
{
    check_registers();
    check_counts();
    check_overflow();
}
