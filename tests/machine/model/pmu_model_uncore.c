/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A package's uncore: its units, its running counters, and the detail mode of the package's CPUs.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pmu_model_uncore.h"

#define CLIENTS (PMU_CPU_SANDY_BRIDGE | PMU_CPU_HASWELLS | PMU_CPU_SKYLAKE_CLIENT)
#define NEHALEM_CHANNELS 3
#define GLOBAL_CLIENT_EN (1u << 29)
#define GLOBAL_FIXED_BIT 32

PMUUncore pmu_uncores[PMU_PACKAGES_MAX];

static const char *const lies[] = {
    [PMU_UNCORE_HONEST] = "honest",   [PMU_UNCORE_OFF] = "off",
    [PMU_UNCORE_STUCK] = "stuck",     [PMU_UNCORE_SILENT] = "silent",
    [PMU_UNCORE_LEFT_RUNNING] = "left-running",
    [PMU_UNCORE_FROZEN] = "frozen",   [PMU_UNCORE_RUNS] = "runs",
    [PMU_UNCORE_NO_ENABLE] = "no-enable", [PMU_UNCORE_LOCKED] = "locked",
};

PMUUncore *pmu_uncore_of(CPUX86State *env)
{
    return &pmu_uncores[env_archcpu(env)->socket_id];
}

static void add_unit(PMUUncore *u, PMUUnitKind kind, unsigned index, bool present)
{
    u->unit[u->units++] =
        (PMUUnit){ .of = u, .kind = kind, .index = index, .present = present };
}

static void add_units(PMUUncore *u)
{
    if (u->cpu == PMU_CPU_NEHALEM) {
        add_unit(u, PMU_UNIT_NEHALEM, 0, true);
        u->channels = NEHALEM_CHANNELS;
        u->slices = 1;
        for (int i = 0; i < u->channels; i++) {
            u->channel[i] = i;
        }
    } else if (u->cpu & CLIENTS) {
        u->slices = PMU_CLIENT_CBOS;
        for (int i = 0; i < PMU_CLIENT_CBOS; i++) {
            add_unit(u, PMU_UNIT_CBO, i, true);
        }
        add_unit(u, PMU_UNIT_ARB, 0, true);
    } else if (u->cpu == PMU_CPU_SKYLAKE_SERVER) {
        u->slices = u->chas;
        for (unsigned i = 0; i < u->chas; i++) {
            add_unit(u, PMU_UNIT_CHA, i, true);
        }
        for (int i = 0; i < PMU_CHANNELS_MAX; i++) {
            add_unit(u, PMU_UNIT_IMC, i, false);
        }
        add_unit(u, PMU_UNIT_UBOX, 0, true);
    }
}

bool pmu_uncore_realize(CPUX86State *env, Error **errp)
{
    PMUUncore *u;
    const char *name = env->pmu.uncore ? env->pmu.uncore : lies[PMU_UNCORE_HONEST];
    int lie = 0;

    while (lie < ARRAY_SIZE(lies) && strcmp(lies[lie], name)) {
        lie++;
    }
    if (lie == ARRAY_SIZE(lies)) {
        error_setg(errp, "pmu-uncore is one of off, stuck, silent, left-running, frozen, runs, "
                         "no-enable and locked, not '%s'", name);
        return false;
    }
    if (env->pmu.chas > PMU_SLICES_MAX) {
        error_setg(errp, "pmu-chas is 0 to %d", PMU_SLICES_MAX);
        return false;
    }
    if ((uint32_t)env_archcpu(env)->socket_id >= PMU_PACKAGES_MAX) {
        error_setg(errp, "sockets is 1 to %d with pmu=on", PMU_PACKAGES_MAX);
        return false;
    }
    u = pmu_uncore_of(env);
    if (!u->made) { /* the properties of the first CPU apply */
        u->made = true;
        qemu_mutex_init(&u->lock);
        u->cpu = pmu_cpu_kind(env);
        u->lie = lie;
        u->chas = env->pmu.chas;
        u->epoch = 1;
        add_units(u);
    }
    return true;
}

bool pmu_uncore_interrupts(const CPUX86State *env)
{
    return pmu_cpu_kind(env) & (PMU_CPU_NEHALEM | CLIENTS);
}

PMUUnit *pmu_uncore_unit(PMUUncore *u, PMUUnitKind kind, unsigned index)
{
    for (unsigned i = 0; i < u->units; i++) {
        if (u->unit[i].kind == kind && u->unit[i].index == index) {
            return &u->unit[i];
        }
    }
    return NULL;
}

/* Imitates firmware that leaves counters enabled; the events of these counters never happen. */
static void leave_running(PMUUncore *u)
{
    static const uint16_t events[PMU_UNIT_KINDS] = {
        [PMU_UNIT_NEHALEM] = 0x0140, /* UNC_QPI_TX_STALLED_SINGLE_FLIT.HOME_LINK_0 */
        [PMU_UNIT_CBO] = 0x4122,     /* UNC_CBO_XSNP_RESPONSE.MISS_XCORE */
        [PMU_UNIT_ARB] = 0x0184,     /* UNC_ARB_COH_TRK_REQUESTS.ALL */
        [PMU_UNIT_CHA] = 0x0050,     /* UNC_CHA_REQUESTS */
        [PMU_UNIT_IMC] = 0x0405,     /* UNC_M_DRAM_REFRESH.HIGH */
    };

    u->global_ctrl = u->cpu == PMU_CPU_NEHALEM ? 1 : u->cpu & CLIENTS ? GLOBAL_CLIENT_EN : 0;
    for (unsigned i = 0; i < u->units; i++) {
        uint16_t event = events[u->unit[i].kind];

        u->unit[i].counter[0].select = event ? PMU_UNCORE_EN | event : 0;
    }
}

void pmu_uncore_reset(CPUX86State *env)
{
    PMUUncore *u = pmu_uncore_of(env);

    qemu_mutex_lock(&u->lock);
    u->global_ctrl = 0;
    u->status = 0;
    u->match = 0;
    u->tracked = 0;
    u->epoch++;
    for (unsigned i = 0; i < u->units; i++) {
        pmu_unit_reset(&u->unit[i]);
    }
    if (u->lie == PMU_UNCORE_LEFT_RUNNING) {
        leave_running(u);
    }
    pmu_uncore_decode(u);
    qemu_mutex_unlock(&u->lock);
}

/*
 * On Nehalem, the global control has an enable bit for each counter. On a client, the global
 * control has one enable bit for all counters. On a server, a bit of each unit's control freezes
 * the unit.
 */
static bool is_globally_on(const PMUUnit *unit, unsigned number, bool fixed)
{
    const PMUUncore *u = unit->of;

    if (u->lie == PMU_UNCORE_RUNS) {
        return true;
    }
    switch (unit->kind) {
    case PMU_UNIT_NEHALEM:
        return u->global_ctrl >> (fixed ? GLOBAL_FIXED_BIT : number) & 1;
    case PMU_UNIT_CBO:
    case PMU_UNIT_ARB:
        return u->global_ctrl & GLOBAL_CLIENT_EN;
    default:
        return !(unit->control & PMU_UNIT_FREEZE);
    }
}

/* Returns whether the counter runs. */
static bool decode(PMUUnit *unit, unsigned number, PMUUncoreRun *run)
{
    const PMUUnitType *type = &pmu_unit_types[unit->kind];
    PMUUncoreCounter *counter = &unit->counter[number];
    bool fixed = number == type->counters;
    PMUUncoreLie lie = unit->of->lie;
    uint32_t select = counter->select;
    bool enabled = select & (fixed ? type->fixed_en : PMU_UNCORE_EN);

    if (lie == PMU_UNCORE_NO_ENABLE && !fixed) {
        enabled = (select & 0xffff) != 0;
    }
    if (!unit->present || !enabled || !is_globally_on(unit, number, fixed) ||
        (lie == PMU_UNCORE_STUCK && number == 0) ||
        lie == PMU_UNCORE_SILENT || lie == PMU_UNCORE_OFF) {
        return false;
    }
    *run = (PMUUncoreRun){ .unit = unit, .counter = counter, .number = number };
    if (fixed) {
        run->sum = (PMUSum){ 1, { { PMU_ROW_ALL, 1 << PMU_CLOCK } } };
        run->pmi = select & type->fixed_pmi;
    } else {
        run->sum = pmu_uncore_sum(unit, select);
        run->cmask = (select & type->select_bits) >> 24;
        run->inv = select & PMU_UNCORE_INV;
        run->edge = select & PMU_UNCORE_EDGE;
        run->pmi = select & PMU_UNCORE_PMI;
    }
    return run->sum.parts > 0;
}

void pmu_uncore_decode(PMUUncore *u)
{
    u->runs = 0;
    for (unsigned i = 0; i < u->units; i++) {
        const PMUUnitType *type = &pmu_unit_types[u->unit[i].kind];

        for (unsigned n = 0; n < type->counters + type->has_fixed; n++) {
            u->runs += decode(&u->unit[i], n, &u->run[u->runs]);
        }
    }
    pmu_uncore_forget_cycles(u);
    qatomic_set(&u->counting, u->runs > 0);
}

bool pmu_uncore_counts(CPUX86State *env)
{
    return pmu_uncore_runs(pmu_uncore_of(env));
}

static void follow(CPUState *cs, run_on_cpu_data unused)
{
    CPUX86State *env = &X86_CPU(cs)->env;

    pmu_count_sync(env);
    pmu_count_mode(env);
}

/*
 * Each CPU runs queued work before its next translation block. If the host keeps the order of
 * stores, the other CPUs therefore enter detail mode before they see stores that follow the write
 * to the uncore's register.
 */
void pmu_uncore_follow(PMUUncore *u, CPUX86State *self, bool before)
{
    CPUState *cs;

    if (pmu_uncore_runs(u) == before) {
        return;
    }
    CPU_FOREACH(cs) {
        CPUX86State *env = &X86_CPU(cs)->env;

        if (env == self) {
            env->pmu.state->stale = true;
        } else if (env->pmu.on && pmu_uncore_of(env) == u) {
            async_run_on_cpu(cs, follow, RUN_ON_CPU_NULL);
        }
    }
}
