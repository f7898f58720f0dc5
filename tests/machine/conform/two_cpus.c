/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second CPU: its own counts, ANY, and CPUs that hang or do not start. SDM vol. 3B,
 * "Architectural Performance Monitoring Version 3" (AnyThread).
 */
#include "two_cpus.h"

#define TRAMPOLINE  ((uint8_t *)0x8000)
#define INIT_OTHERS 0xc4500u
#define SIPI_OTHERS (0xc4600u | 8)
#define LONG_LOOPS  25000000u
#define NMI_OTHERS  0xc4400u

extern const uint8_t trampoline[], trampoline_end[];
extern volatile uint32_t ap_asleep, ipi_done;
extern code ap_sleep, kernel_long, kernel_read_running, kernel_wake_other;
extern volatile uint32_t running[2];

extern volatile uint32_t pmi_count;

void ap_main(void);

static void (*volatile ap_job)(void);
static volatile uint32_t ap_starts;
volatile uint32_t ap_ends, ap_at_gate, gate_open;
volatile uint64_t ap_count[2];

void ap_main(void)
{
    ap_starts++;
    ap_job();
    ap_ends++;
}

void start_ap(void (*job)(void))
{
    for (const uint8_t *from = trampoline; from != trampoline_end; from++) {
        TRAMPOLINE[from - trampoline] = *from;
    }
    ap_job = job;
    apic_write(APIC_ICR, INIT_OTHERS);
    pause_us(2000);
    apic_write(APIC_ICR, SIPI_OTHERS);
}

bool wait_for(const volatile uint32_t *counter, uint32_t before)
{
    for (int i = 0; i < 5000 && *counter == before; i++) {
        pause_us(1000);
    }
    return *counter != before;
}

void wait_at_gate(void)
{
    ap_at_gate = 1;
    while (!gate_open) {
        __asm__ volatile("pause");
    }
}

static void count_long(void)
{
    wait_at_gate();
    ap_count[0] = count_from(0, 0, INSTRUCTIONS, kernel_long);
}

static void count_empty(void)
{
    ap_count[0] = count_from(0, 0, INSTRUCTIONS, kernel_empty);
}

/*
 * SDM vol. 3A, "IA-32 Processor States Following Power-up, Reset, or INIT": INIT does not change
 * the PMU's registers.
 */
static void look_after_init(void)
{
    ap_count[1] = rdmsr(IA32_PERFEVTSEL0) << 32 | rdmsr(IA32_PERF_GLOBAL_CTRL);
    count_long();
}

static void start_cycles(void)
{
    stop_all();
    write_counter(0, 0);
    select_event(0, CYCLES);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
}

/* One cycle is between the two reads: call xor | rdpmc mov | rdpmc, where | ends a cycle. */
static void read_cycles(void)
{
    kernel_read_running();
    ap_count[0] = running[1] - running[0];
    stop_all();
}

/*
 * The second CPU hangs when it opens its second window. Before that, both CPUs measure at the same
 * time, which ../conform_scenarios.sh checks in the trace.
 */
void test_hang(void)
{
    uint64_t own;

    start_ap(count_long);
    if (!wait_for(&ap_at_gate, 0)) {
        give_up("the second CPU does not start");
    }
    gate_open = 1;
    own = count_from(0, 0, INSTRUCTIONS, kernel_long);
    expect(own, 5 + 2 + 2 * LONG_LOOPS, "the boot CPU counts its own instructions alone");
    expect(wait_for(&ap_ends, 0), 1, "the second CPU answers");
    expect(ap_count[0], 5 + 2 + 2 * LONG_LOOPS, "the second CPU counts its own instructions alone");
    start_ap(count_empty);
    expect(wait_for(&ap_starts, 1), 1, "the second CPU starts once more");
    pause_us(200000);
    expect(ap_ends, 1, "pmu-hang-open=2: the second CPU hangs at its second opening");
    apic_write(APIC_ICR, NMI_OTHERS);
    pause_us(20000);
    expect(ap_ends, 1, "an NMI does not free the second CPU");
    start_ap(look_after_init);
    expect(wait_for(&ap_ends, 1), 1, "INIT revives the second CPU");
    expect(ap_count[1], (uint64_t)INSTRUCTIONS << 32 | 1, "INIT keeps selects and enables");
    expect(ap_count[0], 5 + 2 + 2 * LONG_LOOPS, "after INIT the second CPU counts correctly");
    start_ap(start_cycles);
    expect(wait_for(&ap_ends, 2), 1, "the second CPU starts to count cycles");
    start_ap(read_cycles);
    expect(wait_for(&ap_ends, 3), 1, "the second CPU answers after an INIT");
    expect(ap_count[0], 1, "after an INIT the second CPU still counts cycles");
}

static void do_nothing(void)
{
}

/*
 * The second CPU ignores its second start. The model does not count starts before the first write
 * to a PMU register.
 */
void test_deaf(void)
{
    static const bool answers[] = {true, false, true, true};

    start_ap(do_nothing);
    expect(wait_for(&ap_ends, 0), 1, "pmu-deaf-sipi=2: a start before the PMU is used is heard");
    stop_all();
    for (unsigned i = 0; i < sizeof(answers); i++) {
        uint32_t before = ap_ends;

        start_ap(do_nothing);
        if (answers[i]) {
            expect(wait_for(&ap_ends, before), 1, "pmu-deaf-sipi=2: start %u is heard", i + 1);
        } else {
            pause_us(100000);
            expect(ap_ends, before, "pmu-deaf-sipi=2: start %u is not heard", i + 1);
        }
    }
}

/* Reads the APIC to check that the stopped CPU does not block accesses to devices. */
static void await_nmi(void)
{
    ap_at_gate = 1;
    while (pmi_count == 0) {
        apic_read(APIC_LVT_PERFORMANCE);
        ap_count[0]++;
    }
    ap_count[1] = __builtin_ia32_rdtsc();
}

/*
 * The rate of the TSC is known only roughly, so the test accepts a delay as short as a sixth of
 * pmu-slow-us.
 */
void test_slow(void)
{
    uint64_t start = __builtin_ia32_rdtsc(), least, slow, turns;

    pause_us(1000000);
    least = __builtin_ia32_rdtsc() - start;
    start_ap(await_nmi);
    if (!wait_for(&ap_at_gate, 0)) {
        give_up("the second CPU does not start");
    }
    turns = ap_count[0];
    start = __builtin_ia32_rdtsc();
    apic_write(APIC_ICR, NMI_OTHERS);
    slow = __builtin_ia32_rdtsc() - start;
    expect(slow >= least, 1, "pmu-slow-cpu=0: sending an NMI takes a long time");
    expect(wait_for(&ap_ends, 0), 1, "the NMI comes");
    expect(ap_count[1] - start >= least, 1, "the NMI comes at the end of that time");
    expect(ap_count[0] - turns > 1000, 1, "the other CPU has continued meanwhile");
    start = __builtin_ia32_rdtsc();
    start_ap(do_nothing); /* with a pause of 2 ms */
    expect(2 * (__builtin_ia32_rdtsc() - start) < slow, 1, "other interrupts are sent at once");
}

static volatile uint32_t monitored;

static void wait_for_store(void)
{
    ap_at_gate++;
    while (!monitored) {
        __asm__ volatile("monitor" : : "a"(&monitored), "c"(0), "d"(0));
        __asm__ volatile("mwait" : : "a"(0), "c"(0));
    }
}

/* An NMI ends the CPU's MWAIT, but a store does not. */
void test_asleep(void)
{
    start_ap(wait_for_store);
    if (!wait_for(&ap_at_gate, 0)) {
        give_up("the second CPU does not start");
    }
    pause_us(20000);
    monitored = 1;
    expect(wait_for(&ap_ends, 0), 0, "pmu-asleep-cpu=1: a store does not end its MWAIT");
    apic_write(APIC_ICR, NMI_OTHERS);
    expect(wait_for(&ap_ends, 0), 1, "pmu-asleep-cpu=1: an NMI ends its MWAIT");
}

/*
 * Returns the count of counter `with`, which has `select`, minus the count of counter `without`,
 * which has its own_select().
 */
static uint64_t more(int with, uint32_t select, int without)
{
    uint32_t before = ap_asleep;

    start_ap(ap_sleep);
    if (!wait_for(&ap_asleep, before)) {
        give_up("the second CPU does not sleep");
    }
    pause_us(20000);
    stop_all();
    ipi_done = 0;
    write_counter(with, 0);
    write_counter(without, 0);
    select_event(with, select);
    select_event(without, own_select(without));
    run_window(IA32_PERF_GLOBAL_CTRL, BIT(with) | BIT(without), kernel_wake_other);
    return read_counter(with) - read_counter(without);
}

/*
 * For versions 3 and 4, which have ANY. With -smp 2,threads=2 the other CPU is a sibling. With
 * -smp 2,cores=2 the other CPU is on another core.
 */
static void check_any(uint64_t sibling, const char *who)
{
    expect(more(0, INSTRUCTIONS, 1), 0, "without ANY, %s is not counted", who);
    expect(more(0, INSTRUCTIONS | ANY, 1), sibling, "with ANY, IA32_PMC0 counts %s", who);
    expect(more(1, INSTRUCTIONS | ANY, 0), sibling, "with ANY, IA32_PMC1 counts %s", who);
    expect(more(0, (INSTRUCTIONS & ~OS) | USR | ANY, 1) + read_counter(1), 0,
           "with ANY and USR alone, ring 0 of %s is not counted", who);
    expect(more(FIXED(0), FIXED_OS, 0), 0, "without ANY, fixed counter 0 does not count %s", who);
    expect(more(FIXED(0), FIXED_OS | FIXED_ANY, 0), sibling, "with ANY, fixed counter 0 counts %s",
           who);
}

/*
 * ANY counts all instructions of a sibling's long kernel, even if this CPU reads counters
 * meanwhile.
 */
static void check_any_busy(bool sibling, const char *who)
{
    uint64_t value;

    start_ap(count_long);
    if (!wait_for(&ap_at_gate, 0)) {
        give_up("the second CPU does not start");
    }
    stop_all();
    write_counter(0, 0);
    write_counter(1, 0);
    select_event(0, INSTRUCTIONS | ANY);
    select_event(1, INSTRUCTIONS);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 3);
    gate_open = 1;
    for (uint32_t i = 0; i < 100000000 && ap_ends == 0; i++) {
        try_rdpmc(0, &value);
    }
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
    expect(ap_ends, 1, "%s ends while it is counted", who);
    expect(read_counter(0) - read_counter(1) >= 2 * LONG_LOOPS, sibling,
           "with ANY, nothing of %s is lost while counters are read", who);
}

void test_siblings(void)
{
    struct leaf topology = cpuid(11, 0);
    bool sibling = topology.ebx > 1;
    const char *who = sibling ? "the sibling" : "a CPU of another core";

    check_any_busy(sibling, who);
    check_any(sibling ? IPI_INSTRUCTIONS : 0, who);
}

/* CPUID values of the second CPU, which is a core of type 20h in a hybrid. */
static volatile uint32_t other_type, other_gp, other_fixed, other_hybrid;

static void look_and_count(void)
{
    read_cpu(); /* from now on `cpu` describes the second CPU; the boot CPU waits */
    other_hybrid = cpuid(7, 0).edx >> 15 & 1;
    other_type = cpuid(0x1a, 0).eax >> 24;
    other_gp = cpuid(10, 0).eax >> 8 & 0xff;
    other_fixed = cpuid(10, 0).edx & 31;
    ap_count[0] = count_from(0, 5, INSTRUCTIONS, kernel_empty);
    ap_count[1] = (uint64_t)try_rdmsr(IA32_PERFEVTSEL0 + 6, &(uint64_t){0});
}

void test_hybrid(void)
{
    expect(cpuid(7, 0).edx >> 15 & 1, 1, "CPUID.07H:EDX[15]: the machine is a hybrid");
    expect(cpuid(0x1a, 0).eax >> 24, 0x40, "CPUID.1AH:EAX: the boot CPU is of type 40h");
    expect(cpu.gp, 8, "the boot CPU has 8 general counters");
    expect(cpu.fixed, 4, "the boot CPU has 4 fixed counters");
    expect(count_from(0, 7, INSTRUCTIONS, kernel_empty), own_count(7),
           "the boot CPU's last counter counts");
    stop_all();
    start_ap(look_and_count);
    expect(wait_for(&ap_ends, 0), 1, "the second CPU of the hybrid answers");
    expect(other_hybrid, 1, "CPUID.07H:EDX[15] on the second CPU");
    expect(other_type, 0x20, "CPUID.1AH:EAX: the second CPU is of type 20h");
    expect(other_gp, 6, "the second CPU has 6 general counters");
    expect(other_fixed, 3, "the second CPU has 3 fixed counters");
    expect(ap_count[0], own_count(0), "the second CPU's last counter counts");
    expect(ap_count[1], 1, "the second CPU has no seventh counter");
}

void test_lie_cpu(void)
{
    expect(count_from(0, 0, INSTRUCTIONS, kernel_empty), own_count(0),
           "pmu-lie-cpu=1: the boot CPU tells the truth");
    start_ap(count_empty);
    expect(wait_for(&ap_ends, 0), 1, "pmu-lie-cpu=1: the second CPU answers");
    expect(ap_count[0], 0, "pmu-lie-cpu=1: the second CPU lies");
}

static void read_tsc(void)
{
    ap_count[1] = __builtin_ia32_rdtsc();
}

/* INIT does not change the TSC. */
void test_gap_after_init(void)
{
    const uint64_t ticks = 4000000000;
    uint64_t before;

    start_ap(count_empty);
    expect(wait_for(&ap_ends, 0), 1, "pmu-inject=gap: the second CPU answers");
    before = __builtin_ia32_rdtsc();
    start_ap(read_tsc);
    expect(wait_for(&ap_ends, 1), 1, "pmu-inject=gap: the second CPU answers after an INIT");
    expect(ap_count[1] - before >= ticks, 1, "after an INIT the TSC is ahead by the gap or more");
    expect(ap_count[1] - ticks <= __builtin_ia32_rdtsc(), 1, "the TSC is ahead by the gap at most");
}
