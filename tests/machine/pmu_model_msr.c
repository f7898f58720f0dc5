/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's registers: Intel SDM volume 3B, chapter "Performance Monitoring", sections
 * "Architectural Performance Monitoring Version 1" to "Version 5".
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "trace/trace-target_i386.h"

#define SELECT_ANY (1u << 21)
#define SELECT_INT (1u << 20)

#define STATUS_LBR_FRZ (1ull << 58)
#define STATUS_OVF_BUF (1ull << 62)
#define STATUS_COND_CHGD (1ull << 63)

#define CAPABILITIES_FULL_WIDTH (1ull << 13)

/* IA32_MISC_ENABLE: performance monitoring available; no branch trace store, no PEBS. */
#define MISC_ENABLE_BITS (1ull << 7 | 1ull << 11 | 1ull << 12)

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
    { 0x309, 4, 2, FIXED },
    { 0x345, 1, 2, CAPABILITIES },
    { 0x38d, 1, 2, FIXED_CTRL },
    { 0x38e, 1, 2, STATUS },
    { 0x38f, 1, 2, GLOBAL_CTRL },
    { 0x390, 1, 2, STATUS_RESET },
    { 0x391, 1, 4, STATUS_SET },
    { 0x392, 1, 4, INUSE },
    { 0x4c1, PMU_GP_MAX, 2, COUNTER_FULL },
};

static const PMURange *find_range(uint32_t msr)
{
    for (int i = 0; i < ARRAY_SIZE(ranges); i++) {
        if (msr >= ranges[i].msr && msr < ranges[i].msr + ranges[i].span) {
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

static uint64_t inuse(const PMUModel *p)
{
    uint64_t bits = 0;
    bool interrupts = false;

    for (int i = 0; i < p->gp_count; i++) {
        bits |= (uint64_t)((p->select[i] & 0xff) != 0) << i;
        interrupts |= (p->select[i] & SELECT_INT) != 0;
    }
    for (int i = 0; i < p->fixed_count; i++) {
        bits |= (uint64_t)((p->fixed_ctrl >> 4 * i & 3) != 0) << (32 + i);
        interrupts |= p->fixed_ctrl >> 4 * i >> 3 & 1;
    }
    return bits | (uint64_t)interrupts << 63;
}

static uint64_t read_register(const PMUModel *p, PMUKind kind, uint32_t index)
{
    switch (kind) {
    case SELECT:
        return p->select[index];
    case COUNTER:
    case COUNTER_FULL:
        return p->counter[index];
    case FIXED:
        return p->fixed_counter[index];
    case FIXED_CTRL:
        return p->fixed_ctrl;
    case STATUS:
        return p->global_status;
    case GLOBAL_CTRL:
        return p->global_ctrl;
    case INUSE:
        return inuse(p);
    case CAPABILITIES:
        return CAPABILITIES_FULL_WIDTH;
    default:
        return 0;
    }
}

static void write_register(PMUModel *p, PMUKind kind, uint32_t index, uint64_t value)
{
    switch (kind) {
    case SELECT:
        p->select[index] = value;
        break;
    case COUNTER:
        value = (int64_t)(int32_t)value;
        /* fall through */
    case COUNTER_FULL:
        p->counter[index] = p->mute ? 0 : value & pmu_low_bits(p->gp_width);
        break;
    case FIXED:
        p->fixed_counter[index] = p->mute ? 0 : value;
        break;
    case FIXED_CTRL:
        p->fixed_ctrl = value;
        break;
    case GLOBAL_CTRL:
        p->global_ctrl = value;
        break;
    case STATUS_RESET:
        p->global_status &= ~value;
        break;
    case STATUS_SET:
        p->global_status |= value;
        break;
    default:
        g_assert_not_reached(); /* read-only: refused before */
    }
}

static bool opens(const PMUModel *p, PMUKind kind, uint64_t value)
{
    return p->version == 1 ? kind == SELECT && (value & PMU_SELECT_EN)
                           : kind == GLOBAL_CTRL && value != 0;
}

static uint64_t total_retired(const PMUModel *p)
{
    uint64_t sum = 0;

    for (int i = 0; i < PMU_RINGS * PMU_CLASSES; i++) {
        sum += p->retired[i / PMU_CLASSES][i % PMU_CLASSES];
    }
    return sum;
}

int pmu_model_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
    PMUModel *p = &env->pmu;
    const PMURange *range = find_range(msr);

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    if (msr == p->gp_fault_msr) {
        return PMU_FAULT;
    }
    if (msr == MSR_IA32_MISC_ENABLE) {
        *value = env->msr_ia32_misc_enable | MISC_ENABLE_BITS;
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

int pmu_model_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
    PMUModel *p = &env->pmu;
    const PMURange *range = find_range(msr);
    uint64_t mask;

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    trace_pmu_model_wrmsr(env_cpu(env)->cpu_index, msr, value, total_retired(p));
    if (msr == p->gp_fault_msr) {
        return PMU_FAULT;
    }
    if (!range) {
        return PMU_NOT_MINE;
    }
    mask = writable(p, range->kind);
    if (!exists(p, range, msr - range->msr) || !mask || (value & ~mask)) {
        return PMU_FAULT;
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
