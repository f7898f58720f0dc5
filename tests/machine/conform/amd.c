/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD's PMU, with and without PerfMonV2. Sources: AMD64 manual vol. 2, "Performance Monitoring
 * Counters"; vol. 3, appendix E (CPUID); Processor Programming References of families 17h, 19h and
 * 1Ah (events, HWCR, P-states, energy); Linux, arch/x86/kvm/svm/pmu.c (reserved bits are dropped).
 */
#include "amd.h"

#define SELECT_BITS 0x0000030fffd7ffffull
#define PREC_RET_AT 2                 /* the counter whose select may keep bit 43 */
#define GARBAGE     0x5a5a5a5a5a5aull /* value of a counter at reset (../README.md) */

#define BUFFER 0x2000000u /* as in memory.c */
#define LINES  100u

enum generation zen;
static unsigned family;

extern code kernel_read_lines, kernel_fault, kernel_hlt, kernel_locked;

/* The list of Zen 4's models is from Linux's arch/x86/kernel/cpu/amd.c. */
void find_generation(void)
{
    uint32_t signature = cpuid(1, 0).eax;
    unsigned model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);
    bool zen_4 = model >> 4 == 1 || (model >= 0x60 && model <= 0xaf);

    family = (signature >> 8 & 15) + (signature >> 20 & 0xff);
    zen = family < 0x19 ? ZEN : family == 0x19 && !zen_4 ? ZEN_3 : ZEN_4;
}

/* Select 2 keeps bit 43 on Zen 5 (Linux and FreeBSD's hwpmc learn this from CPUID). */
static bool has_prec_ret(void)
{
    return family >= 0x1a;
}

static void check_cpuid(void)
{
    uint32_t highest = cpuid(0x80000000, 0).eax;

    expect(cpuid(10, 0).eax, 0, "CPUID.0AH is empty");
    expect(cpuid(4, 0).eax, 0, "CPUID.04H is empty");
    expect(cpuid(6, 0).ecx & 1, 1, "CPUID.06H:ECX[0]: MPERF and APERF");
    expect(cpuid(0x80000001, 0).ecx >> 23 & 1, 1, "CPUID.8000_0001H:ECX[23]: six counters");
    expect(cpuid(0x80000001, 0).ecx >> 24 & 1, 0, "CPUID.8000_0001H:ECX[24]: no DF counters");
    expect(cpuid(0x80000001, 0).ecx >> 28 & 1, 0, "CPUID.8000_0001H:ECX[28]: no L3 counters");
    expect(cpuid(0x80000007, 0).edx >> 10 & 1, 1, "CPUID.8000_0007H:EDX[10]: C000_00E7H");
    expect(cpuid(0x80000007, 0).ebx >> 3 & 1, 1, "CPUID.8000_0007H:EBX[3]: C000_2000H");
    expect(cpuid(0x80000008, 0).ebx >> 1 & 1, 1, "CPUID.8000_0008H:EBX[1]: C000_00E9H");
    expect(cpuid(0x8000001d, 2).ecx, (uint32_t)chosen_counter, "CPUID.8000_001DH: sets of the L2");
    if (zen != ZEN) {
        expect(cpuid(0x80000021, 0).eax, BIT(2) | BIT(13) | (has_prec_ret() ? BIT(12) : 0),
               "CPUID.8000_0021H:EAX: LFENCE serialises, prefetch control, bit 43");
    }
    expect(highest >= 0x80000022, zen == ZEN_4, "CPUID.8000_0022H exists only on Zen 4 and 5");
    if (zen == ZEN_4) {
        expect(cpuid(0x80000022, 0).eax, 1, "CPUID.8000_0022H:EAX: PerfMonV2 and no more");
        expect(cpuid(0x80000022, 0).ebx, COUNTERS, "CPUID.8000_0022H:EBX: six counters");
    }
}

static void check_reset(void)
{
    for (unsigned i = 0; i < COUNTERS; i++) {
        expect(rdmsr(select_of(i)), 0, "select %u is 0 at reset", i);
        expect(rdmsr(counter_of(i)), GARBAGE, "counter %u is not 0 at reset", i);
    }
    if (zen == ZEN_4) {
        expect(rdmsr(MSR_GLOBAL_CTL), BIT(COUNTERS) - 1, "all counters are enabled at reset");
        expect(rdmsr(MSR_GLOBAL_STATUS), 0, "the status is 0 at reset");
    }
}

void stop(void)
{
    if (zen == ZEN_4) {
        wrmsr(MSR_GLOBAL_CTL, 0);
    }
    for (unsigned i = 0; i < COUNTERS; i++) {
        wrmsr(select_of(i), 0);
    }
    if (zen == ZEN_4) {
        wrmsr(MSR_GLOBAL_STATUS_CLEAR, rdmsr(MSR_GLOBAL_STATUS));
    }
}

uint64_t from(uint64_t preset, unsigned counter, uint64_t select, code *kernel)
{
    stop();
    wrmsr(counter_of(counter), preset);
    if (zen == ZEN_4) {
        wrmsr(select_of(counter), select);
        window(MSR_GLOBAL_CTL, BIT(counter), kernel);
    } else {
        window(select_of(counter), select, kernel);
    }
    return rdmsr(counter_of(counter));
}

uint64_t trained(unsigned counter, uint64_t select, code *kernel)
{
    static code *known;

    for (int i = 0; kernel != known && i < 12; i++) {
        from(0, 0, NOT_HALTED | USR, kernel);
    }
    known = kernel;
    return from(0, counter, select, kernel);
}

/* ---- registers ------------------------------------------------------------------------------ */
static void check_select(unsigned i)
{
    uint64_t kept = 0, faulted = 0, more = i == PREC_RET_AT && has_prec_ret() ? PREC_RET : 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        faulted |= (uint64_t)try_wrmsr(select_of(i), BIT(bit)) << bit;
        kept |= rdmsr(select_of(i)) & BIT(bit);
    }
    wrmsr(select_of(i), 0);
    expect(faulted, 0, "select %u: no bit raises #GP", i);
    expect(kept, SELECT_BITS | more, "select %u drops its reserved bits, and no others", i);
}

static void check_counter_register(unsigned i)
{
    wrmsr(counter_of(i), UINT64_MAX);
    expect(rdmsr(counter_of(i)), TOP, "counter %u has 48 bits", i);
    wrmsr(counter_of(i), 0x80000000);
    expect(rdmsr(counter_of(i)), 0x80000000, "counter %u: bit 31 is not extended", i);
}

static void check_legacy(unsigned i)
{
    wrmsr(MSR_LEGACY_SELECT + i, 0x1f00 + i);
    expect(rdmsr(select_of(i)), 0x1f00 + i, "C001_000%xH is select %u", i, i);
    wrmsr(select_of(i), 0x2e00 + i);
    expect(rdmsr(MSR_LEGACY_SELECT + i), 0x2e00 + i, "select %u is C001_000%xH", i, i);
    wrmsr(MSR_LEGACY_COUNTER + i, BIT(40) + i);
    expect(rdmsr(counter_of(i)), BIT(40) + i, "C001_000%xH is counter %u", LEGACY + i, i);
    wrmsr(counter_of(i), BIT(41) + i);
    expect(rdmsr(MSR_LEGACY_COUNTER + i), BIT(41) + i, "counter %u is C001_000%xH", i, LEGACY + i);
    wrmsr(select_of(i), 0);
}

static void check_absent(uint32_t msr)
{
    uint64_t value;

    expect(try_rdmsr(msr, &value), 1, "MSR %x is not there", msr);
    expect(try_wrmsr(msr, 0), 1, "MSR %x cannot be written", msr);
}

static void check_registers(void)
{
    static const uint32_t intel[] = {IA32_PMC0,
                                     IA32_PERFEVTSEL0,
                                     IA32_FIXED_CTR0,
                                     IA32_PERF_GLOBAL_CTRL,
                                     IA32_PERF_CAPABILITIES,
                                     IA32_PERF_STATUS,
                                     IA32_THERM_STATUS,
                                     MSR_SMI_COUNT};

    for (unsigned i = 0; i < COUNTERS; i++) {
        check_select(i);
        check_counter_register(i);
    }
    for (unsigned i = 0; i < LEGACY; i++) {
        check_legacy(i);
    }
    check_absent(select_of(COUNTERS));
    check_absent(counter_of(COUNTERS));
    for (unsigned i = 0; i < sizeof(intel) / sizeof(intel[0]); i++) {
        check_absent(intel[i]);
    }
    if (zen != ZEN_4) {
        for (uint32_t msr = MSR_GLOBAL_STATUS; msr <= MSR_GLOBAL_STATUS_SET; msr++) {
            check_absent(msr);
        }
        return;
    }
    expect(try_wrmsr(MSR_GLOBAL_STATUS, 0), 1, "the status is read-only");
    wrmsr(MSR_GLOBAL_STATUS_SET, 1);
    expect(rdmsr(MSR_GLOBAL_STATUS_SET), 0, "C000_0303H reads 0 (KVM)");
    expect(rdmsr(MSR_GLOBAL_STATUS_CLEAR), 0, "C000_0302H reads 0 (KVM)");
    wrmsr(MSR_GLOBAL_STATUS_CLEAR, 1);
    expect(try_wrmsr(MSR_GLOBAL_CTL, UINT64_MAX), 0, "no bit of the global control raises #GP");
    expect(rdmsr(MSR_GLOBAL_CTL), BIT(COUNTERS) - 1, "the global control has a bit per counter");
    wrmsr(MSR_GLOBAL_CTL, 0);
    expect(try_wrmsr(MSR_GLOBAL_STATUS_SET, UINT64_MAX), 0, "no bit of C000_0303H raises #GP");
    expect(rdmsr(MSR_GLOBAL_STATUS), BIT(COUNTERS) - 1, "C000_0303H sets the bits of counters");
    for (unsigned i = 0; i < COUNTERS; i++) {
        wrmsr(MSR_GLOBAL_STATUS_CLEAR, BIT(i));
        expect(rdmsr(MSR_GLOBAL_STATUS), BIT(COUNTERS) - BIT(i + 1), "C000_0302H clears bit %u", i);
    }
}

static void check_rdpmc(void)
{
    uint64_t value;

    for (unsigned i = 0; i < COUNTERS; i++) {
        wrmsr(counter_of(i), BIT(47) + i);
        expect(try_rdpmc(i, &value), 0, "RDPMC %u is valid", i);
        expect(value, BIT(47) + i, "RDPMC reads counter %u", i);
    }
    expect(try_rdpmc(COUNTERS, &value), 1, "RDPMC 6 raises #GP");
    expect(try_rdpmc(10, &value), 1, "RDPMC 10 raises #GP, as there are no L3 counters");
    expect(try_rdpmc(BIT(30), &value), 1, "RDPMC knows no fixed counters");
}

/* ---- counting ------------------------------------------------------------------------------- */
#define C(name)     (1u << COL_##name)
#define CONDITIONAL (C(TAKEN) | C(NOT_TAKEN))
#define ALL_TAKEN                                                                                  \
    (C(TAKEN) | C(JUMP) | C(INDIRECT) | C(CALL) | C(INDIRECT_CALL) | C(RETURN) | C(FAR))
#define MISP_TAKEN (C(MISPREDICTED_INDIRECT) | C(MISPREDICTED_RETURN))

/* Columns that only more_than() counts; the kernels of kernels.asm do not declare them. */
#define TRANSFERS  (1u << COLUMNS)
#define INTERRUPTS (1u << (COLUMNS + 1))
#define LOCKS      (1u << (COLUMNS + 2))

static const struct {
    uint64_t event; /* bits 35:32 are bits 11:8 of the event's number */
    uint32_t columns;
    unsigned generations;
    const char *name;
} events[] = {
    {0xc0, C(INSTRUCTIONS), ZENS, "instructions"},
    {0x76, C(CYCLES), ZENS, "cycles"},
    {0x100000120, C(CYCLES), ZEN_4, "P0 cycles"}, /* the clock is at the base ratio */
    {0xc2, ALL_TAKEN | C(NOT_TAKEN) | TRANSFERS, ZENS, "branches"},
    {0xc3, MISP_TAKEN | C(MISPREDICTED_NOT_TAKEN), ZENS, "mispredicted branches"},
    {0xc4, ALL_TAKEN | TRANSFERS, ZENS, "taken branches, far ones too"},
    {0xc5, MISP_TAKEN, ZENS, "mispredicted taken branches"},
    {0xc6, C(FAR) | TRANSFERS, ZENS, "far transfers"},
    {0x2c, INTERRUPTS, ZEN | ZEN_3, "interrupts taken"},
    {0x012c, INTERRUPTS, ZEN_4, "interrupts taken"},
    {0x2b, 0, ZENS, "SMIs, of which there are none,"},
    {0x0825, LOCKS, ZENS, "locked instructions that ran ahead"},
    {0xc8, C(RETURN), ZENS, "near returns"},
    {0xc9, C(MISPREDICTED_RETURN), ZENS, "mispredicted near returns"},
    {0xd1, CONDITIONAL, ZENS, "conditional branches"},
    {0xd2, C(MISPREDICTED_NOT_TAKEN), ZEN, "mispredicted conditional branches"},
    {0x1000000c7, C(MISPREDICTED_NOT_TAKEN), ZEN_3 | ZEN_4, "branches in the wrong direction"},
    {0x0529, C(LOAD), ZENS, "loads"},
    {0x0629, C(STORE), ZENS, "stores"},
    {0x1000000c0, 0, ZENS, "event 1C0H, which is none,"},
    {0x0120, 0, ZENS, "event 20H, which is none without bit 32,"},
};

/*
 * "fault" takes an exception, "hlt" takes an interrupt, and "locked" contains four instructions
 * with a LOCK prefix.
 */
static uint64_t more_than(const struct kernel *kernel, uint32_t columns)
{
    uint64_t fault = kernel->entry == kernel_fault, hlt = kernel->entry == kernel_hlt;

    return (columns & TRANSFERS ? fault + hlt : 0) + (columns & INTERRUPTS ? hlt : 0) +
           (columns & LOCKS && kernel->entry == kernel_locked ? 4 : 0);
}

/* The bit INT makes the model follow each instruction, as in check_kernel() of counting.c. */
static void check_events(const struct kernel *kernel)
{
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        bool there = events[i].generations & zen;
        uint64_t want = there ? expected(kernel->count, events[i].columns) +
                                    more_than(kernel, events[i].columns)
                              : 0;
        uint64_t select = EN | OS | events[i].event;
        const char *no = there ? "" : "nothing, not ";

        expect(trained(0, select, kernel->entry), want, "%llx counts %s%s of \"%s\"",
               events[i].event, no, events[i].name, kernel->name);
        expect(trained(0, select | INT, kernel->entry), want,
               "%llx counts %s%s of \"%s\", with INT", events[i].event, no, events[i].name,
               kernel->name);
    }
}

/*
 * Walks over lines that are in no cache. The first window brings the line of the stack into the
 * cache.
 */
static void check_fills(void)
{
    static const struct {
        uint32_t event;
        enum generation generation;
    } fills[] = {{0x5b43, ZEN}, {0x5f44, ZEN_3}, {0xdf44, ZEN_4}};

    from(0, 0, NOT_HALTED, kernel_empty);
    for (unsigned i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        uint64_t select = EN | OS | fills[i].event;

        kernel_argument[0] = (BUFFER + i * LINES * 64) | 6;
        kernel_argument[1] = LINES;
        expect(from(0, 0, select, kernel_read_lines), fills[i].generation == zen ? LINES : 0,
               "event %x counts lines that come into the data cache", fills[i].event);
        expect(from(0, 0, select, kernel_read_lines), 0, "event %x does not count cached lines",
               fills[i].event);
    }
}

static void check_counters(void)
{
    for (unsigned i = 1; i < COUNTERS; i++) {
        expect(trained(i, EN | OS | 0xc2, kernel_jcc), 1002, "counter %u counts branches", i);
    }
    if (zen == ZEN_4) {
        stop();
        wrmsr(counter_of(5), 0);
        wrmsr(select_of(5), RETIRED);
        window(MSR_GLOBAL_CTL, BIT(4), kernel_empty);
        expect(rdmsr(counter_of(5)), 0, "without its bit in the global control nothing counts");
        wrmsr(select_of(5), OS | 0xc0);
        window(MSR_GLOBAL_CTL, BIT(5), kernel_empty);
        expect(rdmsr(counter_of(5)), 0, "without EN nothing counts");
    }
}

/* For the instructions and cycles of user_kernel see counting.c. */
static void check_rings(void)
{
    expect(trained(0, EN | USR | 0xc0, user_kernel), 24, "USR alone counts ring 3");
    expect(trained(0, EN | OS | 0xc0, user_kernel), 9 + 5, "OS alone counts ring 0");
    expect(trained(0, EN | OS | USR | 0xc0, user_kernel), 9 + 5 + 24, "USR and OS count both");
    expect(trained(0, EN | 0xc0, user_kernel), 0, "with neither USR nor OS nothing counts");
    expect(trained(0, EN | USR | 0x76, user_kernel), 27, "USR alone counts cycles of ring 3");
    expect(trained(0, EN | USR | 0xc6, user_fault_kernel), 2, "USR alone counts #DE and INT");
    expect(trained(0, EN | OS | 0xc6, user_fault_kernel), 2, "OS alone counts both IRETs");
    expect(trained(0, EN | USR | 0xc0, user_fault_kernel), 3, "an exception is no instruction");
}

static void check_svm(void)
{
    uint64_t efer = rdmsr(MSR_EFER), n = from(0, 0, RETIRED, kernel_empty);

    expect(from(0, 0, RETIRED | GUEST_ONLY, kernel_empty), 0, "GuestOnly without SVM: nothing");
    expect(from(0, 0, RETIRED | HOST_ONLY, kernel_empty), 0, "HostOnly without SVM: nothing");
    expect(from(0, 0, RETIRED | GUEST_ONLY | HOST_ONLY, kernel_empty), n,
           "GuestOnly and HostOnly without SVM: everything");
    wrmsr(MSR_EFER, efer | SVME);
    expect(from(0, 0, RETIRED | GUEST_ONLY, kernel_empty), 0, "GuestOnly does not count a host");
    expect(from(0, 0, RETIRED | HOST_ONLY, kernel_empty), n, "HostOnly counts a host");
    wrmsr(MSR_EFER, efer);
}

/* For the cycles of the kernels see cycles.c. */
static void check_cycles(void)
{
    expect(trained(0, RETIRED | CMASK(4), kernel_nops), 11, "CntMask 4 over \"nops\"");
    expect(trained(0, RETIRED | CMASK(5), kernel_nops), 0, "CntMask 5 over \"nops\"");
    expect(trained(0, RETIRED | INV, kernel_nops), 46, "INV without CntMask is ignored");
    expect(trained(0, RETIRED | INV | CMASK(2), kernel_nops), 2, "INV inverts CntMask 2");
    expect(trained(0, RETIRED | EDGE | CMASK(2), kernel_nops), 2, "EDGE of CntMask 2");
    expect(trained(0, RETIRED | EDGE, kernel_jcc), 2, "EDGE without CntMask");
}

/* ---- overflow ------------------------------------------------------------------------------- */
static void check_wrap(unsigned i)
{
    uint64_t n = from(0, i, RETIRED, kernel_empty);

    expect(from((0 - n) & TOP, i, RETIRED, kernel_empty), 0, "counter %u wraps at -N", i);
    if (zen == ZEN_4) {
        expect(rdmsr(MSR_GLOBAL_STATUS), BIT(i), "counter %u sets its bit without INT", i);
        wrmsr(MSR_GLOBAL_STATUS_CLEAR, 0x3f & ~BIT(i));
        expect(rdmsr(MSR_GLOBAL_STATUS), BIT(i), "other bits do not clear that of counter %u", i);
    }
    expect(from((0 - n - 1) & TOP, i, RETIRED, kernel_empty), TOP, "counter %u reaches its top", i);
    if (zen == ZEN_4) {
        expect(rdmsr(MSR_GLOBAL_STATUS), 0, "counter %u does not overflow at its top", i);
    }
    expect(from(UINT32_MAX, i, RETIRED, kernel_empty), UINT32_MAX + n,
           "counter %u carries to bit 32", i);
}

extern code kernel_pmi, pmi_nops;
extern volatile uint32_t pmi_eip, pmi_lvt, pmi_count;

/*
 * The comments of pmi.c explain the numbers. On AMD the interrupt does not mask the LVT entry
 * (Linux, arch/x86/events/amd/core.c, never unmasks it).
 */
static void check_pmi(const char *how, uint32_t entry)
{
    pmi_count = 0;
    apic_write(APIC_LVT_PERFORMANCE, entry);
    from((0 - 7ull) & TOP, 0, RETIRED | INT, kernel_pmi);
    expect(pmi_count, 1, "%s: an overflow interrupts once", how);
    expect(pmi_eip, (uint32_t)pmi_nops + 5, "%s: before the next instruction", how);
    expect(pmi_lvt, entry, "%s: the LVT entry is not masked in the handler", how);
    from((0 - 7ull) & TOP, 0, RETIRED | INT, kernel_pmi);
    expect(pmi_count, 2, "%s: the next overflow interrupts too", how);
    from((0 - 7ull) & TOP, 0, RETIRED, kernel_pmi);
    expect(pmi_count, 2, "%s: without INT there is no interrupt", how);
    apic_write(APIC_LVT_PERFORMANCE, entry | LVT_MASKED);
    from((0 - 7ull) & TOP, 0, RETIRED | INT, kernel_pmi);
    expect(pmi_count, 2, "%s: a masked entry never interrupts", how);
}

/*
 * While LS_CFG[54] is 0, locked instructions run ahead: they execute before older instructions
 * retire. The source of this rule is the debugger rr (../README.md).
 */
static void check_locks(void)
{
    const uint64_t select = EN | OS | 0x0825;

    wrmsr(MSR_LS_CFG, BIT(54));
    expect(from(0, 0, select, kernel_locked), 0,
           "no locked instruction runs ahead with LS_CFG[54]");
    wrmsr(MSR_LS_CFG, 0);
    expect(from(0, 0, select, kernel_locked), 4, "all four run ahead without LS_CFG[54]");
    expect(from(0, 0, RETIRED | INT, kernel_locked), 12, "running ahead adds no instructions");
}

/* ---- other MSRs ----------------------------------------------------------------------------- */
/* Writes each bit in turn, together with the bits in `must`. Returns the bits that can be set. */
static uint64_t kept_bits(uint32_t msr, uint64_t must)
{
    uint64_t before = rdmsr(msr), kept = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        if (!try_wrmsr(msr, BIT(bit) | must)) {
            kept |= rdmsr(msr) & BIT(bit);
        }
    }
    wrmsr(msr, before);
    return kept;
}

/*
 * This function is not inlined, so that there are always the same instructions between the two
 * reads.
 */
static __attribute__((noinline)) uint64_t irperf_ahead(void)
{
    uint64_t irperf = rdmsr(MSR_IRPERF);

    return irperf - rdmsr(counter_of(0));
}

static void check_irperf(void)
{
    uint64_t before, ahead;

    wrmsr(MSR_IRPERF, UINT64_MAX);
    expect(rdmsr(MSR_IRPERF), TOP, "C000_00E9H has 48 bits");
    wrmsr(MSR_IRPERF, 1000);
    kernel_jcc();
    expect(rdmsr(MSR_IRPERF), 1000, "C000_00E9H stands still without HWCR[30]");
    wrmsr(counter_of(0), 0);
    wrmsr(select_of(0), RETIRED | USR);
    if (zen == ZEN_4) {
        wrmsr(MSR_GLOBAL_CTL, 1);
    }
    wrmsr(MSR_HWCR, BIT(30) | BIT(4));
    ahead = irperf_ahead();
    kernel_jcc();
    user_kernel();
    expect(irperf_ahead(), ahead, "C000_00E9H counts instructions of both rings");
    wrmsr(MSR_HWCR, BIT(4));
    before = rdmsr(MSR_IRPERF);
    kernel_jcc();
    expect(before > 1000 + 2002, 1, "C000_00E9H keeps its count");
    expect(rdmsr(MSR_IRPERF), before, "C000_00E9H stops without HWCR[30]");
    stop();
}

static void check_state(void)
{
    unsigned base = zen == ZEN_4 ? 24 : 22; /* in 100 MHz: ../PROPERTIES.md */
    uint32_t pstate = (uint32_t)rdmsr(MSR_PSTATE_0);
    uint64_t before, after;

    expect(rdmsr(MSR_PSTATE_0) >> 63, 1, "P-state 0 is enabled");
    expect(family >= 0x1a ? (pstate & 0xfff) * 5 : (pstate & 0xff) * 200 / (pstate >> 8 & 0x3f),
           base * 100, "the frequency of P-state 0 in MHz");
    expect(rdmsr(MSR_HWCR), BIT(24) | BIT(4), "HWCR at reset: TscFreqSel, INVDWBINVD");
    check_irperf();
    expect(kept_bits(MSR_HWCR, BIT(4)), 0x4f040010, "HWCR keeps IRPerfEn, CpbDis and others");
    expect(try_wrmsr(MSR_HWCR, BIT(25)), 1, "HWCR: INVDWBINVD cannot be cleared");
    wrmsr(MSR_HWCR, BIT(4));
    expect(rdmsr(MSR_HWCR), BIT(27) | BIT(24) | BIT(4),
           "HWCR: TscFreqSel is read-only, and EffFreqReadOnlyLock stays");
    expect(try_wrmsr(MSR_IRPERF, 0), 1, "EffFreqReadOnlyLock makes C000_00E9H read-only");
    expect(kept_bits(IA32_DEBUGCTL, 0), 3, "DebugCtl keeps LBR and BTF");
    expect(rdmsr(MSR_PSTATE_LIMIT), 0, "the limit is P-state 0");
    expect(kept_bits(MSR_PSTATE_CONTROL, 0), 7, "the P-state control has three bits");
    expect(rdmsr(MSR_POWER_UNIT) >> 8 & 31, 16, "the unit of energy is 2^-16 J");
    for (uint32_t i = 0; i < 2; i++) {
        before = rdmsr(MSR_CORE_ENERGY + i);
        pause_us(1000);
        after = rdmsr(MSR_CORE_ENERGY + i);
        expect((uint32_t)(after - before) > 0, 1, "the %s uses energy", i ? "package" : "core");
    }
    expect(try_wrmsr(MSR_PACKAGE_ENERGY, 0), 1, "energy of the package is read-only");
    expect(try_wrmsr(MSR_CORE_ENERGY, 0), 1, "energy of the core is read-only");
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t low = rdmsr(IA32_MPERF + i), alias = rdmsr(MSR_MPERF_READ_ONLY + i);

        expect(low <= alias && alias <= rdmsr(IA32_MPERF + i), 1, "C000_00E%xH is MSR E%xH", 7 + i,
               7 + i);
        expect(try_wrmsr(MSR_MPERF_READ_ONLY + i, 0), 1, "C000_00E%xH is read-only", 7 + i);
    }
    expect(kept_bits(MSR_LS_CFG, 0) >> 54 & 1, 1, "LS_CFG keeps bit 54");
    expect(kept_bits(MSR_DE_CFG, 0) >> 1 & 1, 1, "DE_CFG keeps bit 1");
    if (zen != ZEN) {
        expect(kept_bits(MSR_PREFETCH_CONTROL, 0), 0x2f, "five prefetchers can be turned off");
    } else {
        check_absent(MSR_PREFETCH_CONTROL);
    }
}

/* AMD64 manual vol. 2, "Scalable MCA" and "MCi_STATUS" (McStatusWrEn) */
static void check_bank(unsigned i)
{
    const uint32_t smca = MSR_SMCA + 16 * i, old = IA32_MC0_CTL + 4 * i;

    wrmsr(smca + 2, 0x123456789000 + i);
    expect(rdmsr(old + 2), 0x123456789000 + i, "bank %u: its old address register", i);
    wrmsr(old + 3, BIT(40) + i);
    expect(rdmsr(smca + 3), BIT(40) + i, "bank %u: its new MISC0", i);
    expect(try_wrmsr(smca + 1, 1), 1, "bank %u: its new status refuses an error", i);
    expect(try_wrmsr(old + 1, 1), 1, "bank %u: its old status refuses an error", i);
    expect(try_wrmsr(smca + 8, 1), 1, "bank %u: its deferred status refuses an error", i);
    expect(try_wrmsr(smca + 1, 0), 0, "bank %u: its status can be cleared", i);
    wrmsr(MSR_HWCR, BIT(18) | BIT(4));
    expect(try_wrmsr(old + 1, BIT(63)), 0,
           "bank %u: with McStatusWrEn an error is written to its old status", i);
    expect(rdmsr(smca + 1), BIT(63), "bank %u: its new status shows the error", i);
    wrmsr(smca + 1, 0);
    wrmsr(MSR_HWCR, BIT(4));
    wrmsr(smca + 4, BIT(32) | i);
    expect(rdmsr(smca + 4), BIT(32) | i, "bank %u: CONFIG keeps what is written", i);
    expect(try_wrmsr(smca + 5, 0), 1, "bank %u: IPID is read-only", i);
    check_absent(smca + 7);
}

static void check_banks(void)
{
    const unsigned banks = rdmsr(IA32_MCG_CAP) & 0xff;

    check_bank(0);
    check_bank(banks - 1);
    check_absent(MSR_SMCA + 16 * banks);
}

/* The scenario's argument (chosen_counter) is the number of sets of the L2, minus one. */
void test_amd_left_running(void)
{
    find_generation();
    check_cpuid();
    expect(rdmsr(select_of(0)), 0x4300c0, "left running: select 0");
    expect((uint32_t)(rdmsr(counter_of(0)) - GARBAGE) >= 1000, 1, "the firmware was counted");
    if (zen == ZEN_4) {
        expect(rdmsr(MSR_GLOBAL_CTL), 1, "left running: the global control");
    }
}

/* pmu-gp=4: four counters, with legacy MSR numbers only, as in some KVM guests. */
void test_amd_legacy(void)
{
    uint64_t value = 0;

    find_generation();
    expect(cpuid(0x80000001, 0).ecx >> 23 & 1, 0, "CPUID.8000_0001H:ECX[23]: four counters");
    check_absent(MSR_SELECT);
    check_absent(MSR_COUNTER);
    for (unsigned i = 0; i < LEGACY; i++) {
        wrmsr(MSR_LEGACY_COUNTER + i, 0);
        window(MSR_LEGACY_SELECT + i, RETIRED, kernel_empty);
        expect(rdmsr(MSR_LEGACY_COUNTER + i), 6, "legacy counter %u counts", i);
    }
    expect(try_rdpmc(LEGACY, &value), 1, "RDPMC 4 raises #GP");
}

void test_amd(void)
{
    find_generation();
    check_cpuid();
    check_reset();
    check_fills(); /* needs empty caches */
    check_registers();
    check_rdpmc();
    for (const struct kernel *kernel = kernels; kernel != kernels_end; kernel++) {
        check_events(kernel);
    }
    check_counters();
    check_rings();
    check_svm();
    check_cycles();
    for (unsigned i = 0; i < COUNTERS; i++) {
        check_wrap(i);
    }
    check_pmi("PMI", PMI_VECTOR);
    check_pmi("PMI as NMI", LVT_NMI);
    check_locks();
    stop();
    check_state();
    check_banks();
}
