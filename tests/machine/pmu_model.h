/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * barecount's model machine: a performance monitoring unit for QEMU's TCG CPUs.
 *
 * The translator bumps one slot of `retired` for each instruction (pmu_model_translate.h.inc);
 * counters are evaluated from the growth of those slots (pmu_model.c) when software touches a
 * register (pmu_model_msr.c).
 * All state belongs to one CPU and is touched by its own thread alone.
 */
#ifndef I386_TCG_PMU_MODEL_H
#define I386_TCG_PMU_MODEL_H

#define PMU_GP_MAX 8
#define PMU_FIXED_MAX 3

/* What an instruction did: a set, so that each instruction bumps exactly one slot. */
#define PMU_BRANCH 1 /* any control transfer, taken or not */
#define PMU_TAKEN 2  /* a near branch that was taken */
#define PMU_LOAD 4
#define PMU_STORE 8
#define PMU_CLASSES 16

#define PMU_RINGS 2 /* 0: CPL 0; 1: CPL 1 to 3 */

typedef struct PMUModel {
    /* Properties of the CPU, constant once it is realized. */
    uint8_t version;
    uint8_t gp_count;
    uint8_t gp_width;
    uint8_t fixed_count;
    uint8_t fixed_width;
    bool full_width;
    bool left_running;
    bool mute;
    uint32_t gp_fault_msr;
    uint32_t hang_apic_id;
    uint32_t hang_open;
    bool on;

    /* Registers. */
    uint64_t select[PMU_GP_MAX];
    uint64_t counter[PMU_GP_MAX];
    uint64_t fixed_ctrl;
    uint64_t fixed_counter[PMU_FIXED_MAX];
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t pebs_enable;

    /* Writes so far that opened a counter, and whether one of them hung this CPU. */
    uint32_t opens;
    bool hung;

    /* Instructions retired since the CPU was made, and how many of them the counters have seen. */
    uint64_t retired[PMU_RINGS][PMU_CLASSES];
    uint64_t seen[PMU_RINGS][PMU_CLASSES];
} PMUModel;

/* The translator's notes on the instruction that it translates. */
typedef struct PMUInsn {
    bool pending; /* its retirement has not been emitted yet */
    bool near;    /* it is a near branch, if it is a branch */
} PMUInsn;

/* Outcome of an access to a register. */
enum {
    PMU_NOT_MINE = 0, /* not a register of this PMU, or there is no PMU */
    PMU_DONE = 1,
    PMU_FAULT = -1, /* the caller raises #GP(0) */
};

#define PMU_MODEL_PROPERTIES                                                   \
    DEFINE_PROP_UINT8("pmu-version", X86CPU, env.pmu.version, 4),              \
    DEFINE_PROP_UINT8("pmu-gp", X86CPU, env.pmu.gp_count, 4),                  \
    DEFINE_PROP_UINT8("pmu-width", X86CPU, env.pmu.gp_width, 48),              \
    DEFINE_PROP_UINT8("pmu-fixed", X86CPU, env.pmu.fixed_count, 3),            \
    DEFINE_PROP_UINT8("pmu-fixed-width", X86CPU, env.pmu.fixed_width, 48),     \
    DEFINE_PROP_BOOL("pmu-full-width", X86CPU, env.pmu.full_width, true),      \
    DEFINE_PROP_BOOL("pmu-left-running", X86CPU, env.pmu.left_running, false), \
    DEFINE_PROP_BOOL("pmu-mute", X86CPU, env.pmu.mute, false),                 \
    DEFINE_PROP_UINT32("pmu-gp-msr", X86CPU, env.pmu.gp_fault_msr, UINT32_MAX),\
    DEFINE_PROP_UINT32("pmu-hang-cpu", X86CPU, env.pmu.hang_apic_id, UINT32_MAX),\
    DEFINE_PROP_UINT32("pmu-hang-open", X86CPU, env.pmu.hang_open, 1)

#define PMU_SELECT_INT (1u << 20)
#define PMU_SELECT_EN (1u << 22)
#define PMU_STATUS_CTR_FRZ (1ull << 59)

static inline uint64_t pmu_low_bits(unsigned count)
{
    return MAKE_64BIT_MASK(0, count);
}

/* One bit for each counter, where IA32_PERF_GLOBAL_CTRL and _STATUS have it. */
uint64_t pmu_counter_bits(const PMUModel *p);

/* IA32_PERF_GLOBAL_INUSE. */
uint64_t pmu_inuse(const PMUModel *p);

/* Instructions that this CPU has completed, in all rings. */
uint64_t pmu_total_retired(const PMUModel *p);

/* Bring every counter up to the last instruction that has retired. */
void pmu_model_sync(PMUModel *p);

/* Check the properties and decide whether this CPU has a PMU. False: *errp says why not. */
bool pmu_model_realize(CPUArchState *env, Error **errp);

/* Power-up and system reset: registers to their reset values. */
void pmu_model_reset(CPUArchState *env);

/* INIT: registers keep their values, and a hung CPU answers again. */
void pmu_model_init(CPUArchState *env, const PMUModel *before);

/*
 * A write has opened a counter. Does not return when the CPU is told to hang at this one: it stops
 * as one that does not answer, with RIP at the WRMSR, so that an NMI does not free it.
 */
void pmu_model_opened(CPUArchState *env);

/* CPUID leaf 0AH; leaves the registers alone when there is no PMU. */
void pmu_model_cpuid(CPUArchState *env, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                     uint32_t *edx);

/* RDMSR, WRMSR and RDPMC: PMU_NOT_MINE, PMU_DONE or PMU_FAULT. The value is EDX:EAX. */
int pmu_model_rdmsr(CPUArchState *env, uint32_t msr, uint64_t *value);
int pmu_model_wrmsr(CPUArchState *env, uint32_t msr, uint64_t value);
int pmu_model_rdpmc(CPUArchState *env, uint32_t ecx, uint64_t *value);

#endif
