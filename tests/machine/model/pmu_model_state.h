/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of the PMU model only. */
#ifndef I386_TCG_PMU_MODEL_STATE_H
#define I386_TCG_PMU_MODEL_STATE_H

#include "cpu.h"
#include "qemu/main-loop.h"
#include "pmu_model_compat.h"

#define PMU_GP_MAX 8
#define PMU_FIXED_MAX 4
#define PMU_FIXED_REF 2 /* counts reference cycles */
#define PMU_WIDTH_MAX 48
#define PMU_COUNTERS (PMU_GP_MAX + PMU_FIXED_MAX) /* the fixed ones follow the general ones */

#define PMU_SELECT_USR (1u << 16)
#define PMU_SELECT_OS (1u << 17)
#define PMU_SELECT_EDGE (1u << 18)
#define PMU_SELECT_INT (1u << 20)
#define PMU_SELECT_ANY (1u << 21)
#define PMU_SELECT_EN (1u << 22)
#define PMU_SELECT_INV (1u << 23)
#define PMU_STATUS_METRICS (1ull << 48)
#define PMU_STATUS_LBR_FRZ (1ull << 58)
#define PMU_STATUS_CTR_FRZ (1ull << 59)
#define PMU_STATUS_UNCORE (1ull << 61)
#define PMU_DEBUGCTL_FREEZE_LBRS (1u << 11)
#define PMU_DEBUGCTL_FREEZE_COUNTERS (1u << 12)
#define PMU_DEBUGCTL_UNCORE_PMI (1u << 13)
#define PMU_DEBUGCTL_FREEZE_SMM (1u << 14)

/*
 * Everything that can be counted. The first group follows from an instruction's class (plain); the
 * model of the core supplies the rest for each instruction. README.md has the formulas.
 */
typedef enum PMUSource {
    PMU_NOTHING,
    PMU_INSTRUCTIONS,
    PMU_BRANCHES,
    PMU_CONDITIONAL,
    PMU_CONDITIONAL_TAKEN,
    PMU_NOT_TAKEN,
    PMU_NEAR_TAKEN,
    PMU_NEAR_CALLS,
    PMU_NEAR_RETURNS,
    PMU_INDIRECT_BRANCHES, /* jumps and calls */
    PMU_FAR_BRANCHES,
    PMU_LOADS,
    PMU_STORES,
    PMU_PLAIN, /* the number of plain sources */
    PMU_CYCLES = PMU_PLAIN,
    PMU_REFERENCE_CYCLES,
    PMU_BUS_CYCLES, /* event 3C/01: cycles of the bus clock, the crystal or the TSC */
    PMU_SLOTS,
    PMU_STALLED_SLOTS, /* all slots of each cycle without a retirement */
    PMU_BAD_SPECULATION_SLOTS,
    PMU_BACKEND_SLOTS,
    PMU_MISPREDICTS,
    PMU_MISPREDICTED_CONDITIONAL,
    PMU_MISPREDICTED_TAKEN,
    PMU_MISPREDICTED_RETURNS,
    PMU_L1D_REPLACEMENTS, /* lines inserted into the L1D */
    PMU_LOADS_L1_HIT,     /* instructions that load, all their lines found in the L1D */
    PMU_LOADS_L1_MISS,
    PMU_LLC_REFERENCES,
    PMU_LLC_MISSES,
    PMU_SOURCES
} PMUSource;

#define PMU_WIDTH 4 /* slots: instructions that can retire in a cycle */

/* Stalled cycles, in order of time: for the caches, then for a misprediction. */
enum {
    PMU_STALL_CACHE,
    PMU_STALL_MISPREDICT,
    PMU_STALLS,
};

typedef struct PMUStall {
    uint32_t cycles;
    uint16_t each[PMU_SOURCES]; /* counts of each of them */
} PMUStall;

/*
 * The counts of one instruction, in order of time: its own, with those of the cycle that it opens,
 * then those of the stalls that it causes. A stall ends the cycle.
 */
typedef struct PMUStep {
    bool opens_cycle; /* the previous cycle has ended */
    uint32_t added[PMU_SOURCES];
    PMUStall stall[PMU_STALLS];
    const struct PMUTraffic *traffic; /* its effects on lines outside the core; NULL: none */
    uint32_t llc_cycles;              /* stall cycles for hits in the LLC, */
    uint32_t memory_cycles;           /* and for misses */
} PMUStep;

/* ---- the core: caches, predictor, cycles (pmu_model_core.c) --------------------------------- */
typedef struct PMUCore PMUCore;

/* It cannot be used before its first reset, which reads the caches' sizes from CPUID leaf 4. */
PMUCore *pmu_core_new(CPUX86State *env);

/* Empties the caches and the return stack, and resets the predictor. */
void pmu_core_reset(PMUCore *core);

/* The current instruction is about to access memory. The access counts when it retires. */
void pmu_core_access(PMUCore *core, uint64_t address, unsigned bytes, bool store);

/*
 * The instruction at linear address `pc` has retired with this class; `after` is the address of the
 * next instruction, `next` the target of an indirect branch or a return. Fills *step.
 */
void pmu_core_retire(PMUCore *core, uint64_t pc, uint64_t after, uint64_t next, int class, int ring,
                     PMUStep *step);

/* The open cycle ends, because a PMU register is accessed. The next instruction opens another. */
void pmu_core_end_cycle(PMUCore *core);

#include "pmu_model_outside.h"

/* ---- events by CPU (pmu_model_events.c) ----------------------------------------------------- */

/* The source that an encoding (unit mask 15:8, event select 7:0) counts, or PMU_NOTHING. */
PMUSource pmu_event_source(const CPUX86State *env, uint16_t encoding);

/* The same on a core of another type (CPUID.1AH:EAX[31:24]) of this machine. */
PMUSource pmu_event_source_on(const CPUX86State *env, uint8_t core_type, uint16_t encoding);

/* The source that a fixed counter counts. */
PMUSource pmu_fixed_source(int index);

/* Whether an instruction of a class is a plain event: 0 or 1. */
unsigned pmu_plain_count(PMUSource source, int class);

/* The number of architectural events in CPUID.0AH:EAX[31:24]. */
unsigned pmu_arch_events_length(const CPUX86State *env);

/* ---- state MSRs (pmu_model_msr_state.c) ----------------------------------------------------- */
typedef struct PMUStateMsrs PMUStateMsrs;
PMUStateMsrs *pmu_state_msrs_new(void);
void pmu_state_msrs_reset(CPUX86State *env, PMUStateMsrs *msrs);
int pmu_state_rdmsr(CPUX86State *env, PMUStateMsrs *msrs, uint32_t msr, uint64_t *value);
int pmu_state_wrmsr(CPUX86State *env, PMUStateMsrs *msrs, uint32_t msr, uint64_t value);

/* Whether the value changes with time or energy. */
bool pmu_state_moves(uint32_t msr);

/*
 * Overheat the CPU, which sets status and log bits; reach a limit for a moment, which sets only its
 * log; change the core clock to another ratio.
 */
void pmu_state_heat(PMUStateMsrs *msrs);
void pmu_state_limit(PMUStateMsrs *msrs);
void pmu_state_change_clock(CPUX86State *env, PMUStateMsrs *msrs);

/* Core ratio now and base ratio: reference cycles = cycles * base / now. */
void pmu_state_ratios(const PMUStateMsrs *msrs, unsigned *now, unsigned *base);

#include "pmu_model_lies.h"

/* ---- the whole ------------------------------------------------------------------------------ */
typedef struct PMUCounter {
    uint64_t value;
    uint64_t in_cycle;  /* occurrences of the event in the open cycle */
    bool condition_was; /* EDGE: the condition held in the previous cycle */
} PMUCounter;

/* Fixed counter 2 under pmu-late-ref. */
typedef struct PMULateRef {
    uint64_t written;
    int64_t due;    /* QEMU's virtual clock when `written` takes effect; 0: nothing is written */
    bool overflowed; /* the status bit comes back until a written value takes effect */
} PMULateRef;

/* The decoded registers of a running counter. */
typedef struct PMUWatch {
    uint8_t counter;
    PMUSource source;
    bool rings[PMU_RINGS];
    bool any;
    bool inv;
    bool edge;
    uint8_t cmask; /* 0: counts events; else cycles with at least this many */
    bool interrupt;
    bool late;       /* should have stopped, but counts on as pmu-late says */
    uint64_t top;    /* the highest value that it can have */
    uint64_t status; /* its bit in IA32_PERF_GLOBAL_STATUS; 0: it lies about its width */
} PMUWatch;

typedef struct PMUState {
    uint64_t select[PMU_GP_MAX];
    PMUCounter counter[PMU_COUNTERS];
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t smm_debugctl; /* IA32_DEBUGCTL before SMM, while smm_frozen */
    bool smm_frozen;       /* FREEZE_WHILE_SMM has stopped the counters */
    uint64_t pebs_enable;
    PMULateRef late_ref;
    bool sequence_done; /* under pmu-count-cycles: counters count what they are programmed to */
    uint64_t metric_slots[4]; /* retiring, bad speculation, frontend, backend: as in 329h */

    PMUWatch watch[PMU_COUNTERS]; /* the running counters */
    int watches;
    bool stale;      /* registers have changed without a write: decode watch[] again */
    bool cycle_open; /* conditions have yet to be evaluated for the open cycle */
    int cycle_ring;
    uint32_t late_left; /* instructions that the late counter still counts */
    bool stepped;    /* the current WRMSR was stepped already */
    uint64_t seen[PMU_RINGS][PMU_CLASSES]; /* the part of `retired` that has been counted */
    uint64_t sibling_seen[PMU_RINGS][PMU_CLASSES];

    uint32_t opens; /* writes so far that enabled counters */
    bool hung;
    uint32_t sipis;     /* starts since software first wrote a PMU register */
    bool start_counted; /* a SIPI has come since the last INIT */
    bool injecting;
    uint32_t inject_left;   /* instructions until the injection */
    uint32_t inject_more;   /* further injections after this opening */
    uint64_t tsc_offset;    /* preserved by INIT */
    uint64_t smm_entered;   /* instructions retired before SMM was entered */
    uint32_t noise;         /* state of the noisy counter's generator */

    PMUCore *core;
    PMUStateMsrs *msrs;
    PMUUncoreView *uncore;
} PMUState;

/* ---- registers (pmu_model_registers.c) ------------------------------------------------------ */
typedef enum PMUKind {
    PMU_REG_SELECT,
    PMU_REG_COUNTER,
    PMU_REG_COUNTER_FULL,
    PMU_REG_FIXED,
    PMU_REG_FIXED_CTRL,
    PMU_REG_STATUS,
    PMU_REG_GLOBAL_CTRL,
    PMU_REG_STATUS_RESET,
    PMU_REG_STATUS_SET,
    PMU_REG_INUSE,
    PMU_REG_CAPABILITIES,
    PMU_REG_METRICS,
    PMU_REG_DEBUGCTL,
    PMU_REG_PEBS_ENABLE,
} PMUKind;

typedef struct PMURegister {
    PMUKind kind;
    uint32_t index;
} PMURegister;

/* False: not a PMU register. A PMU register may still not exist on this CPU. */
bool pmu_register_find(const PMUModel *p, uint32_t msr, PMURegister *r);
bool pmu_register_exists(const PMUModel *p, PMURegister r);

/* A general counter that only CPUID reports: it accepts every write and reads 0. */
bool pmu_register_is_promised(const CPUX86State *env, PMURegister r);

/* The writable bits; 0 for a read-only register. */
uint64_t pmu_register_writable(const CPUX86State *env, PMURegister r);

/* The value of a register that exists. */
uint64_t pmu_register_read(const PMUModel *p, PMURegister r);
void pmu_register_write(PMUModel *p, PMURegister r, uint64_t value);

/* Lets a value that was written to fixed counter 2 take effect if it is due. */
void pmu_late_ref(PMUModel *p);

/* ---- a dump of all registers (pmu_model_dump.c) --------------------------------------------- */
void pmu_dump_realize(CPUX86State *env);

/* ---- small things --------------------------------------------------------------------------- */
static inline uint64_t pmu_low_bits(unsigned count)
{
    return count ? MAKE_64BIT_MASK(0, count) : 0;
}

/* One bit for each counter, as in IA32_PERF_GLOBAL_CTRL and _STATUS. */
uint64_t pmu_counter_bits(const PMUModel *p);

/* ---- counting (pmu_model_counter.c, pmu_model_metrics.c, pmu_model_count.c) ----------------- */

/* Whether a counter has CMASK or EDGE, and so counts cycles, not events. */
static inline bool pmu_has_condition(const PMUWatch *w)
{
    return w->cmask || w->edge;
}

/* Adds `by` to a counter; an overflow sets its status bit, and may interrupt. */
void pmu_counter_advance(CPUX86State *env, const PMUWatch *w, uint64_t by);

/* Adds the events of an instruction to all running counters. */
void pmu_counters_step(CPUX86State *env, const PMUStep *step, int ring);

/* Ends the open cycle: evaluates the conditions of counters for it. */
void pmu_counters_end_cycle(CPUX86State *env);

/* PERF_METRICS counts while fixed counter 3 does, and in its rings. */
bool pmu_metrics_run(const PMUModel *p, int ring);
void pmu_metrics_step(PMUModel *p, const PMUStep *step, int ring);

/* The register, computed from the slots; a write computes the slots from the register. */
uint64_t pmu_metrics_read(const PMUState *s);
void pmu_metrics_write(PMUState *s, uint64_t value);

/* The instructions that this CPU has retired, in all rings. */
uint64_t pmu_total_retired(const PMUModel *p);

/* Updates every counter to the last retired instruction, and ends the open cycle. */
void pmu_count_sync(CPUX86State *env);

/* Retires and counts a WRMSR that is about to change a PMU register, under the old state. */
void pmu_count_this_wrmsr(CPUX86State *env);

/* Counts the instructions of a hypervisor to which an access to an MSR exits. */
void pmu_count_exit(CPUX86State *env);

/* Registers have changed: decides which counters run, and whether that needs detail mode. */
void pmu_count_mode(CPUX86State *env);

/* Puts detail mode into hflags, on which translated code depends, and which INIT too clears. */
static inline void pmu_mark_detail(CPUX86State *env)
{
    env->hflags = env->pmu.detail ? env->hflags | PMU_HF_DETAIL : env->hflags & ~PMU_HF_DETAIL;
}

#endif
