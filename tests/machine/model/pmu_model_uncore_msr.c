/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The uncore's MSRs. Intel SDM volume 3B, "Performance Monitoring Facility in the Uncore"; volume
 * 4, tables of Nehalem, Sandy Bridge and Skylake; "Intel Xeon Processor Scalable Memory Family
 * Uncore Performance Monitoring", "CHA Performance Monitoring", "UBox Performance Monitoring".
 */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

#define CLIENTS_391 (PMU_CPU_SANDY_BRIDGE | PMU_CPU_HASWELLS)
#define CLIENTS (CLIENTS_391 | PMU_CPU_SKYLAKE_CLIENT)
#define SERVERS PMU_CPU_SKYLAKE_SERVER

#define STATUS_SET 0x391 /* from version 4 on, 391h and 392h belong to the core's PMU */
#define INUSE 0x392

#define NEHALEM_STATUS_BITS 0xa0000001000000ffull
#define NEHALEM_GLOBAL_BITS 0x800f0001000000ffull
#define NEHALEM_ENABLES 0x1000000ffull
#define CLIENT_GLOBAL_BITS 0xe000001full /* cores, EN, wake on PMI, freeze on PMI */
#define CLIENT_ENABLES (1u << 29)
#define CLIENT_STATUS_BITS 0xb
#define MATCH_BITS 0xe000fffffffffff8ull
#define UNIT_CONTROL_BITS 0x30103ull
#define FILTER_BITS UINT32_MAX
#define UNIT_STATUS_BITS 0xfull
#define CBOS_WITH_GRAPHICS (PMU_CLIENT_CBOS + 1)

typedef enum Kind {
    GLOBAL_CTRL,
    GLOBAL_STATUS,
    GLOBAL_CLEAR,
    MATCH,
    CBO_CONFIG,
    FIXED_CTRL,
    FIXED,
    SELECT,
    COUNTER,
    CONTROL,
    FILTER,
    STATUS,
} Kind;

typedef struct Row {
    uint32_t cpus;
    uint32_t msr;
    uint8_t span;
    uint8_t units; /* their registers are 10h apart */
    Kind kind;
    PMUUnitKind unit;
} Row;

static const Row rows[] = {
    { PMU_CPU_NEHALEM, 0x391, 1, 1, GLOBAL_CTRL, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x392, 1, 1, GLOBAL_STATUS, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x393, 1, 1, GLOBAL_CLEAR, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x394, 1, 1, FIXED, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x395, 1, 1, FIXED_CTRL, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x396, 1, 1, MATCH, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x3b0, 8, 1, COUNTER, PMU_UNIT_NEHALEM },
    { PMU_CPU_NEHALEM, 0x3c0, 8, 1, SELECT, PMU_UNIT_NEHALEM },
    { CLIENTS_391, 0x391, 1, 1, GLOBAL_CTRL, PMU_UNIT_ARB },
    { CLIENTS_391, 0x392, 1, 1, GLOBAL_STATUS, PMU_UNIT_ARB },
    { PMU_CPU_SKYLAKE_CLIENT, 0xe01, 1, 1, GLOBAL_CTRL, PMU_UNIT_ARB },
    { PMU_CPU_SKYLAKE_CLIENT, 0xe02, 1, 1, GLOBAL_STATUS, PMU_UNIT_ARB },
    { CLIENTS, 0x394, 1, 1, FIXED_CTRL, PMU_UNIT_ARB },
    { CLIENTS, 0x395, 1, 1, FIXED, PMU_UNIT_ARB },
    { CLIENTS, 0x396, 1, 1, CBO_CONFIG, PMU_UNIT_ARB },
    { CLIENTS, 0x3b0, 2, 1, COUNTER, PMU_UNIT_ARB },
    { CLIENTS, 0x3b2, 2, 1, SELECT, PMU_UNIT_ARB },
    { CLIENTS, 0x700, 2, CBOS_WITH_GRAPHICS, SELECT, PMU_UNIT_CBO },
    { CLIENTS, 0x706, 2, CBOS_WITH_GRAPHICS, COUNTER, PMU_UNIT_CBO },
    { SERVERS, 0x703, 1, 1, FIXED_CTRL, PMU_UNIT_UBOX },
    { SERVERS, 0x704, 1, 1, FIXED, PMU_UNIT_UBOX },
    { SERVERS, 0xe00, 1, PMU_SLICES_MAX, CONTROL, PMU_UNIT_CHA },
    { SERVERS, 0xe01, 4, PMU_SLICES_MAX, SELECT, PMU_UNIT_CHA },
    { SERVERS, 0xe05, 2, PMU_SLICES_MAX, FILTER, PMU_UNIT_CHA },
    { SERVERS, 0xe07, 1, PMU_SLICES_MAX, STATUS, PMU_UNIT_CHA },
    { SERVERS, 0xe08, 4, PMU_SLICES_MAX, COUNTER, PMU_UNIT_CHA },
};

typedef struct Register {
    PMUUncore *of;
    Kind kind;
    PMUUnit *unit;
    unsigned number;
} Register;

static bool find(PMUUncore *u, uint32_t msr, Register *r)
{
    for (int i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t index = (msr - rows[i].msr) >> 4, number = (msr - rows[i].msr) & 15;

        if (rows[i].cpus & u->cpu && msr >= rows[i].msr && index < rows[i].units &&
            number < rows[i].span) {
            *r = (Register){ u, rows[i].kind, pmu_uncore_unit(u, rows[i].unit, index), number };
            return true;
        }
    }
    return false;
}

bool pmu_uncore_owns(CPUX86State *env, uint32_t msr)
{
    PMUUncore *u = pmu_uncore_of(env);
    Register r;

    if (!u->units || u->lie == PMU_UNCORE_OFF ||
        (env->pmu.version >= 4 && (msr == STATUS_SET || msr == INUSE))) {
        return false;
    }
    return find(u, msr, &r) && (r.unit || u->slices); /* access to a missing unit raises #GP */
}

bool pmu_uncore_is_told(CPUX86State *env, uint32_t msr)
{
    Register r;

    return find(pmu_uncore_of(env), msr, &r) && r.unit && r.kind != GLOBAL_CLEAR;
}

static uint64_t read_register(const Register *r)
{
    const PMUUncore *u = r->of;

    switch (r->kind) {
    case GLOBAL_CTRL:
        return u->global_ctrl;
    case GLOBAL_STATUS:
        return u->status;
    case MATCH:
        return u->match;
    case CBO_CONFIG:
        return CBOS_WITH_GRAPHICS;
    case FIXED_CTRL:
        return pmu_unit_fixed(r->unit)->select;
    case FIXED:
        return pmu_unit_fixed(r->unit)->value;
    case SELECT:
        return r->unit->counter[r->number].select;
    case COUNTER:
        return r->unit->counter[r->number].value;
    case CONTROL:
        return r->unit->control;
    case FILTER:
        return r->unit->filter[r->number];
    case STATUS:
        return r->unit->status;
    default:
        return 0;
    }
}

int pmu_uncore_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
    PMUUncore *u = pmu_uncore_of(env);
    Register r;

    if (!find(u, msr, &r) || !r.unit) {
        return PMU_FAULT;
    }
    qemu_mutex_lock(&u->lock);
    *value = read_register(&r);
    qemu_mutex_unlock(&u->lock);
    return PMU_DONE;
}

static uint64_t writable(const Register *r)
{
    const PMUUnitType *type = &pmu_unit_types[r->unit->kind];
    bool nehalem = r->of->cpu == PMU_CPU_NEHALEM;

    switch (r->kind) {
    case GLOBAL_CTRL:
        return nehalem ? NEHALEM_GLOBAL_BITS : CLIENT_GLOBAL_BITS;
    case GLOBAL_STATUS:
        return nehalem ? 0 : CLIENT_STATUS_BITS;
    case GLOBAL_CLEAR:
        return NEHALEM_STATUS_BITS;
    case MATCH:
        return MATCH_BITS;
    case FIXED_CTRL:
        return type->fixed_bits;
    case FIXED:
        return pmu_unit_counter_bits(r->unit, type->counters);
    case SELECT:
        return type->select_bits;
    case COUNTER:
        return pmu_unit_counter_bits(r->unit, r->number);
    case CONTROL:
        return UNIT_CONTROL_BITS;
    case FILTER:
        return FILTER_BITS;
    case STATUS:
        return UNIT_STATUS_BITS;
    default:
        return 0;
    }
}

/* pmu-uncore=locked locks the selects of Nehalem, CBos and CHAs. */
static bool is_locked(const PMUUncore *u, const Register *r)
{
    return u->lie == PMU_UNCORE_LOCKED && r->kind == SELECT &&
           r->unit->kind != PMU_UNIT_ARB;
}

bool pmu_uncore_may_write(CPUX86State *env, uint32_t msr, uint64_t value)
{
    PMUUncore *u = pmu_uncore_of(env);
    Register r;

    return find(u, msr, &r) && r.unit && !is_locked(u, &r) && writable(&r) &&
           !(value & ~writable(&r));
}

static void write_global(PMUUncore *u, uint64_t value)
{
    if (u->lie == PMU_UNCORE_FROZEN) {
        value &= ~(u->cpu == PMU_CPU_NEHALEM ? NEHALEM_ENABLES : CLIENT_ENABLES);
    }
    u->global_ctrl = value;
}

static void write_register(const Register *r, uint64_t value)
{
    PMUUncore *u = r->of;

    switch (r->kind) {
    case GLOBAL_CTRL:
        write_global(u, value);
        break;
    case GLOBAL_STATUS:
        u->status = value;
        break;
    case GLOBAL_CLEAR:
        u->status &= ~value;
        break;
    case MATCH:
        qatomic_set(&u->match, value);
        break;
    case FIXED_CTRL:
        pmu_unit_fixed(r->unit)->select = value;
        break;
    case FIXED:
        pmu_unit_write_counter(r->unit, pmu_unit_types[r->unit->kind].counters, value);
        break;
    case SELECT:
        pmu_unit_write_select(r->unit, r->number, value);
        break;
    case COUNTER:
        pmu_unit_write_counter(r->unit, r->number, value);
        break;
    case CONTROL:
        pmu_unit_write_control(r->unit, value);
        break;
    case FILTER:
        r->unit->filter[r->number] = value;
        break;
    case STATUS:
        r->unit->status &= ~value;
        break;
    default:
        break;
    }
}

void pmu_uncore_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
    PMUUncore *u = pmu_uncore_of(env);
    bool before = pmu_uncore_runs(u);
    Register r;

    find(u, msr, &r);
    qemu_mutex_lock(&u->lock);
    write_register(&r, value);
    pmu_uncore_decode(u);
    qemu_mutex_unlock(&u->lock);
    pmu_uncore_follow(u, env, before);
    if (env->pmu.state->stale) {
        pmu_count_mode(env);
    }
}
