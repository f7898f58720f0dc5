/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overflow of Nehalem's uncore counters. SDM vol. 3B, "Uncore Performance Monitoring Management
 * Facility": status, clearing, EN_PMI_CORE, PMI_FRZ; "IA32_DEBUGCTL MSR", ENABLE_UNCORE_PMI.
 */
#include "uncore.h"

#define DEBUGCTL_UNCORE BIT(13)
#define STATUS_UNCORE   BIT(61)
#define OVF_PMI         BIT(61)
#define CHG             BIT(63)
#define PMI_FRZ         BIT(63)
#define TOP             ((1ull << 48) - 1)
#define LINES           17u /* lines of one L2 set; it has only 16 ways, so each line misses L2 */

extern volatile uint32_t pmi_count;

static uint32_t place;

static void prepare(uint32_t i, uint64_t value, uint64_t select)
{
    wrmsr(UNCORE_PMC0 + i, value);
    wrmsr(UNCORE_PERFEVTSEL0 + i, UNCORE_EN | 0x0308 | select);
}

static void clean(void)
{
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    for (uint32_t i = 0; i < 8; i++) {
        wrmsr(UNCORE_PERFEVTSEL0 + i, 0);
    }
    wrmsr(UNCORE_FIXED_CTR_CTRL, 0);
    wrmsr(UNCORE_OVF_CTRL, rdmsr(UNCORE_GLOBAL_STATUS));
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, rdmsr(IA32_PERF_GLOBAL_STATUS));
    pmi_count = 0;
    apic_write(APIC_LVT_PERFORMANCE, LVT_NMI);
    kernel_argument[0] = place | LOG2_L2_SPAN;
    kernel_argument[1] = LINES;
}

static void run(uint64_t global)
{
    run_window(UNCORE_GLOBAL_CTRL, global, kernel_read_lines);
}

static void check_status(void)
{
    for (uint32_t i = 0; i < 8; i++) {
        clean();
        prepare(i, TOP - LINES, 0);
        run(BIT(i));
        expect(rdmsr(UNCORE_GLOBAL_STATUS), 0, "counter %u at its top: no overflow", i);
        expect(rdmsr(UNCORE_PMC0 + i), TOP, "counter %u at its top", i);
        prepare(i, TOP - LINES + 1, 0);
        run(BIT(i));
        expect(rdmsr(UNCORE_GLOBAL_STATUS), BIT(i) | CHG, "counter %u beyond its top: status", i);
        expect(rdmsr(UNCORE_PMC0 + i), 0, "counter %u beyond its top", i);
    }
    clean();
    wrmsr(UNCORE_FIXED_CTR0, TOP);
    wrmsr(UNCORE_FIXED_CTR_CTRL, 1);
    run(BIT(32));
    expect(rdmsr(UNCORE_GLOBAL_STATUS), BIT(32) | CHG, "the fixed counter: status");
}

static void check_clear(void)
{
    clean();
    for (uint32_t i = 0; i < 8; i++) {
        prepare(i, TOP, 0);
    }
    run(0xff);
    expect(rdmsr(UNCORE_GLOBAL_STATUS), 0xff | CHG, "eight counters overflow");
    wrmsr(UNCORE_OVF_CTRL, BIT(2) | BIT(5));
    expect(rdmsr(UNCORE_GLOBAL_STATUS), (0xff & ~(BIT(2) | BIT(5))) | CHG,
           "writing 1 to two bits clears them");
    wrmsr(UNCORE_OVF_CTRL, 0);
    expect(rdmsr(UNCORE_GLOBAL_STATUS), (0xff & ~(BIT(2) | BIT(5))) | CHG,
           "writing 0 clears no bit");
    expect(rdmsr(UNCORE_OVF_CTRL), 0, "MSR_UNCORE_PERF_GLOBAL_OVF_CTRL reads 0");
    wrmsr(UNCORE_OVF_CTRL, CHG | 0xff);
    expect(rdmsr(UNCORE_GLOBAL_STATUS), 0, "writing 1 to all bits clears all");
    expect(try_wrmsr(UNCORE_GLOBAL_STATUS, 0), 1, "the status itself is read-only");
}

/* `pmi` says whether PMI is set in the select or in the fixed counter's control. */
static void check_pmi(uint64_t debugctl, uint64_t cores, bool pmi, bool fixed, const char *name)
{
    bool comes = debugctl && cores & BIT(48) && pmi;

    clean();
    wrmsr(IA32_DEBUGCTL, debugctl);
    if (fixed) {
        wrmsr(UNCORE_FIXED_CTR0, TOP);
        wrmsr(UNCORE_FIXED_CTR_CTRL, 1 | (pmi ? 4 : 0));
    } else {
        prepare(0, TOP, pmi ? UNCORE_PMI : 0);
    }
    run(cores | (fixed ? BIT(32) : 1));
    expect(pmi_count, comes, "%s: interrupts", name);
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), comes ? STATUS_UNCORE : 0, "%s: IA32_PERF_GLOBAL_STATUS",
           name);
    expect(rdmsr(UNCORE_GLOBAL_STATUS), (fixed ? BIT(32) : 1) | CHG | (pmi ? OVF_PMI : 0),
           "%s: the uncore's status", name);
    expect(apic_read(APIC_LVT_PERFORMANCE) & LVT_MASKED, comes ? LVT_MASKED : 0,
           "%s: the LVT entry", name);
    wrmsr(IA32_DEBUGCTL, 0);
}

static void check_freeze(uint64_t freeze, uint64_t pmi, const char *name)
{
    bool frozen = freeze && pmi;

    /*
     * A freeze ended detail mode in the middle of an earlier walk, so the last lines of that walk
     * may not be cached.
     */
    walk_lines(place, LOG2_L2_SPAN, LINES, kernel_read_lines);
    clean();
    prepare(0, TOP - 4, pmi); /* overflows at the fifth of 17 lines */
    prepare(1, 0, 0);
    wrmsr(UNCORE_GLOBAL_CTRL, freeze | 3 | BIT(32));
    run_window(UNCORE_PERFEVTSEL0 + 7, 0, kernel_read_lines); /* leaves the counters running */
    expect(rdmsr(UNCORE_GLOBAL_CTRL), freeze | (frozen ? 0 : 3 | BIT(32)), "%s: 391h", name);
    wrmsr(UNCORE_GLOBAL_CTRL, 0);
    expect(rdmsr(UNCORE_PMC0), (frozen ? 5 : LINES) - 5, "%s: the counter that overflows", name);
    expect(rdmsr(UNCORE_PMC0 + 1), frozen ? 5 : LINES, "%s: the next counter", name);
}

void test_uncore_overflow(void)
{
    place = quiet_line(FIELD(12));
    for (int i = 0; i < 4; i++) {
        walk_lines(place, LOG2_L2_SPAN, LINES, kernel_read_lines);
        clean();
        run(1);
    }
    check_status();
    check_clear();
    for (int fixed = 0; fixed < 2; fixed++) {
        const char *const *name = (const char *const[][5]){
            {"a counter's PMI", "without DEBUGCTL", "to no core", "to core 1", "without PMI"},
            {"the clock's PMI", "the clock's without DEBUGCTL", "the clock's to no core",
             "the clock's to core 1", "the clock's without PMI"}}[fixed];

        check_pmi(DEBUGCTL_UNCORE, BIT(48), true, fixed, name[0]);
        check_pmi(0, BIT(48), true, fixed, name[1]);
        check_pmi(DEBUGCTL_UNCORE, 0, true, fixed, name[2]);
        check_pmi(DEBUGCTL_UNCORE, BIT(49), true, fixed, name[3]);
        check_pmi(DEBUGCTL_UNCORE, BIT(48), false, fixed, name[4]);
    }
    check_freeze(PMI_FRZ, UNCORE_PMI, "PMI_FRZ and PMI");
    check_freeze(0, UNCORE_PMI, "PMI without PMI_FRZ");
    check_freeze(PMI_FRZ, 0, "PMI_FRZ without PMI");
    clean();
    apic_write(APIC_LVT_PERFORMANCE, LVT_MASKED);
    stop_all();
}
