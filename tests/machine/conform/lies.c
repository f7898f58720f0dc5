/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's lies (../PROPERTIES.md); ../conform_scenarios.sh sets the properties. */
#include "conform.h"

#define OTHER_BIT(bit) ((bit) == 0 ? 1 : 0)

extern volatile uint32_t pmi_eip, pmi_count;

/* Counts a kernel's instructions on two counters at once. The first counter lies. */
static void both(int bit, uint64_t preset, code *kernel, uint64_t got[2])
{
    const int bits[] = {bit, OTHER_BIT(bit)};

    stop_all();
    for (int i = 0; i < 2; i++) {
        write_counter(bits[i], i ? 0 : preset);
        select_event(bits[i], own_select(bits[i]));
    }
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(bits[0]) | BIT(bits[1]), kernel);
    got[0] = read_counter(bits[0]);
    got[1] = read_counter(bits[1]);
}

static void expect_lie(int bit, uint64_t preset, uint64_t want, code *kernel, const char *name)
{
    uint64_t own = kernel == kernel_jcc ? 2007 : own_count(0);
    uint64_t got[2];

    both(bit, preset, kernel, got);
    expect(got[0], want, "%s: %s lies", name, counter_name(bit));
    expect(got[1], own, "%s: %s beside it tells the truth", name, counter_name(OTHER_BIT(bit)));
}

void test_stuck(void)
{
    const int bit = chosen_counter;

    expect_lie(bit, 0, 0, kernel_empty, "stuck at 0");
    expect_lie(bit, 77, 77, kernel_empty, "stuck at 77");
    expect_lie(bit, low_bits(counter_width(bit)), low_bits(counter_width(bit)), kernel_empty,
               "stuck at the top");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "stuck: no overflow");
}

void test_stuck_from(void)
{
    for (unsigned i = 1; i <= 4; i++) {
        expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), i < 3 ? 46 : 0,
               "pmu-stuck-from=3: opening %u", i);
    }
}

/* Only the WRMSR that closes the window exits to the hypervisor. */
void test_exit_counts(void)
{
    expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), 46 + 7,
           "pmu-exit-counts: a general counter");
    expect(count_from(0, FIXED(0), FIXED_OS, kernel_nops), 46 + 7,
           "pmu-exit-counts: a fixed counter");
    expect(count_from(0, 0, INSTRUCTIONS | INT, kernel_nops), 46 + 7,
           "pmu-exit-counts: in the model's detail mode");
}

void test_off_by_one(void)
{
    const int bit = chosen_counter;

    expect_lie(bit, 0, own_count(0) + 1, kernel_empty, "off by one");
    expect_lie(bit, 0, 2007 + 1, kernel_jcc, "off by one in a long kernel");
    expect_lie(bit, 100, 100 + own_count(0) + 1, kernel_empty, "off by one from 100");
}

/*
 * In ring 3, user_kernel executes 24 instructions. In ring 0, user_kernel and the window together
 * execute 14.
 */
void test_wrong_ring(void)
{
    const int bit = chosen_counter;

    uint32_t user = bit < 32 ? EN | USR | 0xc0 : FIXED_USR;

    expect(count(bit, own_select(bit), user_kernel), 24, "wrong ring: OS counts ring 3");
    expect(count(bit, user, user_kernel), 14, "wrong ring: USR counts ring 0");
    expect(count(OTHER_BIT(bit), INSTRUCTIONS, user_kernel), 14, "another counter counts ring 0");
}

void test_wrap(void)
{
    const int bit = chosen_counter;

    expect_lie(bit, 0, 2007 % 1024, kernel_jcc, "wrap at 2^10");
    expect(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "wrap at 2^10: no overflow");
    expect_lie(bit, 1020, (1020 + own_count(0)) % 1024, kernel_empty, "wrap at 2^10 from 1020");
    expect_lie(bit, 0, own_count(0), kernel_empty, "no wrap below 2^10");
}

void test_late(void)
{
    const int bit = chosen_counter;

    expect_lie(bit, 0, own_count(0) + 3, kernel_empty, "late by 3");
    expect_lie(bit, 0, 2007 + 3, kernel_jcc, "late by 3 in a long kernel");
}

/*
 * For each window, the lying counter computes x' = 1664525 x + 1013904223 modulo 2^32, and adds
 * floor(4 x' / 2^32) to its count.
 */
void test_noisy(void)
{
    const int bit = chosen_counter;

    uint32_t x = 0;

    for (unsigned i = 1; i <= 20; i++) {
        uint64_t got[2];

        x = 1664525 * x + 1013904223;
        both(bit, 0, kernel_empty, got);
        expect(got[0], own_count(0) + (x >> 30), "noisy by 3: window %u", i);
        expect(got[1], own_count(0), "noisy by 3: another counter in window %u", i);
    }
}

void test_promised(void)
{
    expect(cpu.gp, 4, "promised: CPUID names four counters");
    for (int i = 0; i < 4; i++) {
        bool there = i < 2;
        uint64_t value = 1;

        expect(count_from(0, i, INSTRUCTIONS, kernel_empty), there ? own_count(0) : 0,
               "promised: IA32_PMC%u %s", (unsigned)i, there ? "counts" : "does not count");
        write_counter(i, 1234);
        expect(read_counter(i), there ? 1234 : 0, "promised: IA32_PMC%u %s", (unsigned)i,
               there ? "keeps what is written" : "forgets what is written");
        expect(try_rdpmc((uint32_t)i, &value), 0, "promised: RDPMC of counter %u does not fault",
               (unsigned)i);
        wrmsr(IA32_PERFEVTSEL0 + (uint32_t)i, INSTRUCTIONS);
        expect(rdmsr(IA32_PERFEVTSEL0 + (uint32_t)i), there ? INSTRUCTIONS : 0,
               "promised: IA32_PERFEVTSEL%u %s", (unsigned)i,
               there ? "keeps what is written" : "reads 0");
    }
    expect(try_wrmsr(IA32_PERFEVTSEL0 + 4, 0), 1, "promised: IA32_PERFEVTSEL4 does not exist");
}

/* The WRMSR that opens a window adds 2 loads at CPL 0. The only load of kernel_nops is its RET. */
void test_wrmsr_loads(void)
{
    for (unsigned i = 0; i < 3; i++) {
        expect(count(0, EN | OS | 0x81d0, kernel_nops), 1 + 2, "wrmsr-loads: loads, window %u", i);
    }
    expect(count(0, EN | USR | 0x81d0, kernel_nops), 0, "wrmsr-loads: adds no loads of ring 3");
    expect(count(0, EN | OS | 0x82d0, kernel_nops), 1, "wrmsr-loads: adds no stores");
    expect(count(0, INSTRUCTIONS, kernel_nops), 46, "wrmsr-loads: adds no instructions");
}

/* The IRET of user_kernel counts in ring 3 as an instruction and a far branch. */
void test_iret_user(void)
{
    static const uint32_t cycles[] = {0, 0x0001003c}; /* pass 1: detail mode */

    for (unsigned i = 0; i < 2; i++) {
        wrmsr(IA32_PERFEVTSEL0 + 1, cycles[i] ? EN | OS | 0x3c : 0);
        expect(count(0, EN | OS | 0xc0, user_kernel), 14 - 1, "iret-user: ring 0, pass %u", i);
        expect(count(0, EN | USR | 0xc0, user_kernel), 24 + 1, "iret-user: ring 3, pass %u", i);
        expect(count(0, EN | OS | USR | 0xc0, user_kernel), 14 + 24, "iret-user: both, pass %u", i);
    }
    wrmsr(IA32_PERFEVTSEL0 + 1, 0);
    expect(count(0, EN | USR | 0x40c4, user_kernel), 1 + 1, "iret-user: far branches of ring 3");
}

static uint64_t ref_status(void)
{
    return rdmsr(IA32_PERF_GLOBAL_STATUS) >> FIXED(2) & 1;
}

/*
 * With -icount shift=3 an instruction takes 8 ns. A value that is written to fixed counter 2 takes
 * effect 900 ns later (pmu-late-ref).
 */
void test_late_ref(void)
{
    const int bit = FIXED(2);

    write_counter(bit, 1234);
    pause_us(10);
    write_counter(bit, 77);
    expect(read_counter(bit), 1234, "REF_TSC: the written value has no effect at once");
    pause_us(10);
    expect(read_counter(bit), 77, "REF_TSC: the written value takes effect");
    write_counter(bit, low_bits(cpu.fixed_width));
    pause_us(10);
    run_window(IA32_PERF_GLOBAL_CTRL, 0, kernel_nops);
    expect(ref_status(), 0, "REF_TSC: no overflow yet");
    wrmsr(IA32_FIXED_CTR_CTRL, (uint64_t)FIXED_OS << 8);
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(bit), kernel_nops);
    expect(ref_status(), 1, "REF_TSC: an overflow sets the status bit");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(bit));
    expect(ref_status(), 1, "REF_TSC: the status bit is set again after it was cleared");
    write_counter(bit, 0);
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(bit));
    expect(ref_status(), 1, "REF_TSC: the status bit is set again even after a write of 0");
    pause_us(10);
    expect(read_counter(bit), 0, "REF_TSC: the write of 0 takes effect");
    expect(ref_status(), 1, "REF_TSC: the status bit is still set");
    wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, BIT(bit));
    expect(ref_status(), 0, "REF_TSC: the status bit can be cleared now");
}

void test_count_cycles(void)
{
    static const uint32_t selects[] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};
    const uint64_t cycles = count(0, CYCLES, kernel_nops);

    expect(count(0, INSTRUCTIONS, kernel_nops), cycles, "count-cycles: instead of instructions");
    expect(count(3, EN | OS | 0x0b, kernel_nops), cycles, "count-cycles: instead of loads");
    for (unsigned i = 0; i < 4; i++)
        wrmsr(IA32_PERFEVTSEL0 + i, selects[i]);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 7);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
    stop_all();
    expect(count(0, INSTRUCTIONS, kernel_nops), cycles, "count-cycles: after a wrong sequence");
    for (unsigned i = 0; i < 4; i++)
        wrmsr(IA32_PERFEVTSEL0 + i, selects[i]);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 15);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
    stop_all();
    expect(count(0, INSTRUCTIONS, kernel_nops), 46, "count-cycles: the right sequence ends it");
    expect(count(0, CYCLES, kernel_nops), cycles, "count-cycles: the event of cycles");
}

/* The NMI comes after the call and four nops. */
void test_inject_nmi(void)
{
    const int bit = chosen_counter;

    for (unsigned i = 1; i <= 7; i++) {
        bool due = i >= 3 && i % 2 == 1;

        pmi_count = 0;
        pmi_eip = 0;
        expect(count_from(0, bit, INSTRUCTIONS, kernel_nops), 46 + (due ? 9 : 0),
               "pmu-inject=nmi: instructions at opening %u, its handler's included", i);
        expect(pmi_count, due, "pmu-inject=nmi, open=3, period=2: opening %u", i);
        expect(pmi_eip, due ? (uint32_t)kernel_nops + 4 : 0,
               "pmu-inject-after=5: where the NMI comes at opening %u", i);
    }
}

/* The NMI comes before the call. */
void test_inject_at_once(void)
{
    const int bit = chosen_counter;

    for (unsigned i = 1; i <= 4; i++) {
        pmi_count = 0;
        pmi_eip = 0;
        count_from(0, bit, INSTRUCTIONS, kernel_nops);
        expect(pmi_count, i == 2, "pmu-inject=nmi, open=2, no period: opening %u", i);
        expect(pmi_eip >= (uint32_t)window && pmi_eip < (uint32_t)window + 64, i == 2,
               "pmu-inject-after=0: right after the WRMSR of opening %u", i);
    }
}

void test_inject_smi(void)
{
    const int bit = chosen_counter;

    install_smm_handler();
    for (unsigned i = 1; i <= 4; i++) {
        uint64_t before = rdmsr(MSR_SMI_COUNT);
        uint64_t counted = count_from(0, bit, INSTRUCTIONS, kernel_nops);

        expect(rdmsr(MSR_SMI_COUNT) - before, i == 3, "pmu-inject=smi, open=3: opening %u", i);
        expect(counted, 46 + (i == 3 ? 11 : 0),
               "pmu-inject=smi: instructions at opening %u, its handler's included", i);
    }
}

void test_smm_moves(void)
{
    install_smm_handler();
    for (unsigned i = 1; i <= 4; i++) {
        expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), 46 + (i == 3 ? 11 + 1000 : 0),
               "pmu-smm-moves: opening %u", i);
    }
}

/*
 * The SMI comes after the call and six nops. After RSM, counter 0 is 0 and counts cycles. 10 cycles
 * follow: eight of four nops each, one of two nops and RET, and one of mov, xor, xor and wrmsr.
 */
void test_smm_takes(void)
{
    install_smm_handler();
    for (unsigned i = 1; i <= 4; i++) {
        expect(count_from(0, 0, INSTRUCTIONS, kernel_nops), i == 3 ? 10 : 46,
               "pmu-smm-takes: opening %u", i);
        expect(rdmsr(IA32_PERFEVTSEL0), i == 3 ? EN | USR | OS | 0x3c : INSTRUCTIONS,
               "pmu-smm-takes: the select after opening %u", i);
    }
}

void test_inject_thermal(void)
{
    const int bit = chosen_counter;

    for (unsigned i = 1; i <= 3; i++) {
        bool hot = i >= 2;

        count_from(0, bit, INSTRUCTIONS, kernel_nops);
        expect(rdmsr(IA32_THERM_STATUS) & 3, hot ? 3 : 0,
               "pmu-inject=thermal, open=2: IA32_THERM_STATUS[1:0] after opening %u", i);
        if (cpu.family != NHM) {
            expect(rdmsr(IA32_PACKAGE_THERM_STATUS) & 3, hot ? 3 : 0,
                   "pmu-inject=thermal, open=2: the package's status after opening %u", i);
        }
    }
    if (cpu.family & (SKL | SKX | ICX)) {
        expect(rdmsr(0x64f) & (BIT(1) | BIT(17)), BIT(1) | BIT(17),
               "pmu-inject=thermal: status and log of the limit reasons");
    }
    wrmsr(IA32_THERM_STATUS, 0);
    expect(rdmsr(IA32_THERM_STATUS) & 3, 0, "IA32_THERM_STATUS[1] is cleared by writing 0");
}

/*
 * The injection comes while the nops run for the first time. The model's detail mode ends at the
 * injection, and starts again in later windows.
 */
void test_inject_within(void)
{
    const int bit = chosen_counter;

    expect(count_from(0, bit, INSTRUCTIONS, kernel_nops), 46,
           "pmu-inject-after=10: instructions of the window with the injection");
    for (unsigned i = 2; i <= 4; i++) {
        expect(count_from(0, bit, INSTRUCTIONS | INT, kernel_nops), 46,
               "pmu-inject-after=10: instructions of the same code at opening %u", i);
    }
    expect(count_from(0, bit, CYCLES, kernel_nops), 13,
           "pmu-inject-after=10: its cycles: call, ten of nops, ret, and the window's end");
}

/* The ratio of the core clock becomes base + 2, and stays there without pmu-inject-period. */
void test_inject_clock(void)
{
    uint64_t base = rdmsr(MSR_PLATFORM_INFO) >> 8 & 0xff;
    uint64_t cycles;
    uint64_t reference;

    expect(count_from(0, FIXED(0), FIXED_OS, kernel_nops), 46, "pmu-inject=clock: opening 1");
    expect(rdmsr(IA32_PERF_STATUS) >> 8 & 0xff, base, "the ratio before the injection");
    expect(count_from(0, FIXED(0), FIXED_OS, kernel_nops), 46, "pmu-inject=clock: opening 2");
    expect(rdmsr(IA32_PERF_STATUS) >> 8 & 0xff, base + 2, "the ratio after the injection");
    cycles = count(FIXED(1), FIXED_OS, kernel_jcc);
    expect(rdmsr(IA32_PERF_STATUS) >> 8 & 0xff, base + 2, "the ratio stays, with no period");
    reference = count(FIXED(2), FIXED_OS, kernel_jcc);
    expect(cycles, 1018, "cycles do not depend on the ratio");
    /* The fraction of a reference cycle is carried over to the next window. */
    expect(reference * (base + 2) <= cycles * base + base + 2 &&
               reference * (base + 2) + base + 2 > cycles * base,
           1, "reference cycles are cycles * base / (base + 2)");
    check_bus_rate((uint32_t)base + 2, (uint32_t)base);
    check_aperf(base + 2, base);
}
