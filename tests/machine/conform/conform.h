/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model machine's conformance suite. Expected values come from Intel's and AMD's manuals, from
 * counts declared next to the code, and from ../README.md, ../PROPERTIES.md and ../OUTSIDE.md.
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MSR_SMI_COUNT = 0x034,
    IA32_PMC0 = 0x0c1,
    MSR_PLATFORM_INFO = 0x0ce,
    IA32_MPERF = 0x0e7,
    IA32_APERF = 0x0e8,
    IA32_PERFEVTSEL0 = 0x186,
    IA32_PERF_STATUS = 0x198,
    IA32_THERM_STATUS = 0x19c,
    IA32_MISC_ENABLE = 0x1a0,
    IA32_PACKAGE_THERM_STATUS = 0x1b1,
    IA32_DEBUGCTL = 0x1d9,
    IA32_FIXED_CTR0 = 0x309,
    MSR_PERF_METRICS = 0x329,
    IA32_PERF_CAPABILITIES = 0x345,
    IA32_FIXED_CTR_CTRL = 0x38d,
    IA32_PERF_GLOBAL_STATUS = 0x38e,
    IA32_PERF_GLOBAL_CTRL = 0x38f,
    IA32_PERF_GLOBAL_STATUS_RESET = 0x390, /* _OVF_CTRL before version 4 */
    IA32_PERF_GLOBAL_STATUS_SET = 0x391,
    IA32_PERF_GLOBAL_INUSE = 0x392,
    IA32_PEBS_ENABLE = 0x3f1,
    IA32_A_PMC0 = 0x4c1,
};

/* Fields of IA32_PERFEVTSELx, and two selects that are often used. */
#define USR          (1u << 16)
#define OS           (1u << 17)
#define EDGE         (1u << 18)
#define INT          (1u << 20)
#define ANY          (1u << 21)
#define EN           (1u << 22)
#define INV          (1u << 23)
#define CMASK(n)     ((uint32_t)(n) << 24)
#define INSTRUCTIONS (EN | OS | 0xc0)
#define CYCLES       (EN | OS | 0x3c)

#define BIT(n)        (1ull << (n))
#define FIXED(i)      (32 + (i)) /* a fixed counter's bit in IA32_PERF_GLOBAL_CTRL */
#define FIXED_OS      1u
#define FIXED_USR     2u
#define FIXED_ANY     4u
#define FIXED_PMI     8u
#define METRICS_BIT   48
#define LBR_FRZ_BIT   58
#define CTR_FRZ_BIT   59
#define FREEZE_LBRS   BIT(11)
#define FREEZE_PMCS   BIT(12)
#define FREEZE_IN_SMM BIT(14)

/* The vectors, and the 1000 iterations in the handler of an IPI, must match conform.inc. */
#define PMI_VECTOR       0x34u
#define IPI_VECTOR       0x33u
#define IPI_INSTRUCTIONS (2u + 2 * 1000 + 2)

#define APIC_ICR             0x300u
#define APIC_LVT_PERFORMANCE 0x340u
#define LVT_NMI              0x400u
#define LVT_MASKED           0x10000u

enum {
    NHM = 1,
    SNB = 2,
    HSW = 4,
    SKL = 8,
    SKX = 16,
    ICX = 32,
    CORE = 64,  /* a hybrid's type 40h */
    ATOM = 128, /* a hybrid's type 20h */
    ALL = 255,
};

struct cpu {
    unsigned version;
    unsigned gp;
    unsigned gp_width;
    unsigned fixed;
    unsigned fixed_width;
    unsigned family;
    unsigned bus_ratio; /* reference cycles per count of 3C/01 */
    bool any;           /* AnyThread is allowed */
    bool pdcm;          /* IA32_PERF_CAPABILITIES exists */
    bool full_width;    /* IA32_PERF_CAPABILITIES[13]: IA32_A_PMCx exist */
    bool smm_freeze;    /* IA32_PERF_CAPABILITIES[12] */
    bool metrics;       /* IA32_PERF_CAPABILITIES[15] */
    bool rtm;
    bool debug_store;
};
extern struct cpu cpu;

enum column {
    COL_INSTRUCTIONS,
    COL_TAKEN,
    COL_NOT_TAKEN,
    COL_JUMP,
    COL_INDIRECT,
    COL_CALL,
    COL_INDIRECT_CALL,
    COL_RETURN,
    COL_FAR,
    COL_LOAD,
    COL_STORE,
    COL_MISPREDICTED_NOT_TAKEN,
    COL_MISPREDICTED_INDIRECT,
    COL_MISPREDICTED_RETURN,
    COL_CYCLES,
    COLUMNS,
};

typedef void code(void);

struct kernel {
    code *entry;
    const char *name;
    uint32_t count[COLUMNS];
};
extern const struct kernel kernels[], kernels_end[];
extern const uint32_t window_cost[COLUMNS];
extern code kernel_empty, kernel_jcc, kernel_nops, user_kernel, user_fault_kernel;

/* ---- machine.c ---------------------------------------------------------------------------------
 */
struct leaf {
    uint32_t eax, ebx, ecx, edx;
};
struct leaf cpuid(uint32_t leaf, uint32_t subleaf);
uint64_t rdmsr(uint32_t msr);
void wrmsr(uint32_t msr, uint64_t value);
void io_write(uint16_t port, uint8_t value);
uint32_t apic_read(uint32_t offset);
void apic_write(uint32_t offset, uint32_t value);
void pause_us(unsigned us); /* approximately */

/* Prints to port E9h; accepts printf's %s, %u, %x, %llx, %08x and %08llx. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Checks a value, and prints "ok NAME" or "FAIL NAME: got A not B (hex)". Names are unique in a
 * scenario.
 */
void expect(uint64_t got, uint64_t want, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the run as a failure. */
_Noreturn void give_up(const char *why);
_Noreturn void end_all(void);

/* ---- window.asm --------------------------------------------------------------------------------
 */
extern uint32_t kernel_argument[2];
void window(uint32_t msr, uint64_t opening, code *kernel);
uint32_t try_rdmsr(uint32_t msr, uint64_t *value);
uint32_t try_wrmsr(uint32_t msr, uint64_t value);
uint32_t try_rdpmc(uint32_t index, uint64_t *value);
uint32_t user_try_rdpmc(void);

/* ---- pmu.c -------------------------------------------------------------------------------------
 */
void read_cpu(void);
uint64_t low_bits(unsigned count);

/* The bits of all counters in IA32_PERF_GLOBAL_CTRL. */
uint64_t counter_bits(void);

/* The next set bit of counter_bits(), starting with `bit`; 64 if there is none. */
int next_counter(int bit);
const char *counter_name(int bit);
unsigned counter_width(int bit);

void stop_all(void); /* zeroes selects, controls and status */
void select_event(int bit, uint32_t select);
void write_counter(int bit, uint64_t value);
uint64_t read_counter(int bit);

/*
 * Like window(). If the predictor is trained for another kernel, the next count() trains the
 * predictor again.
 */
void run_window(uint32_t msr, uint64_t opening, code *kernel);

/*
 * Returns the counter's value after a window with this kernel; the counter starts from `preset`.
 * For a fixed counter, `select` is its field of IA32_FIXED_CTR_CTRL.
 */
uint64_t count_from(uint64_t preset, int bit, uint32_t select, code *kernel);

/* Trains the predictor and the caches for the kernel, then returns count_from(0, ...). */
uint64_t count(int bit, uint32_t select, code *kernel);

/*
 * With own_select(), a general counter counts instructions in ring 0, and a fixed counter counts
 * its own event in ring 0. own_count() is the count of this counter in a window with the empty
 * kernel.
 */
uint32_t own_select(int bit);
uint64_t own_count(int bit);

/* Adds up the columns in `mask`, both of a kernel's counts and of the window's own counts. */
uint64_t expected(const uint32_t *kernel_count, uint32_t mask);

/* ---- the tests ---------------------------------------------------------------------------------
 */
void test_registers(void);
void test_values(void);
void test_rdpmc(void);
void test_reset(void);
void test_counting(void);
void test_clock(void);
void test_overlap(uint32_t line_in_l2);

/* If all loads of a walk miss, STALLING(lines) of them stall (memory.c). */
#define STALLING(lines) (((lines) + 9) / 10)
uint64_t walk_cycles(uint32_t lines, uint32_t stalls);

void check_bus_rate(uint32_t now, uint32_t base);
void test_rings(void);
void test_overflow(void);
void test_pmi(void);
void test_freeze(void);
void test_cycles(void);
void test_predictor(void);
void test_memory(void);
void test_metrics(void);
void test_version_6(void);
void test_absent(void);

/* The scenario's argument, for example a counter's bit in IA32_PERF_GLOBAL_CTRL. */
extern int chosen_counter;
void test_smm(void);
void test_siblings(void);
void test_hybrid(void);
void test_caches(void);
void test_state(void);
void test_lenient(void);
void test_off(void);
void test_amd(void);
void test_amd_left_running(void);
void test_amd_legacy(void);
void test_amd_overcounts(void);
void test_amd_lock_excess(void);
void test_amd_cfg_ignored(void);
void test_amd_reserved_status(void);
void test_amd_smi(void);
void test_amd_smm_takes(void);
void test_amd_init(void);
void test_rules(void);
void test_no_rules(void);
void test_hypervisor(void);
void test_crystal(void);
void test_left_running(void);
void test_gp_msr(void);
void test_zero_msr(void);
void test_mute(void);
void test_stuck(void);
void test_stuck_from(void);
void test_off_by_one(void);
void test_wrong_ring(void);
void test_wrap(void);
void test_late(void);
void test_noisy(void);
void test_exit_counts(void);
void test_promised(void);
void test_lie_cpu(void);
void test_hang(void);
void test_deaf(void);
void test_slow(void);
void test_asleep(void);
void test_wrmsr_loads(void);
void test_iret_user(void);
void test_late_ref(void);
void test_count_cycles(void);
void test_inject_nmi(void);
void test_inject_at_once(void);
void test_inject_smi(void);
void test_smm_moves(void);
void test_smm_takes(void);
void test_inject_thermal(void);
void test_inject_within(void);
void test_inject_clock(void);
void test_inject_machine_check(void);
void test_inject_mc(void);
void test_inject_mc_fatal(void);
void test_inject_mc_action(void);
void test_inject_mc_sibling(void);
void test_inject_mc_corrupt(void);
void test_inject_mc_elsewhere(void);
void test_old_error(void);
void test_inject_limit(void);
void test_hot(void);
void test_dither(void);
void test_mperf_slow(void);
void test_inject_every(void);
void test_inject_again(void);
void test_inject_smi_every(void);
void test_inject_gap(void);
void test_icount(void);
void test_bus_slow(void);
void test_gap_after_init(void);
void test_uncore_nehalem(void);
void test_uncore_registers(void);
void test_uncore_overflow(void);
void test_uncore_client(void);
void test_uncore_server(void);
void test_uncore_lie(void);
void test_uncore_cpus(void);
void test_uncore_packages(void);
void test_package_channels(void);
void test_package_energy(void);
void test_energy_start(void);

/* Replaces the firmware's SMM handler with a handler of 11 instructions (smm.c). */
void install_smm_handler(void);

/* Checks that APERF ticks `now` / `base` times as fast as MPERF (state.c). */
void check_aperf(uint64_t now, uint64_t base);

#endif
