/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freezing on a PMI. SDM vol. 3B, "Freezing LBR and Performance Counters on PMI": the legacy freeze
 * (versions 2 and 3) clears IA32_PERF_GLOBAL_CTRL; the streamlined freeze (from version 4 on) sets
 * IA32_PERF_GLOBAL_STATUS[59] for the counters, and [58] for the LBRs.
 */
#include "conform.h"

extern code kernel_pmi;
extern volatile uint32_t pmi_count;

#define OVERFLOW_AT 7u  /* the call, STI and five nops */
#define WHOLE       38u /* without the handler's instructions */
#define HANDLER     9u
#define FROZEN      BIT(CTR_FRZ_BIT)

static void run(uint64_t debugctl, uint32_t interrupt)
{
    stop_all();
    apic_write(APIC_LVT_PERFORMANCE, PMI_VECTOR);
    pmi_count = 0;
    wrmsr(IA32_DEBUGCTL, debugctl);
    write_counter(0, (0 - (uint64_t)OVERFLOW_AT) & low_bits(cpu.gp_width));
    write_counter(1, 0);
    write_counter(FIXED(0), 0);
    select_event(0, INSTRUCTIONS | interrupt);
    select_event(1, INSTRUCTIONS);
    select_event(FIXED(0), FIXED_OS);
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(0) | BIT(1) | BIT(FIXED(0)), kernel_pmi);
}

static void expect_stopped(const char *how)
{
    expect(pmi_count, 1, "%s: the PMI itself comes", how);
    expect(read_counter(0), 0, "%s: the counter that overflowed stops at 0", how);
    expect(read_counter(1), OVERFLOW_AT, "%s: another counter stops with it", how);
    expect(read_counter(FIXED(0)), OVERFLOW_AT, "%s: a fixed counter stops with it", how);
}

static void expect_running(const char *how)
{
    expect(read_counter(1), WHOLE + HANDLER * pmi_count, "%s: the counters run on", how);
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS) & ~BIT(LBR_FRZ_BIT), 1, "%s: nothing is frozen", how);
}

extern code kernel_pmi_global;
extern uint64_t pmi_global_ctrl;

static void check_legacy(void)
{
    run(FREEZE_PMCS, INT);
    expect_stopped("legacy freeze");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 1, "legacy freeze: the status shows only the overflow");
    /* The kernel reads IA32_PERF_GLOBAL_CTRL, since the WRMSR that closes the window zeroes it. */
    stop_all();
    apic_write(APIC_LVT_PERFORMANCE, PMI_VECTOR);
    pmi_global_ctrl = UINT64_MAX;
    count_from(0 - (uint64_t)OVERFLOW_AT, 0, INSTRUCTIONS | INT, kernel_pmi_global);
    expect(pmi_global_ctrl, 0, "legacy freeze: IA32_PERF_GLOBAL_CTRL is 0 after the PMI");
    expect(count_from(0, 0, INSTRUCTIONS, kernel_empty), own_count(0),
           "legacy freeze: a write of IA32_PERF_GLOBAL_CTRL starts counting again");
    run(FREEZE_LBRS, INT);
    expect_running("legacy freeze of the LBRs");
}

static void window_of_three(void)
{
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(0) | BIT(1) | BIT(FIXED(0)), kernel_empty);
}

static void check_streamlined(void)
{
    run(FREEZE_PMCS, INT);
    expect_stopped("streamlined freeze");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 1 | FROZEN, "streamlined freeze: 38Eh[59] is set");
    window_of_three();
    expect(read_counter(1), OVERFLOW_AT, "streamlined freeze: a new window counts nothing");
    expect(read_counter(FIXED(0)), OVERFLOW_AT,
           "streamlined freeze: fixed counter 0 counts nothing either");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, 1);
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), FROZEN, "streamlined freeze: 390h[0] does not thaw");
    window_of_three();
    expect(read_counter(1), OVERFLOW_AT, "streamlined freeze: still frozen after 390h[0]");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, FROZEN);
    window_of_three();
    expect(read_counter(1), OVERFLOW_AT + own_count(0), "streamlined freeze: 390h[59] thaws");
    expect(read_counter(FIXED(0)), OVERFLOW_AT + own_count(0),
           "streamlined freeze: 390h[59] thaws the fixed counters");
    pmi_global_ctrl = 0;
    apic_write(APIC_LVT_PERFORMANCE, PMI_VECTOR);
    count_from(0 - (uint64_t)OVERFLOW_AT, 0, INSTRUCTIONS | INT, kernel_pmi_global);
    expect(pmi_global_ctrl, 1, "streamlined freeze: IA32_PERF_GLOBAL_CTRL keeps its enables");
    run(FREEZE_LBRS, INT);
    expect_running("freeze of the LBRs");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 1 | BIT(LBR_FRZ_BIT), "1D9h[11]: 38Eh[58] is set");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(LBR_FRZ_BIT));
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 1, "390h[58] clears 38Eh[58]");
    run(FREEZE_LBRS | FREEZE_PMCS, INT);
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 1 | FROZEN | BIT(LBR_FRZ_BIT),
           "1D9h[12:11]: both freeze");
}

void test_freeze(void)
{
    run(0, INT);
    expect(pmi_count, 1, "no freeze requested: the PMI comes");
    expect_running("no freeze requested");
    run(FREEZE_PMCS, 0);
    expect(pmi_count, 0, "freeze requested, overflow without INT: no PMI");
    expect_running("freeze requested, overflow without INT");
    if (cpu.version < 4) {
        check_legacy();
    } else {
        check_streamlined();
    }
    wrmsr(IA32_DEBUGCTL, 0);
    stop_all();
    apic_write(APIC_LVT_PERFORMANCE, LVT_MASKED);
}
