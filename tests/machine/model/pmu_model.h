/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * barecount's model machine: a performance monitoring unit for QEMU's TCG CPUs. This file is what
 * the rest of QEMU sees of it: properties, the table that translated code bumps, and the hooks.
 *
 * The translator bumps one slot of `retired` for each instruction (pmu_model_translate.h.inc).
 * Counters of what instructions are (plain events) are evaluated from the growth of those slots
 * when software touches a register. While a counter runs that needs more than that, the CPU is in
 * detail: each instruction is a block of its own and calls helper_pmu_step() (pmu_model_count.c).
 * All state belongs to one CPU and is written by its own thread alone.
 */
#ifndef I386_TCG_PMU_MODEL_H
#define I386_TCG_PMU_MODEL_H

/* What an instruction was: the kind of branch, and whether it loaded or stored. */
enum {
    PMU_NO_BRANCH,
    PMU_COND_NOT_TAKEN,
    PMU_COND_TAKEN,
    PMU_JUMP,
    PMU_JUMP_INDIRECT,
    PMU_CALL,
    PMU_CALL_INDIRECT,
    PMU_RETURN,
    PMU_FAR, /* far forms, INT n, IRET, SYSCALL and the like */
    PMU_KIND_MASK = 15,
    PMU_LOAD = 16,
    PMU_STORE = 32,
    PMU_CLASSES = 64,
    /* What helper_pmu_step() is told besides: */
    PMU_USER = 64,     /* it started at CPL 1 to 3 */
    PMU_LENGTH_SHIFT = 8,
};

/*
 * The registers that an instruction uses: sources of its loads' addresses, sources of what it
 * writes, and those it writes. Bits 0 to 15 are the general registers, bit
 * 16 is the flags.
 */
#define PMU_FLAGS_BIT 16
#define PMU_REGISTERS_MASK 0x1ffffu
#define PMU_ADDRESSES(registers) ((registers) & PMU_REGISTERS_MASK)
#define PMU_INPUTS(registers) ((registers) >> 17 & PMU_REGISTERS_MASK)
#define PMU_OUTPUTS(registers) ((registers) >> 34 & PMU_REGISTERS_MASK)
#define PMU_ENDS_OVERLAP (1ull << 51) /* loads after it wait until those before it have come */

#define PMU_RINGS 2 /* 0: CPL 0; 1: CPL 1 to 3 */

/* A bit of hflags that QEMU leaves free, and so of the flags of a translation block: in detail. */
#define PMU_HF_DETAIL (1u << 31)

#define PMU_AUTO 0xff /* as the CPU model has it (pmu_model_cpus.c) */
#define PMU_NOBODY UINT32_MAX

typedef struct PMUModel {
    /* Properties; constant, and with PMU_AUTO resolved, once the CPU is realized. */
    uint8_t version;
    uint8_t gp_count;
    uint8_t gp_width;
    uint8_t fixed_count;
    uint8_t fixed_width;
    uint8_t full_width; /* 0, 1 */
    uint8_t metrics;    /* 0, 1: PERF_METRICS */
    uint8_t core_type;  /* of a hybrid, CPUID.1AH:EAX[31:24]; 0: no hybrid */
    uint32_t native_model;
    uint8_t cache_shift; /* L2 and LLC have 2^n times fewer sets */
    bool strict_msr;
    bool left_running;
    bool mute;
    bool rules; /* CPUID tells which events have rules */
    uint32_t gp_fault_msr;

    /* Lies about counters. A counter is named by its bit in IA32_PERF_GLOBAL_CTRL. */
    uint32_t lie_apic_id; /* the CPU that lies; PMU_NOBODY: all */
    uint8_t stuck;
    uint8_t off_by_one;
    uint8_t wrong_ring;
    uint8_t wrap;
    uint8_t wrap_bits;
    uint8_t late;
    uint32_t late_by;
    uint8_t noisy;
    uint32_t noisy_by;
    uint8_t promised; /* general counters that CPUID names and that do not exist */

    /* Lies about the CPU, and events from outside at a chosen opening. */
    uint32_t hang_apic_id;
    uint32_t hang_open;
    uint32_t deaf_apic_id;
    uint32_t deaf_sipi;
    uint32_t slow_apic_id;
    uint32_t slow_us;
    char *inject; /* a name of pmu_model_lies.c's table; NULL: nothing */
    uint32_t inject_apic_id;
    uint32_t inject_open;
    uint32_t inject_period;
    uint32_t inject_after;
    uint32_t inject_every;
    uint32_t inject_times;
    uint32_t inject_ticks; /* of the TSC, in a gap */

    /* Outside the cores. */
    char *uncore; /* a lie of pmu_model_uncore.c's table; NULL: none */
    uint8_t chas;
    uint32_t energy_start;

    bool on;                /* this CPU has a PMU */
    bool init;              /* the reset under way is an INIT */
    bool detail;            /* counters are advanced by helper_pmu_step() */
    struct PMUState *state; /* all else: pmu_model_state.h */
    uint64_t eip;           /* in detail: of the instruction that runs */
    uint64_t registers;     /* the same: see PMU_ADDRESSES() */

    /* Instructions retired since the CPU was made. */
    uint64_t retired[PMU_RINGS][PMU_CLASSES];
} PMUModel;

/* The translator's notes on the instruction that it translates. */
typedef struct PMUInsn {
    CPUArchState *env;
    uint64_t pc;  /* where it starts, linear */
    bool pending; /* its retirement has not been emitted yet */
    bool string;  /* it is a REP string instruction: neither load nor store */
    bool again;   /* the jump that is emitted next goes back to it: it does not retire there */
} PMUInsn;

/* Outcome of an access to a register. */
enum {
    PMU_NOT_MINE = 0, /* not a register of this PMU, or there is no PMU */
    PMU_DONE = 1,
    PMU_FAULT = -1, /* the caller raises #GP(0) */
};

#define PMU_MODEL_PROPERTIES                                                     \
    DEFINE_PROP_UINT8("pmu-version", X86CPU, env.pmu.version, PMU_AUTO),         \
    DEFINE_PROP_UINT8("pmu-gp", X86CPU, env.pmu.gp_count, PMU_AUTO),             \
    DEFINE_PROP_UINT8("pmu-width", X86CPU, env.pmu.gp_width, PMU_AUTO),          \
    DEFINE_PROP_UINT8("pmu-fixed", X86CPU, env.pmu.fixed_count, PMU_AUTO),       \
    DEFINE_PROP_UINT8("pmu-fixed-width", X86CPU, env.pmu.fixed_width, PMU_AUTO), \
    DEFINE_PROP_UINT8("pmu-full-width", X86CPU, env.pmu.full_width, PMU_AUTO),   \
    DEFINE_PROP_UINT8("pmu-metrics", X86CPU, env.pmu.metrics, PMU_AUTO),         \
    DEFINE_PROP_UINT8("pmu-core-type", X86CPU, env.pmu.core_type, 0),            \
    DEFINE_PROP_UINT32("pmu-native-model", X86CPU, env.pmu.native_model, 0),     \
    DEFINE_PROP_UINT8("pmu-cache-shift", X86CPU, env.pmu.cache_shift, 0),        \
    DEFINE_PROP_BOOL("pmu-strict-msr", X86CPU, env.pmu.strict_msr, false),       \
    DEFINE_PROP_BOOL("pmu-left-running", X86CPU, env.pmu.left_running, false),   \
    DEFINE_PROP_BOOL("pmu-mute", X86CPU, env.pmu.mute, false),                   \
    DEFINE_PROP_BOOL("pmu-rules", X86CPU, env.pmu.rules, true),                  \
    DEFINE_PROP_UINT32("pmu-gp-msr", X86CPU, env.pmu.gp_fault_msr, PMU_NOBODY),  \
    DEFINE_PROP_UINT32("pmu-lie-cpu", X86CPU, env.pmu.lie_apic_id, PMU_NOBODY),  \
    DEFINE_PROP_UINT8("pmu-stuck", X86CPU, env.pmu.stuck, PMU_AUTO),             \
    DEFINE_PROP_UINT8("pmu-off-by-one", X86CPU, env.pmu.off_by_one, PMU_AUTO),   \
    DEFINE_PROP_UINT8("pmu-wrong-ring", X86CPU, env.pmu.wrong_ring, PMU_AUTO),   \
    DEFINE_PROP_UINT8("pmu-wrap", X86CPU, env.pmu.wrap, PMU_AUTO),               \
    DEFINE_PROP_UINT8("pmu-wrap-bits", X86CPU, env.pmu.wrap_bits, 10),           \
    DEFINE_PROP_UINT8("pmu-late", X86CPU, env.pmu.late, PMU_AUTO),               \
    DEFINE_PROP_UINT32("pmu-late-by", X86CPU, env.pmu.late_by, 3),               \
    DEFINE_PROP_UINT8("pmu-noisy", X86CPU, env.pmu.noisy, PMU_AUTO),             \
    DEFINE_PROP_UINT32("pmu-noisy-by", X86CPU, env.pmu.noisy_by, 3),             \
    DEFINE_PROP_UINT8("pmu-promised", X86CPU, env.pmu.promised, 0),              \
    DEFINE_PROP_UINT32("pmu-hang-cpu", X86CPU, env.pmu.hang_apic_id, PMU_NOBODY),\
    DEFINE_PROP_UINT32("pmu-hang-open", X86CPU, env.pmu.hang_open, 1),           \
    DEFINE_PROP_UINT32("pmu-deaf-cpu", X86CPU, env.pmu.deaf_apic_id, PMU_NOBODY),\
    DEFINE_PROP_UINT32("pmu-deaf-sipi", X86CPU, env.pmu.deaf_sipi, 1),           \
    DEFINE_PROP_UINT32("pmu-slow-cpu", X86CPU, env.pmu.slow_apic_id, PMU_NOBODY),\
    DEFINE_PROP_UINT32("pmu-slow-us", X86CPU, env.pmu.slow_us, 1000000),         \
    DEFINE_PROP_STRING("pmu-inject", X86CPU, env.pmu.inject),                    \
    DEFINE_PROP_UINT32("pmu-inject-cpu", X86CPU, env.pmu.inject_apic_id, 0),     \
    DEFINE_PROP_UINT32("pmu-inject-open", X86CPU, env.pmu.inject_open, 1),       \
    DEFINE_PROP_UINT32("pmu-inject-period", X86CPU, env.pmu.inject_period, 0),   \
    DEFINE_PROP_UINT32("pmu-inject-after", X86CPU, env.pmu.inject_after, 0),     \
    DEFINE_PROP_UINT32("pmu-inject-every", X86CPU, env.pmu.inject_every, 0),     \
    DEFINE_PROP_UINT32("pmu-inject-times", X86CPU, env.pmu.inject_times, 1),     \
    DEFINE_PROP_UINT32("pmu-inject-ticks", X86CPU, env.pmu.inject_ticks, 10000), \
    DEFINE_PROP_STRING("pmu-uncore", X86CPU, env.pmu.uncore),                    \
    DEFINE_PROP_UINT8("pmu-chas", X86CPU, env.pmu.chas, 4),                      \
    DEFINE_PROP_UINT32("pmu-energy-start", X86CPU, env.pmu.energy_start, 0)

/* Check the properties and decide whether this CPU has a PMU. False: *errp says why not. */
bool pmu_model_realize(CPUArchState *env, Error **errp);

/* Power-up and system reset: registers to their reset values. */
void pmu_model_reset(CPUArchState *env);

/* INIT comes: the reset that follows keeps the registers, and frees a hung CPU. */
void pmu_model_init(CPUArchState *env);

/* A SIPI has come to this CPU. Does not return when the CPU does not hear it. */
void pmu_model_sipi(CPUArchState *env);

/* This CPU is about to send an interrupt of that delivery mode to another; the lock is held. */
void pmu_model_send(CPUArchState *env, uint8_t delivery_mode);

/* The CPU has entered SMM, or is about to leave it by RSM. */
void pmu_model_smm(CPUArchState *env, bool entered);

/* CPUID leaves 6, 7 (first subleaf), 0AH and 1AH as this CPU has them; others stay as they are. */
void pmu_model_cpuid(CPUArchState *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                     uint32_t *edx);

/* CPUID leaves 40000100H to 40000102H: which events have rules. False: they are not this leaf. */
bool pmu_model_rules(CPUArchState *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                     uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/* RDMSR, WRMSR and RDPMC: PMU_NOT_MINE, PMU_DONE or PMU_FAULT. The value is EDX:EAX. */
int pmu_model_rdmsr(CPUArchState *env, uint32_t msr, uint64_t *value);
int pmu_model_wrmsr(CPUArchState *env, uint32_t msr, uint64_t value);
int pmu_model_rdpmc(CPUArchState *env, uint32_t ecx, uint64_t *value);

/* Whether an access to an MSR that neither the model nor QEMU knows raises #GP. */
bool pmu_model_unknown_msr_faults(CPUArchState *env);

/* In hw/intc/apic.c: the CPU's local APIC delivers a PMI. The caller holds the big lock. */
void apic_deliver_pmi(CPUArchState *env);

#endif
