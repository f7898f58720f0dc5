/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the PMU model share with each other, and nobody else sees. */
#ifndef I386_TCG_PMU_MODEL_STATE_H
#define I386_TCG_PMU_MODEL_STATE_H

#include "cpu.h"
#include "qemu/main-loop.h"
#include "pmu_model_compat.h"

#define PMU_GP_MAX 8
#define PMU_FIXED_MAX 4
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
 * What can be counted. The first group follows from an instruction's class alone (plain); the rest
 * is told by the core's model, instruction by instruction. README.md has the formulas.
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
    PMU_PLAIN, /* how many plain ones there are */
    PMU_CYCLES = PMU_PLAIN,
    PMU_REFERENCE_CYCLES,
    PMU_BUS_CYCLES, /* of the bus clock or the crystal, where event 3C/01 counts these */
    PMU_SLOTS,
    PMU_STALLED_SLOTS, /* all the slots of each cycle in which nothing retires */
    PMU_BAD_SPECULATION_SLOTS,
    PMU_BACKEND_SLOTS,
    PMU_MISPREDICTS,
    PMU_MISPREDICTED_CONDITIONAL,
    PMU_MISPREDICTED_TAKEN,
    PMU_MISPREDICTED_RETURNS,
    PMU_L1D_REPLACEMENTS, /* lines brought into the L1D */
    PMU_LOADS_L1_HIT,     /* instructions that load, by where the last of their lines was found */
    PMU_LOADS_L1_MISS,
    PMU_LLC_REFERENCES,
    PMU_LLC_MISSES,
    PMU_SOURCES
} PMUSource;

#define PMU_WIDTH 4 /* instructions that can retire in a cycle: its slots */

/* Cycles in which nothing retires, in order of time: for the caches, then for a wrong guess. */
enum {
    PMU_STALL_CACHE,
    PMU_STALL_MISPREDICT,
    PMU_STALLS,
};

typedef struct PMUStall {
    uint32_t cycles;
    uint16_t each[PMU_SOURCES]; /* what each of them adds */
} PMUStall;

/*
 * What one instruction has added, in order of time: its own counts, with those of the cycle that
 * it opens, and the stalls that it causes. After a stall the cycle is closed.
 */
typedef struct PMUStep {
    bool opens_cycle; /* the cycle before it has ended */
    uint32_t added[PMU_SOURCES];
    PMUStall stall[PMU_STALLS];
    const struct PMUTraffic *traffic; /* of lines outside the core; NULL: none */
    uint32_t llc_cycles;              /* of the caches' stall: for what the LLC had, */
    uint32_t memory_cycles;           /* and had not */
} PMUStep;

/* ---- the core: caches, predictor, cycles (pmu_model_core.c) --------------------------------- */
typedef struct PMUCore PMUCore;

/* Of no use before the first reset, which takes the caches' sizes as CPUID leaf 4 names them. */
PMUCore *pmu_core_new(CPUX86State *env);

/* Caches and stack of returns are empty, the predictor in its first state. */
void pmu_core_reset(PMUCore *core);

/* An access of the instruction that runs, before it is made. It counts with its instruction. */
void pmu_core_access(PMUCore *core, uint64_t address, unsigned bytes, bool store);

/*
 * The instruction at linear address `pc` has retired with this class; `next` is the linear address
 * where an indirect branch or a return went, `after` that of the instruction behind it. Fills
 * *step.
 */
void pmu_core_retire(PMUCore *core, uint64_t pc, uint64_t after, uint64_t next, int class, int ring,
                     PMUStep *step);

/* The open cycle ends: a register of the PMU is touched. The next instruction opens another. */
void pmu_core_end_cycle(PMUCore *core);

#include "pmu_model_outside.h"

/* ---- events by CPU (pmu_model_events.c) ----------------------------------------------------- */

/* What an encoding (unit mask 15:8, event select 7:0) counts on this CPU; PMU_NOTHING: nothing. */
PMUSource pmu_event_source(const CPUX86State *env, uint16_t encoding);

/* The same on a core of another type (CPUID.1AH:EAX[31:24]) of this machine. */
PMUSource pmu_event_source_on(const CPUX86State *env, uint8_t core_type, uint16_t encoding);

/* What a fixed counter counts. */
PMUSource pmu_fixed_source(int index);

/* How often an instruction of a class does something plain: 0 or 1. */
unsigned pmu_plain_count(PMUSource source, int class);

/* How many architectural events CPUID.0AH:EAX[31:24] lists. */
unsigned pmu_arch_events_length(const CPUX86State *env);

/* ---- state MSRs (pmu_model_msr_state.c) ----------------------------------------------------- */
typedef struct PMUStateMsrs PMUStateMsrs;
PMUStateMsrs *pmu_state_msrs_new(void);
void pmu_state_msrs_reset(CPUX86State *env, PMUStateMsrs *msrs);
int pmu_state_rdmsr(CPUX86State *env, PMUStateMsrs *msrs, uint32_t msr, uint64_t *value);
int pmu_state_wrmsr(CPUX86State *env, PMUStateMsrs *msrs, uint32_t msr, uint64_t value);

/* RDMSR shows another value by itself: time and energy. */
bool pmu_state_moves(uint32_t msr);

/*
 * It gets too hot: status and log bits are set. A limit has been reached for a moment: its log
 * alone is set. The core clock changes to another ratio.
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
    uint64_t in_cycle;  /* how often its event happened in the open cycle */
    bool condition_was; /* EDGE: the condition held in the cycle before */
} PMUCounter;

/* What a counter that runs counts: its registers, decoded. */
typedef struct PMUWatch {
    uint8_t counter;
    PMUSource source;
    bool rings[PMU_RINGS];
    bool any;
    bool inv;
    bool edge;
    uint8_t cmask; /* 0: how often the event happens; else whether so often in a cycle */
    bool interrupt;
    bool late;       /* it should have stopped, and lies */
    uint64_t top;    /* the highest value that it shows */
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
    uint64_t metric_slots[4]; /* retiring, bad speculation, frontend, backend: as in 329h */

    PMUWatch watch[PMU_COUNTERS]; /* the counters that run */
    int watches;
    bool stale;      /* registers have changed of themselves: watch[] must be made anew */
    bool cycle_open; /* the core's cycle has counts that no condition has judged yet */
    int cycle_ring;
    uint32_t late_left; /* instructions that the late counter still counts */
    bool stepped;    /* the WRMSR that runs has been stepped already */
    uint64_t seen[PMU_RINGS][PMU_CLASSES]; /* how much of `retired` the counters have seen */
    uint64_t sibling_seen[PMU_RINGS][PMU_CLASSES];

    uint32_t opens; /* writes so far that opened counters */
    bool hung;
    uint32_t sipis;     /* starts since software first wrote a register of the PMU */
    bool start_counted; /* a SIPI has come since the last INIT */
    bool injecting;
    uint32_t inject_left;   /* instructions until then */
    uint32_t inject_more;   /* injections that are still to come behind this opening */
    uint64_t tsc_offset;    /* what a reset by INIT shall keep */
    uint64_t smm_entered;   /* instructions retired when SMM was entered */
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

/* False: the MSR is none of the PMU's. One that is may still not exist on this CPU. */
bool pmu_register_find(const PMUModel *p, uint32_t msr, PMURegister *r);
bool pmu_register_exists(const PMUModel *p, PMURegister r);

/* A general counter that CPUID promises, and that takes every write and reads 0. */
bool pmu_register_is_promised(const CPUX86State *env, PMURegister r);

/* Bits that may be written as 1; 0 for a read-only register. */
uint64_t pmu_register_writable(const CPUX86State *env, PMURegister r);

/* The values of registers that exist. */
uint64_t pmu_register_read(const PMUModel *p, PMURegister r);
void pmu_register_write(PMUModel *p, PMURegister r, uint64_t value);

/* ---- a dump of all registers (pmu_model_dump.c) --------------------------------------------- */
void pmu_dump_realize(CPUX86State *env);

/* ---- small things --------------------------------------------------------------------------- */
static inline uint64_t pmu_low_bits(unsigned count)
{
    return count ? MAKE_64BIT_MASK(0, count) : 0;
}

/* One bit for each counter, where IA32_PERF_GLOBAL_CTRL and _STATUS have it. */
uint64_t pmu_counter_bits(const PMUModel *p);

/* ---- counting (pmu_model_counter.c, pmu_model_metrics.c, pmu_model_count.c) ----------------- */

/* CMASK or EDGE: cycles are counted, not events. */
static inline bool pmu_has_condition(const PMUWatch *w)
{
    return w->cmask || w->edge;
}

/* The counter counts `by` more; at overflow its status bit is set, and it may interrupt. */
void pmu_counter_advance(CPUX86State *env, const PMUWatch *w, uint64_t by);

/* All counters that run count what an instruction has added. */
void pmu_counters_step(CPUX86State *env, const PMUStep *step, int ring);

/* The open cycle has ended: counters with a condition judge it. */
void pmu_counters_end_cycle(CPUX86State *env);

/* PERF_METRICS counts while fixed counter 3 does, and in its rings. */
bool pmu_metrics_run(const PMUModel *p, int ring);
void pmu_metrics_step(PMUModel *p, const PMUStep *step, int ring);

/* The register: fractions of the slots, and the slots that fixed counter 3 shows from fractions. */
uint64_t pmu_metrics_read(const PMUState *s);
void pmu_metrics_write(PMUState *s, uint64_t value);

/* Instructions that this CPU has completed, in all rings. */
uint64_t pmu_total_retired(const PMUModel *p);

/* Bring every counter up to the last instruction that has retired, and end the open cycle. */
void pmu_count_sync(CPUX86State *env);

/* A WRMSR to the PMU is about to change it: it retires, and is counted, under the state before. */
void pmu_count_this_wrmsr(CPUX86State *env);

/* Registers have changed: which counters run from now on, and whether that needs detail. */
void pmu_count_mode(CPUX86State *env);

/* Translated code goes by hflags, which a reset clears, and INIT too. */
static inline void pmu_mark_detail(CPUX86State *env)
{
    env->hflags = env->pmu.detail ? env->hflags | PMU_HF_DETAIL : env->hflags & ~PMU_HF_DETAIL;
}

#endif
