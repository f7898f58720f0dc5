/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's registers: Intel SDM volume 3B, chapter "Performance Monitoring", sections
 * "Architectural Performance Monitoring Version 1" to "Version 5".
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "trace/trace-target_i386.h"

#define SELECT_ANY (1u << 21)

#define STATUS_LBR_FRZ (1ull << 58)
#define STATUS_OVF_BUF (1ull << 62)
#define STATUS_COND_CHGD (1ull << 63)

#define CAPABILITIES_FULL_WIDTH (1ull << 13)

#define DEBUGCTL_BITS 0xffc3ull

/* IA32_MISC_ENABLE: performance monitoring available; no branch trace store, no PEBS. */
#define MISC_ENABLE_PERFMON (1ull << 7)
#define MISC_ENABLE_NO_BTS (1ull << 11)
#define MISC_ENABLE_NO_PEBS (1ull << 12)

typedef enum PMUKind {
    SELECT,
    COUNTER,
    COUNTER_FULL,
    FIXED,
    FIXED_CTRL,
    STATUS,
    GLOBAL_CTRL,
    STATUS_RESET,
    STATUS_SET,
    INUSE,
    CAPABILITIES,
    DEBUGCTL,
    PEBS_ENABLE,
} PMUKind;

/* Ranges are as wide as the architecture's: an access beyond what is advertised is #GP. */
typedef struct PMURange {
    uint32_t msr;
    uint8_t span;
    uint8_t version;
    PMUKind kind;
} PMURange;

static const PMURange ranges[] = {
    { 0x0c1, PMU_GP_MAX, 1, COUNTER },
    { 0x186, PMU_GP_MAX, 1, SELECT },
    { 0x1d9, 1, 1, DEBUGCTL },
    { 0x309, 4, 2, FIXED },
    { 0x345, 1, 2, CAPABILITIES },
    { 0x38d, 1, 2, FIXED_CTRL },
    { 0x38e, 1, 2, STATUS },
    { 0x38f, 1, 2, GLOBAL_CTRL },
    { 0x390, 1, 2, STATUS_RESET },
    { 0x391, 1, 4, STATUS_SET },
    { 0x392, 1, 4, INUSE },
    { 0x3f1, 1, 1, PEBS_ENABLE },
    { 0x4c1, PMU_GP_MAX, 2, COUNTER_FULL },
};

/* Two registers are the model's only where firmware has left something in them. */
static const PMURange *find_range(const PMUModel *p, uint32_t msr)
{
    for (int i = 0; i < ARRAY_SIZE(ranges); i++) {
        bool there = p->left_running ||
                     (ranges[i].kind != DEBUGCTL && ranges[i].kind != PEBS_ENABLE);

        if (there && msr >= ranges[i].msr && msr < ranges[i].msr + ranges[i].span) {
            return &ranges[i];
        }
    }
    return NULL;
}

static bool exists(const PMUModel *p, const PMURange *range, uint32_t index)
{
    if (p->version < range->version) {
        return false;
    }
    switch (range->kind) {
    case SELECT:
    case COUNTER:
        return index < p->gp_count;
    case COUNTER_FULL:
        return index < p->gp_count && p->full_width;
    case FIXED:
        return index < p->fixed_count;
    case CAPABILITIES:
        return p->full_width;
    default:
        return true;
    }
}

/* Bits that may be written as 1; 0 for a read-only register. */
static uint64_t writable(const PMUModel *p, PMUKind kind)
{
    bool any_thread = p->version == 3 || p->version == 4;
    uint64_t bits = 0;

    switch (kind) {
    case SELECT:
        return UINT32_MAX & ~(any_thread ? 0 : SELECT_ANY);
    case COUNTER:
        return UINT64_MAX; /* bits 63:32 are ignored */
    case COUNTER_FULL:
        return pmu_low_bits(p->gp_width);
    case FIXED:
        return pmu_low_bits(p->fixed_width);
    case FIXED_CTRL:
        for (int i = 0; i < p->fixed_count; i++) {
            bits |= (any_thread ? 0xfull : 0xbull) << 4 * i;
        }
        return bits;
    case GLOBAL_CTRL:
        return pmu_counter_bits(p);
    case STATUS_RESET:
        return pmu_counter_bits(p) | STATUS_OVF_BUF | STATUS_COND_CHGD |
               (p->version >= 4 ? PMU_STATUS_CTR_FRZ | STATUS_LBR_FRZ : 0);
    case STATUS_SET:
        return pmu_counter_bits(p) | PMU_STATUS_CTR_FRZ;
    case DEBUGCTL:
        return DEBUGCTL_BITS;
    case PEBS_ENABLE:
        return pmu_low_bits(p->gp_count);
    default:
        return 0;
    }
}

/*
 * A WRMSR that changes the PMU retires under the state before the change, so one that opens a
 * counter is not counted and one that closes it is. The helper runs before the translator's bump
 * for the WRMSR itself: show the counters that bump early, then leave it to be made.
 */
static void sync_with_this_wrmsr(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    uint64_t *slot = &p->retired[(env->hflags & HF_CPL_MASK) != 0][0];

    *slot += 1;
    pmu_model_sync(p);
    *slot -= 1;
}

/* Where a register keeps its value; NULL for one that keeps none. */
static uint64_t *stored(PMUModel *p, PMUKind kind, uint32_t index)
{
    switch (kind) {
    case SELECT:
        return &p->select[index];
    case COUNTER:
    case COUNTER_FULL:
        return &p->counter[index];
    case FIXED:
        return &p->fixed_counter[index];
    case FIXED_CTRL:
        return &p->fixed_ctrl;
    case STATUS:
        return &p->global_status;
    case GLOBAL_CTRL:
        return &p->global_ctrl;
    case DEBUGCTL:
        return &p->debugctl;
    case PEBS_ENABLE:
        return &p->pebs_enable;
    default:
        return NULL;
    }
}

static uint64_t read_register(PMUModel *p, PMUKind kind, uint32_t index)
{
    const uint64_t *place = stored(p, kind, index);

    if (kind == INUSE) {
        return pmu_inuse(p);
    }
    return kind == CAPABILITIES ? CAPABILITIES_FULL_WIDTH : place ? *place : 0;
}

static void write_register(PMUModel *p, PMUKind kind, uint32_t index, uint64_t value)
{
    switch (kind) {
    case STATUS_RESET:
        p->global_status &= ~value;
        return;
    case STATUS_SET:
        p->global_status |= value;
        return;
    case COUNTER:
        value = (int64_t)(int32_t)value & pmu_low_bits(p->gp_width);
        /* fall through */
    case COUNTER_FULL:
    case FIXED:
        value = p->mute ? 0 : value;
        break;
    default:
        break;
    }
    *stored(p, kind, index) = value;
}

static bool opens(const PMUModel *p, PMUKind kind, uint64_t value)
{
    return p->version == 1 ? kind == SELECT && (value & PMU_SELECT_EN)
                           : kind == GLOBAL_CTRL && value != 0;
}

int pmu_model_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
    PMUModel *p = &env->pmu;
    const PMURange *range = find_range(p, msr);

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    if (msr == p->gp_fault_msr) {
        return PMU_FAULT;
    }
    if (msr == MSR_IA32_MISC_ENABLE) {
        *value = env->msr_ia32_misc_enable | MISC_ENABLE_PERFMON | MISC_ENABLE_NO_BTS |
                 (p->left_running ? 0 : MISC_ENABLE_NO_PEBS);
        return PMU_DONE;
    }
    if (!range) {
        return PMU_NOT_MINE;
    }
    if (!exists(p, range, msr - range->msr)) {
        return PMU_FAULT;
    }
    pmu_model_sync(p);
    *value = read_register(p, range->kind, msr - range->msr);
    return PMU_DONE;
}

static int judge_write(const PMUModel *p, const PMURange *range, uint32_t msr, uint64_t value)
{
    uint64_t mask;

    if (msr == p->gp_fault_msr) {
        return PMU_FAULT;
    }
    if (!range) {
        return PMU_NOT_MINE;
    }
    mask = writable(p, range->kind);
    return exists(p, range, msr - range->msr) && mask && !(value & ~mask) ? PMU_DONE : PMU_FAULT;
}

int pmu_model_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
    PMUModel *p = &env->pmu;
    const PMURange *range = find_range(p, msr);
    int outcome;

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    outcome = judge_write(p, range, msr, value);
    trace_pmu_model_wrmsr(env_cpu(env)->cpu_index, msr, value, pmu_total_retired(p),
                          outcome == PMU_FAULT);
    if (outcome != PMU_DONE) {
        return outcome;
    }
    sync_with_this_wrmsr(env);
    write_register(p, range->kind, msr - range->msr, value);
    if (opens(p, range->kind, value)) {
        pmu_model_opened(env);
    }
    return PMU_DONE;
}

int pmu_model_rdpmc(CPUX86State *env, uint32_t ecx, uint64_t *value)
{
    PMUModel *p = &env->pmu;
    uint32_t fixed = ecx - (1u << 30);

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    pmu_model_sync(p);
    if (ecx < p->gp_count) {
        *value = p->counter[ecx];
    } else if (fixed < p->fixed_count) {
        *value = p->fixed_counter[fixed];
    } else {
        return PMU_FAULT;
    }
    return PMU_DONE;
}
