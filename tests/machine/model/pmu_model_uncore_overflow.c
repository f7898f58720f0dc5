/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overflow of the uncore's counters: status, interrupt, freeze. Intel SDM volume 3B, "Performance
 * Monitoring Facility in the Uncore" (Nehalem) and "Uncore Performance Monitoring Facilities in
 * the Intel Core i7-2xxx" (clients).
 */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

#define STATUS_FIXED_BIT 32
#define STATUS_PMI (1ull << 61)
#define STATUS_CHANGED (1ull << 63)
#define NEHALEM_PMI_CORES_SHIFT 48
#define NEHALEM_PMI_FREEZE (1ull << 63)
#define NEHALEM_ENABLES 0x1000000ffull
#define CLIENT_STATUS_FIXED 1
#define CLIENT_STATUS_ARB 2
#define CLIENT_STATUS_CBO 8
#define CLIENT_FREEZE (1u << 31)
#define CLIENT_EN (1u << 29)
#define CLIENT_PMI_CORES 0x1f

static void overflow_nehalem(const PMUUncoreRun *run)
{
    PMUUncore *u = run->unit->of;
    bool fixed = run->number == pmu_unit_types[PMU_UNIT_NEHALEM].counters;

    u->status |= STATUS_CHANGED | 1ull << (fixed ? STATUS_FIXED_BIT : run->number);
    if (!run->pmi) {
        return;
    }
    u->status |= STATUS_PMI;
    u->pmi_cores |= extract64(u->global_ctrl, NEHALEM_PMI_CORES_SHIFT, 4);
    if (u->global_ctrl & NEHALEM_PMI_FREEZE) {
        u->global_ctrl &= ~NEHALEM_ENABLES;
        u->stale = true;
    }
}

static void overflow_client(const PMUUncoreRun *run)
{
    PMUUncore *u = run->unit->of;

    if (!run->pmi) {
        return;
    }
    u->status |= run->unit->kind == PMU_UNIT_CBO                             ? CLIENT_STATUS_CBO
                 : run->number == pmu_unit_types[PMU_UNIT_ARB].counters ? CLIENT_STATUS_FIXED
                                                                        : CLIENT_STATUS_ARB;
    u->pmi_cores |= u->global_ctrl & CLIENT_PMI_CORES;
    if (u->global_ctrl & CLIENT_FREEZE) {
        u->global_ctrl &= ~CLIENT_EN;
        u->stale = true;
    }
}

void pmu_uncore_advance(const PMUUncoreRun *run, uint64_t by)
{
    uint64_t top = pmu_unit_counter_bits(run->unit, run->number);
    bool overflows = by > top - run->counter->value;

    run->counter->value = (run->counter->value + by) & top;
    if (!overflows) {
        return;
    }
    switch (run->unit->kind) {
    case PMU_UNIT_NEHALEM:
        overflow_nehalem(run);
        break;
    case PMU_UNIT_CBO:
    case PMU_UNIT_ARB:
        overflow_client(run);
        break;
    default:
        run->unit->status |= 1u << run->number;
        break;
    }
}

/* The caller must not hold the lock of the uncore. */
static void interrupt(CPUX86State *env)
{
    PMUState *s = env->pmu.state;
    bool locked = bql_locked();

    if (!(s->debugctl & PMU_DEBUGCTL_UNCORE_PMI)) {
        return;
    }
    s->global_status |= PMU_STATUS_UNCORE;
    if (!locked) {
        bql_lock();
    }
    apic_deliver_pmi(env);
    if (!locked) {
        bql_unlock();
    }
}

static void interrupt_other(CPUState *cs, run_on_cpu_data unused)
{
    interrupt(&X86_CPU(cs)->env);
}

static void interrupt_cpu(CPUX86State *self, CPUState *cs)
{
    bool locked = bql_locked();

    if (self == &X86_CPU(cs)->env) {
        interrupt(self);
        return;
    }
    /*
     * A halted CPU holds the BQL when it looks for queued work. The BQL is taken here too, so that
     * the CPU cannot miss this work.
     */
    if (!locked) {
        bql_lock();
    }
    async_run_on_cpu(cs, interrupt_other, RUN_ON_CPU_NULL);
    if (!locked) {
        bql_unlock();
    }
}

uint32_t pmu_uncore_settle(PMUUncore *u)
{
    uint32_t cores = u->pmi_cores;

    u->pmi_cores = 0;
    if (u->stale) {
        u->stale = false;
        pmu_uncore_decode(u);
    }
    return cores;
}

void pmu_uncore_after(CPUX86State *env, uint32_t cores)
{
    PMUUncore *u = pmu_uncore_of(env);
    CPUState *cs;

    pmu_uncore_follow(u, env, true);
    CPU_FOREACH(cs) { /* in order of index; bit 0 of `cores` is the package's first CPU */
        if (pmu_uncore_of(&X86_CPU(cs)->env) == u) {
            if (cores & 1) {
                interrupt_cpu(env, cs);
            }
            cores >>= 1;
        }
    }
}
