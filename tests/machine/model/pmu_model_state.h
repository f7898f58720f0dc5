/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that only the files of the PMU model use. */
#ifndef I386_TCG_PMU_MODEL_STATE_H
#define I386_TCG_PMU_MODEL_STATE_H

#include "cpu.h"
#include "qemu/main-loop.h"
#include "pmu_model_compat.h"

#define PMU_GP_MAX 10
#define PMU_FIXED_MAX 7
#define PMU_FIXED_REF 2
#define PMU_WIDTH_MAX 48
#define PMU_COUNTERS (PMU_GP_MAX + PMU_FIXED_MAX) /* in arrays, general counters come first */

#define AMD_LEGACY 4 /* number of counters whose MSRs also have legacy numbers */

#define PMU_SELECT_USR (1u << 16)
#define PMU_SELECT_OS (1u << 17)
#define PMU_SELECT_EDGE (1u << 18)
#define PMU_SELECT_INT (1u << 20)
#define PMU_SELECT_ANY (1u << 21)
#define PMU_SELECT_EN (1u << 22)
#define PMU_SELECT_INV (1u << 23)
#define PMU_SELECT_EQ (1ull << 36)         /* version 6 */
#define PMU_SELECT_UMASK2 (0xffull << 40) /* version 6 */
#define PMU_SELECT_EVENT_HIGH (0xfull << 32) /* AMD: bits 11:8 of the event */
#define PMU_SELECT_GUEST_ONLY (1ull << 40) /* AMD */
#define PMU_SELECT_HOST_ONLY (1ull << 41) /* AMD */
#define PMU_SELECT_PREC_RET (1ull << 43)  /* AMD, counter 2 only */
#define PMU_PREC_RET_COUNTER 2
#define PMU_STATUS_METRICS (1ull << 48)
#define PMU_STATUS_LBR_FRZ (1ull << 58)
#define PMU_STATUS_CTR_FRZ (1ull << 59)
#define PMU_STATUS_UNCORE (1ull << 61)
#define PMU_DEBUGCTL_FREEZE_LBRS (1u << 11)
#define PMU_DEBUGCTL_FREEZE_COUNTERS (1u << 12)
#define PMU_DEBUGCTL_UNCORE_PMI (1u << 13)
#define PMU_DEBUGCTL_FREEZE_SMM (1u << 14)

/*
 * The sources before PMU_PLAIN are plain. The counts of a plain source follow from the classes of
 * the retired instructions, unless the source's events belong to no instruction. The other sources
 * are computed for each instruction in detail mode (README.md).
 */
typedef enum PMUSource {
    PMU_NOTHING,
    PMU_INSTRUCTIONS,
    PMU_BRANCHES,
    PMU_CONDITIONAL,
    PMU_CONDITIONAL_TAKEN,
    PMU_FORWARD_TAKEN, /* of these, those to a higher address */
    PMU_BACKWARD_TAKEN,
    PMU_NOT_TAKEN,
    PMU_NEAR_TAKEN,
    PMU_NEAR_CALLS,
    PMU_NEAR_RETURNS,
    PMU_INDIRECT_BRANCHES, /* near jumps and calls */
    PMU_INDIRECT_OR_RETURNS,
    PMU_DIRECT_CALLS,
    PMU_INDIRECT_CALLS,
    PMU_DIRECT_JUMPS,
    PMU_INDIRECT_JUMPS,
    PMU_NEAR_JUMPS, /* both */
    PMU_FAR_BRANCHES,
    PMU_TAKEN, /* near and far branches */
    PMU_LOADS,
    PMU_STORES,
    PMU_NOPS,
    PMU_LOCKED_LOADS,
    PMU_PAUSES,
    PMU_LFENCES,
    PMU_FLUSHES, /* of cache lines */
    PMU_COUNTER_READS,
    PMU_PREFETCHES_NTA,
    PMU_PREFETCHES_T0,
    PMU_PREFETCHES_T1_T2,
    PMU_PREFETCHES_T,
    PMU_PREFETCHES_W,
    PMU_PREFETCHES,
    PMU_DIVISIONS,
    PMU_X87_COMPUTATIONS,
    PMU_X87,
    PMU_MMX,
    PMU_VECTOR_ADDS_128, /* packed integers */
    PMU_VECTOR_ADDS_256,
    PMU_VECTOR_MULTIPLICATIONS_256,
    PMU_VECTOR_256,
    PMU_FP_SCALAR_DOUBLE, /* floating-point computations */
    PMU_FP_SCALAR_SINGLE,
    PMU_FP_128_DOUBLE,
    PMU_FP_128_SINGLE,
    PMU_FP_256_DOUBLE,
    PMU_FP_256_SINGLE,
    PMU_FP_SCALAR, /* sums of these six */
    PMU_FP_VECTOR,
    PMU_FP_128,
    PMU_FP_256,
    PMU_FP_DOUBLE,
    PMU_FP_SINGLE,
    PMU_FP_4_FLOPS,
    PMU_FP_8_FLOPS,
    PMU_SMIS,
    PMU_INTERRUPTS,
    PMU_PLAIN, /* number of plain sources */
    PMU_CYCLES = PMU_PLAIN,
    PMU_REFERENCE_CYCLES,
    PMU_BUS_CYCLES, /* event 3C/01: cycles of the bus clock, the crystal or the TSC */
    PMU_SLOTS,
    PMU_STALLED_SLOTS, /* all slots of cycles in which nothing retires */
    PMU_BAD_SPECULATION_SLOTS,
    PMU_BACKEND_SLOTS,
    PMU_MISPREDICTS,
    PMU_MISPREDICTED_CONDITIONAL,
    PMU_MISPREDICTED_TAKEN,
    PMU_MISPREDICTED_RETURNS,
    PMU_L1D_REPLACEMENTS, /* lines inserted into the L1D */
    PMU_LOADS_L1_HIT,     /* instructions that load, and find all lines in the L1D */
    PMU_LOADS_L1_MISS,
    PMU_SPLIT_LOADS, /* instructions that load across a boundary of 64 bytes */
    PMU_SPLIT_STORES,
    PMU_SPLITS, /* both */
    PMU_LLC_REFERENCES,
    PMU_LLC_MISSES,
    PMU_SPECULATIVE_LOCKS, /* AMD: locked instructions while LS_CFG lets them run ahead */
    PMU_SOURCES
} PMUSource;

#define PMU_WIDTH 4 /* slots in a cycle */

/* The stalls after an instruction, in the order in which they happen. */
enum {
    PMU_STALL_CACHE,
    PMU_STALL_MISPREDICT,
    PMU_STALLS,
};

typedef struct PMUStall {
    uint32_t cycles;
    uint16_t each[PMU_SOURCES]; /* what each of these cycles adds to the sources */
} PMUStall;

/*
 * `added` contains the counts of the instruction, and of the cycle if the instruction opens one.
 * `stall` contains the stalled cycles that follow. A stall ends the cycle.
 */
typedef struct PMUStep {
    bool opens_cycle;
    uint64_t added[PMU_SOURCES];
    PMUStall stall[PMU_STALLS];
    const struct PMUTraffic *traffic; /* NULL: none */
    uint32_t llc_cycles;              /* stall cycles for loads that hit the LLC */
    uint32_t memory_cycles;           /* stall cycles for loads that miss the LLC */
} PMUStep;

/* ---- the core: caches, predictor, cycles (pmu_model_core.c) --------------------------------- */
typedef struct PMUCore PMUCore;

/* Reset the core before its first use, but not before CPUID gives the sizes of the caches. */
PMUCore *pmu_core_new(CPUX86State *env);

void pmu_core_reset(PMUCore *core);

/* Records a memory access, which is counted when the instruction retires. */
void pmu_core_access(PMUCore *core, uint64_t address, unsigned bytes, bool store);

/*
 * Adds an instruction that has retired at linear address `pc` to step->added, except its counts of
 * plain sources. Sets the other fields of *step. The caller must clear `traffic`, `llc_cycles` and
 * `memory_cycles` first, because this function does not always set them. `after` is the address
 * after the instruction. `next` is the target of an indirect branch or a return.
 */
void pmu_core_retire(PMUCore *core, uint64_t pc, uint64_t after, uint64_t next, int class, int ring,
                     PMUStep *step);

/* What an instruction of this class adds to the plain sources. */
const uint8_t *pmu_core_plain(const PMUCore *core, int class);

/* Ends the open cycle. */
void pmu_core_end_cycle(PMUCore *core);

#include "pmu_model_outside.h"

/* ---- events by CPU (pmu_model_events.c) ----------------------------------------------------- */

/*
 * The source that a counter with this encoding counts, or PMU_NOTHING. Bits 7:0 of an encoding are
 * bits 7:0 of the event. Bits 15:8 are the unit mask. Bits 23:16 are UMASK2, or on AMD bits 11:8 of
 * the event.
 */
PMUSource pmu_event_source(const CPUX86State *env, uint32_t encoding);

/* Like pmu_event_source(), but for a core of this type (CPUID.1AH:EAX[31:24]). */
PMUSource pmu_event_source_on(const CPUX86State *env, uint8_t core_type, uint32_t encoding);

PMUSource pmu_fixed_source(int index);

/* How often a plain source counts an instruction of this class: 0, 1 or 2. */
unsigned pmu_plain_count(PMUSource source, int class);

/* The architectural events that the CPU lists, as in CPUID.23H.03H:EAX. */
uint32_t pmu_arch_events(const CPUX86State *env);

/* ---- state MSRs (pmu_model_msr_state.c) ----------------------------------------------------- */
typedef struct PMUStateMsrs PMUStateMsrs;
PMUStateMsrs *pmu_state_msrs_new(void);
void pmu_state_msrs_reset(CPUX86State *env, PMUStateMsrs *msrs);
int pmu_state_rdmsr(CPUX86State *env, PMUStateMsrs *msrs, uint32_t msr, uint64_t *value);
int pmu_state_wrmsr(CPUX86State *env, PMUStateMsrs *msrs, uint32_t msr, uint64_t value);

bool pmu_state_moves(uint32_t msr);

/*
 * pmu_state_heat() sets status and log bits. pmu_state_limit() sets only the log bit.
 * pmu_state_change_clock() changes the ratio of the core clock from base to base + 2, or back.
 */
void pmu_state_heat(PMUStateMsrs *msrs);
void pmu_state_limit(PMUStateMsrs *msrs);
void pmu_state_change_clock(CPUX86State *env, PMUStateMsrs *msrs);

/* The current ratio and the base ratio of the core: reference cycles = cycles * base / now. */
void pmu_state_ratios(const PMUStateMsrs *msrs, unsigned *now, unsigned *base);

/* AMD: whether LS_CFG lets locked instructions run ahead of earlier instructions. */
bool pmu_state_speculates_locks(const PMUStateMsrs *msrs);

/* Whether HWCR lets software write any value to the status of a machine-check bank. */
bool pmu_state_mca_writable(const PMUStateMsrs *msrs);

/* ---- AMD's machine-check banks (pmu_model_banks.c) ------------------------------------------ */

/* Read or write a register of a bank, and return PMU_NOT_MINE for other registers. */
int pmu_bank_rdmsr(const CPUX86State *env, uint32_t msr, uint64_t *value);
int pmu_bank_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value);

#include "pmu_model_lies.h"

/* ---- state of the PMU ----------------------------------------------------------------------- */
typedef struct PMUCounter {
    uint64_t value;
    uint64_t in_cycle;  /* occurrences of the event in the open cycle */
    bool condition_was; /* for EDGE: whether the condition was met in the previous cycle */
} PMUCounter;

typedef struct PMULateRef {
    uint64_t written;
    int64_t due;    /* when `written` takes effect: QEMU_CLOCK_VIRTUAL in ns; 0: never */
    bool overflowed; /* until `written` takes effect, a cleared status bit is set again */
} PMULateRef;

typedef struct PMUWatch {
    uint8_t counter;
    PMUSource source;
    bool rings[PMU_RINGS];
    bool any;
    bool inv;
    bool edge;
    uint8_t cmask; /* n: counts cycles with at least n events (`inv`: fewer); 0: counts events */
    bool eq;       /* counts cycles with exactly `cmask` events (`inv`: another number) */
    bool interrupt;
    bool detail;     /* false: is computed from `retired` */
    bool late;       /* counts only because of pmu-late */
    bool overcounts;
    uint32_t lie_plus;   /* added when the counter starts */
    uint32_t lie_factor; /* how often each event is counted */
    bool lies_high;      /* lie_factor applies only from 2^32 on */
    uint64_t top;    /* mask of the width, which pmu-wrap reduces */
    uint64_t status; /* the counter's bit in IA32_PERF_GLOBAL_STATUS; 0 if pmu-wrap applies */
} PMUWatch;

typedef struct PMUState {
    uint64_t select[PMU_GP_MAX];
    PMUCounter counter[PMU_COUNTERS];
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t smm_debugctl; /* if smm_frozen: IA32_DEBUGCTL before SMM */
    bool smm_frozen;
    uint64_t pebs_enable;
    PMULateRef late_ref;
    bool sequence_done; /* for pmu-count-cycles */
    uint64_t metric_slots[4]; /* in the order of the fields of MSR 329h */
    uint32_t overcount_starts[PMU_GP_MAX]; /* for pmu-overcounts */
    uint64_t bank_config[MCE_BANKS_DEF];

    PMUWatch watch[PMU_COUNTERS]; /* the running counters */
    int watches;
    const PMUWatch *detail[PMU_COUNTERS];
    int details;
    bool lazy;       /* the counters of detail[] advance from `sum`, not with each instruction */
    PMUStep sum[PMU_RINGS];
    bool stale;      /* watch[] must be decoded again, although no register was written */
    bool cycle_open;
    int cycle_ring;
    uint32_t late_left; /* for pmu-late: number of instructions still to count */
    bool stepped;    /* the current instruction has already been counted */
    uint64_t seen[PMU_RINGS][PMU_CLASSES]; /* `retired` when the counters were last updated */
    uint64_t sibling_seen[PMU_RINGS][PMU_CLASSES];

    uint32_t opens;
    bool hung;
    uint32_t sipis;     /* starts by SIPI since software first wrote a PMU register */
    bool start_counted; /* a SIPI has come since the last INIT */
    bool injecting;
    uint32_t inject_left;   /* instructions until the injection */
    uint32_t inject_more;   /* injections still due */
    uint64_t tsc_offset;    /* preserved by INIT */
    uint64_t smm_entered;   /* retired instructions at entry */
    uint32_t noise;         /* for pmu-noisy */

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
    int version; /* first version with the register */
} PMURegister;

/* Whether this is the number of a PMU register, even if this CPU lacks the register. */
bool pmu_register_find(const PMUModel *p, uint32_t msr, PMURegister *r);
bool pmu_register_exists(const PMUModel *p, PMURegister r);

/*
 * Whether the register's counter does not exist although CPUID reports it (pmu-promised). The
 * register of such a counter accepts all writes and reads 0.
 */
bool pmu_register_is_promised(const CPUX86State *env, PMURegister r);

/* The writable bits; 0 for a read-only register. */
uint64_t pmu_register_writable(const CPUX86State *env, PMURegister r);

/* The register must exist. */
uint64_t pmu_register_read(const PMUModel *p, PMURegister r);
void pmu_register_write(PMUModel *p, PMURegister r, uint64_t value);

/*
 * For pmu-late-ref: lets a value that was written to fixed counter 2 take effect after its delay.
 * Before that, sets the counter's status bit again if the counter had overflowed.
 */
void pmu_late_ref(PMUModel *p);

/* ---- a dump of all registers (pmu_model_dump.c) --------------------------------------------- */
void pmu_dump_realize(CPUX86State *env);

/* ---- bits of counters ----------------------------------------------------------------------- */
static inline uint64_t pmu_low_bits(unsigned count)
{
    return count ? MAKE_64BIT_MASK(0, count) : 0;
}

/* One bit for each counter, as in IA32_PERF_GLOBAL_CTRL and _STATUS. */
uint64_t pmu_counter_bits(const PMUModel *p);

/* ---- counting (pmu_model_counter.c, pmu_model_metrics.c, pmu_model_count.c) ----------------- */

static inline bool pmu_has_condition(const PMUWatch *w)
{
    return w->cmask || w->edge;
}

/* Adds `by` to a counter, with the effects of an overflow. */
void pmu_counter_advance(CPUX86State *env, const PMUWatch *w, uint64_t by);

void pmu_counters_step(CPUX86State *env, const PMUStep *step, int ring);

/*
 * Adds 1 to the counters of this source that count in this ring (PMU_RINGS: in any ring). The event
 * belongs to no cycle, so counters with a condition miss the event.
 */
void pmu_counters_event(CPUX86State *env, PMUSource source, int ring);

/* Ends the open cycle, and evaluates conditions for it. */
void pmu_counters_end_cycle(CPUX86State *env);

bool pmu_metrics_run(const PMUModel *p, int ring);
void pmu_metrics_step(PMUModel *p, const PMUStep *step, int ring);

/* PERF_METRICS is stored as `metric_slots`. */
uint64_t pmu_metrics_read(const PMUState *s);
void pmu_metrics_write(PMUState *s, uint64_t value);

uint64_t pmu_total_retired(const PMUModel *p);

/* Brings every counter up to date with the last retired instruction, and ends the open cycle. */
void pmu_count_sync(CPUX86State *env);

/* Retires a WRMSR that is about to change a PMU register, and counts it in the old state. */
void pmu_count_this_wrmsr(CPUX86State *env);

void pmu_count_exit(CPUX86State *env);

/*
 * To be called when registers have changed. Decides which counters run, and which need detail mode.
 */
void pmu_count_mode(CPUX86State *env);

/*
 * Copies detail mode into hflags, because translated code depends on hflags. To be called after
 * INIT, too, because INIT clears hflags.
 */
static inline void pmu_mark_detail(CPUX86State *env)
{
    env->hflags &= ~(PMU_HF_DETAIL | PMU_HF_SINGLE);
    env->hflags |= (env->pmu.detail ? PMU_HF_DETAIL : 0) | (env->pmu.single ? PMU_HF_SINGLE : 0);
}

#endif
