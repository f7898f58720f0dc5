/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's registers: which of them exist, their writable bits, and their values. Intel SDM volume
 * 3B, chapter "Performance Monitoring", sections "Architectural Performance Monitoring Version 1"
 * to "Version 5" and "Performance Metrics"; volume 4, "Architectural MSRs". AMD64 manual volume 2,
 * "Performance Monitoring Counters" and "Performance Monitoring Version 2".
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"

#define STATUS_REF (1ull << (32 + PMU_FIXED_REF))
#define STATUS_OVF_BUF (1ull << 62)
#define STATUS_COND_CHGD (1ull << 63)

#define CAPABILITIES_SMM_FREEZE (1ull << 12)
#define CAPABILITIES_FULL_WIDTH (1ull << 13)
#define CAPABILITIES_METRICS (1ull << 15)

#define AMD_SELECT_DROPPED 0xfffffcf000280000ull /* reserved bits, which a write does not set */

#define DEBUGCTL_BITS 0x07c3ull /* LBR, BTF, TR, BTS, BTINT, BTS_OFF_OS, BTS_OFF_USR */

/* Consecutive MSR numbers of registers of one kind. `span` is large enough for the largest PMU. */
typedef struct PMURange {
    uint32_t msr;
    uint8_t span;
    uint8_t version;
    PMUKind kind;
} PMURange;

static const PMURange intel[] = {
    { 0x0c1, PMU_GP_MAX, 1, PMU_REG_COUNTER },
    { 0x186, PMU_GP_MAX, 1, PMU_REG_SELECT },
    { 0x1d9, 1, 1, PMU_REG_DEBUGCTL },
    { 0x309, PMU_FIXED_MAX, 2, PMU_REG_FIXED },
    { 0x329, 1, 5, PMU_REG_METRICS },
    { 0x345, 1, 2, PMU_REG_CAPABILITIES },
    { 0x38d, 1, 2, PMU_REG_FIXED_CTRL },
    { 0x38e, 1, 2, PMU_REG_STATUS },
    { 0x38f, 1, 2, PMU_REG_GLOBAL_CTRL },
    { 0x390, 1, 2, PMU_REG_STATUS_RESET },
    { 0x391, 1, 4, PMU_REG_STATUS_SET },
    { 0x392, 1, 4, PMU_REG_INUSE },
    { 0x3f1, 1, 1, PMU_REG_PEBS_ENABLE },
    { 0x4c1, PMU_GP_MAX, 2, PMU_REG_COUNTER_FULL },
    { 0 },
};

/* The legacy numbers of AMD's registers; find_in_pairs() finds the others. */
static const PMURange amd[] = {
    { 0xc0010000, AMD_LEGACY, 1, PMU_REG_SELECT },
    { 0xc0010004, AMD_LEGACY, 1, PMU_REG_COUNTER_FULL },
    { 0xc0000300, 1, 2, PMU_REG_STATUS },
    { 0xc0000301, 1, 2, PMU_REG_GLOBAL_CTRL },
    { 0xc0000302, 1, 2, PMU_REG_STATUS_RESET },
    { 0xc0000303, 1, 2, PMU_REG_STATUS_SET },
    { 0 },
};

static const PMURange *ranges_of(const PMUModel *p)
{
    return p->amd ? amd : intel;
}

/* A hypervisor may give its guest only the legacy numbers (Linux, arch/x86/kvm/svm/pmu.c). */
static bool find_in_pairs(const PMUModel *p, uint32_t msr, PMURegister *r)
{
    uint32_t place = msr - 0xc0010200;

    *r = (PMURegister){ place % 2 ? PMU_REG_COUNTER_FULL : PMU_REG_SELECT, place / 2, 1 };
    return place < 2 * PMU_GP_MAX && p->gp_count > AMD_LEGACY;
}

/*
 * From version 6 on, each counter also has a block of four MSR numbers (Linux,
 * arch/x86/include/asm/msr-index.h, MSR_IA32_PMC_V6_…). The first number of a block is the counter.
 * In the block of a general counter, the second number is the select.
 */
static bool find_in_block(uint32_t msr, PMURegister *r)
{
    uint32_t general = msr - 0x1900, fixed = msr - 0x1980;

    if (general < 4 * PMU_GP_MAX && general % 4 <= 1) {
        *r = (PMURegister){ general % 4 ? PMU_REG_SELECT : PMU_REG_COUNTER_FULL, general / 4, 6 };
        return true;
    }
    *r = (PMURegister){ PMU_REG_FIXED, fixed / 4, 6 };
    return fixed < 4 * PMU_FIXED_MAX && fixed % 4 == 0;
}

bool pmu_register_find(const PMUModel *p, uint32_t msr, PMURegister *r)
{
    if (p->amd ? find_in_pairs(p, msr, r) : p->version >= 6 && find_in_block(msr, r)) {
        return true;
    }
    for (const PMURange *range = ranges_of(p); range->span; range++) {
        if (msr >= range->msr && msr < range->msr + range->span) {
            *r = (PMURegister){ range->kind, msr - range->msr, range->version };
            return r->kind != PMU_REG_PEBS_ENABLE || p->left_running;
        }
    }
    return false;
}

bool pmu_register_is_promised(const CPUX86State *env, PMURegister r)
{
    const PMUModel *p = &env->pmu;
    bool general = r.kind == PMU_REG_SELECT || r.kind == PMU_REG_COUNTER ||
                   r.kind == PMU_REG_COUNTER_FULL;

    return general && r.index >= p->gp_count && r.index < p->gp_count + pmu_promised(env);
}

bool pmu_register_exists(const PMUModel *p, PMURegister r)
{
    if (p->version < r.version) {
        return false;
    }
    switch (r.kind) {
    case PMU_REG_SELECT:
    case PMU_REG_COUNTER:
        return pmu_counter_bits(p) >> r.index & 1;
    case PMU_REG_COUNTER_FULL:
        return pmu_counter_bits(p) >> r.index & 1 && p->full_width;
    case PMU_REG_FIXED:
        return pmu_counter_bits(p) >> (32 + r.index) & 1;
    case PMU_REG_METRICS:
        return p->metrics;
    default:
        return true;
    }
}

static uint64_t capabilities(const PMUModel *p)
{
    return CAPABILITIES_SMM_FREEZE | (p->full_width ? CAPABILITIES_FULL_WIDTH : 0) |
           (p->metrics ? CAPABILITIES_METRICS : 0);
}

uint64_t pmu_register_writable(const CPUX86State *env, PMURegister r)
{
    const PMUModel *p = &env->pmu;
    bool any_thread = p->version == 3 || p->version == 4;
    uint64_t metrics = p->metrics ? PMU_STATUS_METRICS : 0;
    uint64_t freezes = p->version >= 4 ? PMU_STATUS_CTR_FRZ | PMU_STATUS_LBR_FRZ : 0;
    uint64_t uncore = pmu_uncore_interrupts(env) ? PMU_STATUS_UNCORE : 0;
    uint64_t bits = 0;

    switch (r.kind) {
    case PMU_REG_SELECT:
        if (p->amd) {
            return ~AMD_SELECT_DROPPED |
                   (r.index == PMU_PREC_RET_COUNTER ? PMU_SELECT_PREC_RET : 0);
        }
        bits = p->version >= 6 ? PMU_SELECT_EQ | PMU_SELECT_UMASK2 : 0;
        return bits | (UINT32_MAX & ~(any_thread ? 0 : PMU_SELECT_ANY));
    case PMU_REG_COUNTER:
        return UINT64_MAX; /* bits 63:32 are ignored */
    case PMU_REG_COUNTER_FULL:
        return pmu_low_bits(p->gp_width);
    case PMU_REG_FIXED:
        return pmu_low_bits(p->fixed_width);
    case PMU_REG_FIXED_CTRL:
        for (int i = 0; i < p->fixed_count; i++) {
            if (p->fixed_absent >> i & 1) {
                continue;
            }
            bits |= (any_thread ? 0xfull : 0xbull) << 4 * i;
        }
        return bits;
    case PMU_REG_GLOBAL_CTRL:
        return pmu_counter_bits(p) | metrics | pmu_low_bits(p->gp_count + pmu_promised(env));
    case PMU_REG_STATUS_RESET:
        if (p->amd) {
            return pmu_counter_bits(p);
        }
        return pmu_counter_bits(p) | metrics | STATUS_OVF_BUF | STATUS_COND_CHGD | freezes |
               uncore;
    case PMU_REG_STATUS_SET:
        if (p->amd) {
            return pmu_counter_bits(p);
        }
        return pmu_counter_bits(p) | metrics | STATUS_OVF_BUF | freezes | uncore;
    case PMU_REG_METRICS:
        return UINT32_MAX;
    case PMU_REG_DEBUGCTL:
        bits = PMU_DEBUGCTL_FREEZE_LBRS | PMU_DEBUGCTL_FREEZE_COUNTERS | PMU_DEBUGCTL_FREEZE_SMM;
        bits |= uncore ? PMU_DEBUGCTL_UNCORE_PMI : 0;
        return DEBUGCTL_BITS | (p->version >= 2 ? bits : 0);
    case PMU_REG_PEBS_ENABLE:
        return pmu_counter_bits(p) & UINT32_MAX;
    default:
        return 0;
    }
}

static uint64_t inuse(const PMUModel *p)
{
    const PMUState *s = p->state;
    uint64_t bits = 0;
    bool interrupts = false;

    for (int i = 0; i < p->gp_count; i++) {
        bits |= (uint64_t)((s->select[i] & 0xff) != 0) << i;
        interrupts |= (s->select[i] & PMU_SELECT_INT) != 0;
    }
    for (int i = 0; i < p->fixed_count; i++) {
        bits |= (uint64_t)((s->fixed_ctrl >> 4 * i & 3) != 0) << (32 + i);
        interrupts |= s->fixed_ctrl >> 4 * i >> 3 & 1;
    }
    return bits | (uint64_t)interrupts << 63;
}

static uint64_t *stored(PMUState *s, PMURegister r)
{
    switch (r.kind) {
    case PMU_REG_SELECT:
        return &s->select[r.index];
    case PMU_REG_COUNTER:
    case PMU_REG_COUNTER_FULL:
        return &s->counter[r.index].value;
    case PMU_REG_FIXED:
        return &s->counter[PMU_GP_MAX + r.index].value;
    case PMU_REG_FIXED_CTRL:
        return &s->fixed_ctrl;
    case PMU_REG_STATUS:
        return &s->global_status;
    case PMU_REG_GLOBAL_CTRL:
        return &s->global_ctrl;
    case PMU_REG_DEBUGCTL:
        return &s->debugctl;
    case PMU_REG_PEBS_ENABLE:
        return &s->pebs_enable;
    default:
        return NULL;
    }
}

uint64_t pmu_register_read(const PMUModel *p, PMURegister r)
{
    const uint64_t *place = stored(p->state, r);

    switch (r.kind) {
    case PMU_REG_SELECT: /* as in KVM, PREC_RET works but reads 0 if CPUID does not announce it */
        return *place & ~(p->amd && !p->prec_ret ? PMU_SELECT_PREC_RET : 0);
    case PMU_REG_STATUS:
        return *place | p->reserved_status;
    case PMU_REG_INUSE:
        return inuse(p);
    case PMU_REG_CAPABILITIES:
        return capabilities(p);
    case PMU_REG_METRICS:
        return pmu_metrics_read(p->state);
    default:
        return place ? *place : 0;
    }
}

void pmu_late_ref(PMUModel *p)
{
    PMULateRef *late = &p->state->late_ref;

    if (p->late_ref_ns && late->overflowed) {
        p->state->global_status |= STATUS_REF;
    }
    if (late->due && qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) >= late->due) {
        p->state->counter[PMU_GP_MAX + PMU_FIXED_REF].value = late->written;
        late->overflowed = false;
        late->due = 0;
    }
}

static bool is_sequence(const PMUState *s, uint64_t global_ctrl)
{
    return s->select[0] == 0x4300b5 && s->select[1] == 0x4300d2 && s->select[2] == 0x4300b1 &&
           s->select[3] == 0x4300b1 && global_ctrl == 0xf;
}

void pmu_register_write(PMUModel *p, PMURegister r, uint64_t value)
{
    PMUState *s = p->state;

    switch (r.kind) {
    case PMU_REG_STATUS_RESET:
        s->global_status &= ~value;
        return;
    case PMU_REG_STATUS_SET:
        s->global_status |= value;
        return;
    case PMU_REG_METRICS:
        pmu_metrics_write(s, value);
        return;
    case PMU_REG_COUNTER:
        value = (int64_t)(int32_t)value & pmu_low_bits(p->gp_width);
        /* fall through */
    case PMU_REG_COUNTER_FULL:
    case PMU_REG_FIXED:
        value = p->mute ? 0 : value;
        if (p->late_ref_ns && r.kind == PMU_REG_FIXED && r.index == PMU_FIXED_REF) {
            s->late_ref.written = value;
            s->late_ref.due = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + p->late_ref_ns;
            return;
        }
        break;
    case PMU_REG_GLOBAL_CTRL:
        s->sequence_done |= is_sequence(s, value);
        break;
    default:
        break;
    }
    *stored(s, r) = value;
}
