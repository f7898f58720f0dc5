/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * barecount's model machine: the interface between QEMU and the model of the performance monitoring
 * unit. Translated code counts each retired instruction in the table `retired`. When software
 * accesses a PMU register, the counters of plain events are computed from this table. In detail
 * mode, each instruction also calls helper_pmu_step() (pmu_model_count.c), which counts what the
 * other counters need. Only the thread of a CPU writes the CPU's state.
 */
#ifndef I386_TCG_PMU_MODEL_H
#define I386_TCG_PMU_MODEL_H

/* The class of an instruction: its kind, and whether it loads or stores. */
enum {
    PMU_NO_KIND, /* none of those below */
    PMU_COND_NOT_TAKEN,
    PMU_COND_BACKWARD, /* taken, to a lower address */
    PMU_COND_FORWARD,
    PMU_JUMP,
    PMU_JUMP_INDIRECT,
    PMU_CALL,
    PMU_CALL_INDIRECT,
    PMU_RETURN,
    PMU_FAR,
    PMU_NOP,
    PMU_LOCK, /* with LOCK, or XCHG with memory */
    PMU_PAUSE,
    PMU_LFENCE,
    PMU_FLUSH, /* CLFLUSH, CLWB */
    PMU_COUNTER_READ, /* RDPMC, RDTSC, RDTSCP */
    PMU_PREFETCHNTA,
    PMU_PREFETCHT0,
    PMU_PREFETCHT1_T2,
    PMU_PREFETCHW,
    PMU_DIVIDE, /* DIV, IDIV */
    PMU_X87_COMPUTES,
    PMU_X87_OTHER, /* loads, stores, moves and control instructions of the x87 */
    PMU_MMX_INSTRUCTION,
    PMU_ADD_128, /* packed integers */
    PMU_ADD_256,
    PMU_MULTIPLY_256,
    /* Floating-point computations by width and precision, in the order of the sources. */
    PMU_FP,
    PMU_FP_TWICE = PMU_FP + 6, /* those that count twice */
    PMU_KINDS = PMU_FP_TWICE + 6,
    PMU_KIND_MASK = 63,
    PMU_LOAD = 64,
    PMU_STORE = 128,
    PMU_CLASSES = 256,
    /* `info`, the argument of helper_pmu_step(), consists of the class and these parts: */
    PMU_USER = 256,       /* the instruction started at CPL 1 to 3 */
    PMU_LENGTH_SHIFT = 9, /* from this bit on: the instruction's length in bytes */
};

/*
 * Three sets of registers of an instruction: registers on which the addresses of its loads depend,
 * registers on which its results depend, and registers that it writes. Bits 0 to 15 are the general
 * registers, and bit 16 is the flags.
 */
#define PMU_FLAGS_BIT 16
#define PMU_REGISTERS_MASK 0x1ffffu
#define PMU_ADDRESSES(registers) ((registers) & PMU_REGISTERS_MASK)
#define PMU_INPUTS(registers) ((registers) >> 17 & PMU_REGISTERS_MASK)
#define PMU_OUTPUTS(registers) ((registers) >> 34 & PMU_REGISTERS_MASK)
#define PMU_ENDS_OVERLAP (1ull << 51) /* later loads wait for earlier loads */
#define PMU_LOCKED (1ull << 52)

#define PMU_RINGS 2 /* 0: CPL 0; 1: CPL 1 to 3 */

/*
 * Two bits of hflags that QEMU does not use. With SINGLE, each translation block is one
 * instruction. In helper_pmu_step(), only a block of one instruction may leave detail mode, because
 * other blocks are chained.
 */
#define PMU_HF_DETAIL (1u << 31)
#define PMU_HF_SINGLE (1u << 30)

#define PMU_AUTO 0xff /* as a property: the CPU model's default; as a counter's number: none */
#define PMU_NOBODY UINT32_MAX

typedef struct PMUModel {
    /* Properties (PROPERTIES.md). pmu_model_realize() replaces PMU_AUTO by a default. */
    uint8_t version;
    uint8_t gp_count;
    uint8_t gp_width;
    uint8_t fixed_count;
    uint8_t fixed_width;
    uint16_t gp_absent;   /* bit i: counter i does not exist */
    uint8_t fixed_absent;
    uint8_t full_width; /* 0, 1 */
    uint8_t metrics;    /* 0, 1: PERF_METRICS */
    uint8_t core_type;  /* CPUID.1AH:EAX[31:24]; 0: not a hybrid */
    uint32_t native_model;
    char *machine;        /* a machine file; NULL: none */
    uint32_t machine_cpu;
    uint32_t tsc_khz;     /* 0: QEMU's rate (with `machine`: the rate of the base ratio) */
    uint8_t cache_shift;
    bool strict_msr;
    bool left_running;
    bool mute;
    bool hot;
    uint32_t dither_us; /* 0: not at the power limit */
    uint8_t base_ratio;  /* base core clock / 100 MHz (on Nehalem / 133.333 MHz) */
    uint32_t bus_slow;   /* ppm */
    bool crystal;
    uint32_t mperf_slow; /* by how many ppm MPERF is slower than the TSC */
    uint8_t wrmsr_loads;
    bool iret_user;
    uint32_t late_ref_ns;
    bool count_cycles;
    char *hypervisor; /* NULL: QEMU's */
    bool rules;
    uint32_t gp_fault_msr;
    uint32_t zero_msr;
    uint32_t exit_counts;
    uint32_t smm_moves;
    uint8_t smm_takes;    /* PMU_AUTO: none */
    uint32_t overcounts;  /* AMD; 0: none */
    uint32_t lock_excess; /* AMD */
    uint64_t reserved_status; /* AMD */
    bool cfg_ignored;         /* AMD */

    /* Lies about counters. The number of a counter is its bit in IA32_PERF_GLOBAL_CTRL. */
    uint32_t lie_apic_id; /* PMU_NOBODY: all CPUs */
    uint8_t stuck;
    uint32_t stuck_from;
    uint8_t off_by_one;
    uint8_t wrong_ring;
    uint8_t wrap;
    uint8_t wrap_bits;
    uint8_t late;
    uint32_t late_by;
    uint8_t noisy;
    uint32_t noisy_by;
    uint8_t promised;

    /* The lie about an event. */
    uint32_t lie_event;  /* encoding; PMU_NOBODY: none */
    uint8_t lie_counter; /* PMU_AUTO: every general counter */
    uint8_t lie_ring;    /* 0, 3; PMU_AUTO: any */
    char *lie_when;      /* NULL: always */
    uint32_t lie_plus;
    uint32_t lie_factor;
    uint32_t lie_counts; /* encoding; PMU_NOBODY: lie_event */

    /* Lies about the CPU, and disturbances that are injected at chosen openings. */
    uint32_t hang_apic_id;
    uint32_t hang_open;
    uint32_t deaf_apic_id;
    uint32_t deaf_sipi;
    uint32_t asleep_apic_id;
    uint32_t slow_apic_id;
    uint32_t slow_us;
    char *inject; /* NULL: no injection */
    uint32_t inject_apic_id;
    uint32_t inject_open;
    uint32_t inject_period;
    uint32_t inject_after;
    uint32_t inject_every;
    uint32_t inject_times;
    uint32_t inject_ticks; /* in TSC ticks */
    uint64_t old_error; /* status of a bank after a reset; 0: unchanged */

    /* The uncore. */
    char *uncore; /* NULL: honest */
    uint8_t chas;
    uint32_t energy_start;

    struct PMUFile *file;   /* contents of `machine` */
    bool on;                /* this CPU has a PMU */
    bool amd;               /* the PMU is AMD's; its version 2 is PerfMonV2 */
    bool prec_ret;          /* bit 43 of select 2 exists */
    bool init;              /* the reset that comes next is part of an INIT */
    bool detail;            /* detail mode */
    bool single;            /* the CPU must be able to stop after each instruction */
    struct PMUState *state;
    uint64_t eip;           /* EIP of the current instruction, in detail mode */
    uint64_t registers;     /* the instruction's registers: see PMU_ADDRESSES() */

    /* For each ring and class, the number of instructions retired since the CPU was created. */
    uint64_t retired[PMU_RINGS][PMU_CLASSES];
} PMUModel;

typedef struct PMUInsn {
    CPUArchState *env;
    uint64_t pc;
    bool pending; /* the code that counts this instruction must still be emitted */
    bool string;  /* a REP string instruction, which is neither a load nor a store */
    bool again;   /* the next jump repeats the instruction, and does not retire it */
} PMUInsn;

enum {
    PMU_NOT_MINE = 0, /* the model does not handle this access, or the CPU has no PMU */
    PMU_DONE = 1,
    PMU_FAULT = -1, /* the caller raises #GP(0) */
};

#define PMU_MODEL_PROPERTIES                                                     \
    DEFINE_PROP_UINT8("pmu-version", X86CPU, env.pmu.version, PMU_AUTO),         \
    DEFINE_PROP_UINT8("pmu-gp", X86CPU, env.pmu.gp_count, PMU_AUTO),             \
    DEFINE_PROP_UINT8("pmu-width", X86CPU, env.pmu.gp_width, PMU_AUTO),          \
    DEFINE_PROP_UINT8("pmu-fixed", X86CPU, env.pmu.fixed_count, PMU_AUTO),       \
    DEFINE_PROP_UINT8("pmu-fixed-width", X86CPU, env.pmu.fixed_width, PMU_AUTO), \
    DEFINE_PROP_UINT16("pmu-absent", X86CPU, env.pmu.gp_absent, 0),              \
    DEFINE_PROP_UINT8("pmu-fixed-absent", X86CPU, env.pmu.fixed_absent,          \
                      PMU_AUTO),                                                 \
    DEFINE_PROP_UINT8("pmu-full-width", X86CPU, env.pmu.full_width, PMU_AUTO),   \
    DEFINE_PROP_UINT8("pmu-metrics", X86CPU, env.pmu.metrics, PMU_AUTO),         \
    DEFINE_PROP_UINT8("pmu-core-type", X86CPU, env.pmu.core_type, 0),            \
    DEFINE_PROP_UINT32("pmu-native-model", X86CPU, env.pmu.native_model, 0),     \
    DEFINE_PROP_STRING("pmu-machine", X86CPU, env.pmu.machine),                  \
    DEFINE_PROP_UINT32("pmu-machine-cpu", X86CPU, env.pmu.machine_cpu, 0),       \
    DEFINE_PROP_UINT32("pmu-tsc-khz", X86CPU, env.pmu.tsc_khz, 0),               \
    DEFINE_PROP_UINT8("pmu-cache-shift", X86CPU, env.pmu.cache_shift, 0),        \
    DEFINE_PROP_BOOL("pmu-strict-msr", X86CPU, env.pmu.strict_msr, false),       \
    DEFINE_PROP_BOOL("pmu-left-running", X86CPU, env.pmu.left_running, false),   \
    DEFINE_PROP_BOOL("pmu-mute", X86CPU, env.pmu.mute, false),                   \
    DEFINE_PROP_BOOL("pmu-hot", X86CPU, env.pmu.hot, false),                     \
    DEFINE_PROP_UINT32("pmu-dither-us", X86CPU, env.pmu.dither_us, 0),           \
    DEFINE_PROP_UINT8("pmu-base-ratio", X86CPU, env.pmu.base_ratio, PMU_AUTO),   \
    DEFINE_PROP_UINT32("pmu-bus-slow", X86CPU, env.pmu.bus_slow, 0),             \
    DEFINE_PROP_BOOL("pmu-crystal", X86CPU, env.pmu.crystal, false),             \
    DEFINE_PROP_UINT32("pmu-mperf-slow", X86CPU, env.pmu.mperf_slow, 0),         \
    DEFINE_PROP_UINT8("pmu-wrmsr-loads", X86CPU, env.pmu.wrmsr_loads, 0),        \
    DEFINE_PROP_BOOL("pmu-iret-user", X86CPU, env.pmu.iret_user, false),         \
    DEFINE_PROP_UINT32("pmu-late-ref", X86CPU, env.pmu.late_ref_ns, 0),          \
    DEFINE_PROP_BOOL("pmu-count-cycles", X86CPU, env.pmu.count_cycles, false),   \
    DEFINE_PROP_STRING("pmu-hypervisor", X86CPU, env.pmu.hypervisor),            \
    DEFINE_PROP_BOOL("pmu-rules", X86CPU, env.pmu.rules, true),                  \
    DEFINE_PROP_UINT32("pmu-gp-msr", X86CPU, env.pmu.gp_fault_msr, PMU_NOBODY),  \
    DEFINE_PROP_UINT32("pmu-zero-msr", X86CPU, env.pmu.zero_msr, PMU_NOBODY),    \
    DEFINE_PROP_UINT32("pmu-exit-counts", X86CPU, env.pmu.exit_counts, 0),       \
    DEFINE_PROP_UINT32("pmu-smm-moves", X86CPU, env.pmu.smm_moves, 0),           \
    DEFINE_PROP_UINT8("pmu-smm-takes", X86CPU, env.pmu.smm_takes, PMU_AUTO),     \
    DEFINE_PROP_UINT32("pmu-overcounts", X86CPU, env.pmu.overcounts, 0),         \
    DEFINE_PROP_UINT32("pmu-lock-excess", X86CPU, env.pmu.lock_excess, 0),       \
    DEFINE_PROP_UINT64("pmu-reserved-status", X86CPU, env.pmu.reserved_status, 0), \
    DEFINE_PROP_BOOL("pmu-cfg-ignored", X86CPU, env.pmu.cfg_ignored, false),     \
    DEFINE_PROP_UINT32("pmu-lie-cpu", X86CPU, env.pmu.lie_apic_id, PMU_NOBODY),  \
    DEFINE_PROP_UINT8("pmu-stuck", X86CPU, env.pmu.stuck, PMU_AUTO),             \
    DEFINE_PROP_UINT32("pmu-stuck-from", X86CPU, env.pmu.stuck_from, 0),         \
    DEFINE_PROP_UINT8("pmu-off-by-one", X86CPU, env.pmu.off_by_one, PMU_AUTO),   \
    DEFINE_PROP_UINT8("pmu-wrong-ring", X86CPU, env.pmu.wrong_ring, PMU_AUTO),   \
    DEFINE_PROP_UINT8("pmu-wrap", X86CPU, env.pmu.wrap, PMU_AUTO),               \
    DEFINE_PROP_UINT8("pmu-wrap-bits", X86CPU, env.pmu.wrap_bits, 10),           \
    DEFINE_PROP_UINT8("pmu-late", X86CPU, env.pmu.late, PMU_AUTO),               \
    DEFINE_PROP_UINT32("pmu-late-by", X86CPU, env.pmu.late_by, 3),               \
    DEFINE_PROP_UINT8("pmu-noisy", X86CPU, env.pmu.noisy, PMU_AUTO),             \
    DEFINE_PROP_UINT32("pmu-noisy-by", X86CPU, env.pmu.noisy_by, 3),             \
    DEFINE_PROP_UINT8("pmu-promised", X86CPU, env.pmu.promised, 0),              \
    DEFINE_PROP_UINT32("pmu-lie-event", X86CPU, env.pmu.lie_event, PMU_NOBODY),  \
    DEFINE_PROP_UINT8("pmu-lie-counter", X86CPU, env.pmu.lie_counter, PMU_AUTO), \
    DEFINE_PROP_UINT8("pmu-lie-ring", X86CPU, env.pmu.lie_ring, PMU_AUTO),       \
    DEFINE_PROP_STRING("pmu-lie-when", X86CPU, env.pmu.lie_when),                \
    DEFINE_PROP_UINT32("pmu-lie-plus", X86CPU, env.pmu.lie_plus, 0),             \
    DEFINE_PROP_UINT32("pmu-lie-factor", X86CPU, env.pmu.lie_factor, 1),         \
    DEFINE_PROP_UINT32("pmu-lie-counts", X86CPU, env.pmu.lie_counts, PMU_NOBODY),\
    DEFINE_PROP_UINT32("pmu-hang-cpu", X86CPU, env.pmu.hang_apic_id, PMU_NOBODY),\
    DEFINE_PROP_UINT32("pmu-hang-open", X86CPU, env.pmu.hang_open, 1),           \
    DEFINE_PROP_UINT32("pmu-deaf-cpu", X86CPU, env.pmu.deaf_apic_id, PMU_NOBODY),\
    DEFINE_PROP_UINT32("pmu-deaf-sipi", X86CPU, env.pmu.deaf_sipi, 1),           \
    DEFINE_PROP_UINT32("pmu-asleep-cpu", X86CPU, env.pmu.asleep_apic_id, PMU_NOBODY), \
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
    DEFINE_PROP_UINT64("pmu-old-error", X86CPU, env.pmu.old_error, 0),           \
    DEFINE_PROP_STRING("pmu-uncore", X86CPU, env.pmu.uncore),                    \
    DEFINE_PROP_UINT8("pmu-chas", X86CPU, env.pmu.chas, 4),                      \
    DEFINE_PROP_UINT32("pmu-energy-start", X86CPU, env.pmu.energy_start, 0)

/*
 * Reads the CPU of pmu-machine: vendor, family and model, microcode revision, and the features to
 * request from QEMU. On failure returns false and sets *errp.
 */
bool pmu_model_load(CPUArchState *env, Error **errp);

/*
 * Checks the properties and decides whether this CPU has a PMU. On failure returns false and sets
 * *errp.
 */
bool pmu_model_realize(CPUArchState *env, Error **errp);

/* Ticks of the TSC since the start of the machine, without the offset that software has set. */
uint64_t pmu_model_ticks(CPUArchState *env);

/* At power-up and system reset, sets registers to their reset values; at an INIT, keeps them. */
void pmu_model_reset(CPUArchState *env);

/*
 * To be called at an INIT: the reset that follows keeps the PMU's registers, and frees a CPU that
 * hangs.
 */
void pmu_model_init(CPUArchState *env);

/* This CPU gets a SIPI. Does not return if the CPU ignores the SIPI. */
void pmu_model_sipi(CPUArchState *env);

/* To be called with the BQL, before this CPU's local APIC sends an interrupt. */
void pmu_model_send(CPUArchState *env, uint8_t delivery_mode);

/* This CPU executes MWAIT; RIP points past it. Does not return if the CPU sleeps. */
void pmu_model_mwait(CPUArchState *env);

/*
 * To be called in the interrupted ring, before an interrupt or exception is delivered. is_int means
 * INT n; is_hardware means an external interrupt or an NMI.
 */
void pmu_model_interrupt(CPUArchState *env, bool is_int, bool is_hardware);

/* The CPU has entered SMM, or is about to leave it by RSM. */
void pmu_model_smm(CPUArchState *env, bool entered);

/* Replaces the values of CPUID leaves that the model or the machine file defines. */
void pmu_model_cpuid(CPUArchState *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                     uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/*
 * Computes CPUID leaves 40000100H to 400001FFH, which tell software whether an event has a rule.
 * Returns false if the leaf is not one of these, if the CPU has no PMU, or with pmu-rules=off.
 */
bool pmu_model_rules(CPUArchState *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                     uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/* Execute RDMSR, WRMSR and RDPMC. Each function returns PMU_NOT_MINE, PMU_DONE or PMU_FAULT. */
int pmu_model_rdmsr(CPUArchState *env, uint32_t msr, uint64_t *value);
int pmu_model_wrmsr(CPUArchState *env, uint32_t msr, uint64_t value);
int pmu_model_rdpmc(CPUArchState *env, uint32_t ecx, uint64_t *value);

/*
 * For an access to an MSR that neither the model nor QEMU implements: returns false if the access
 * raises #GP; else sets *value, which is 0 if the CPU's machine file does not contain the MSR.
 */
bool pmu_model_unknown_msr(CPUArchState *env, uint32_t msr, uint64_t *value);

/* Lets the CPU's local APIC deliver a PMI (in hw/intc/apic.c). The caller holds the BQL. */
void apic_deliver_pmi(CPUArchState *env);

#endif
