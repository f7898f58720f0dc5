/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting in the uncore (OUTSIDE.md). Each cycle of a CPU in detail mode is a cycle of its
 * package's uncore.
 */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"

/* Events of a cycle. The events of lines are in PMUTraffic. */
typedef struct Cycle {
    uint32_t clock;
    uint32_t tracked;
    uint32_t memory_pending;
} Cycle;

PMUUncoreView *pmu_uncore_view_new(void)
{
    return g_new0(PMUUncoreView, 1);
}

static PMUUncoreView *view_of(CPUX86State *env)
{
    return env->pmu.state->uncore;
}

void pmu_uncore_forget_cycles(const PMUUncore *u)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        CPUX86State *env = &X86_CPU(cs)->env;
        const PMUState *s = env->pmu.state;

        if (s && s->uncore && pmu_uncore_of(env) == u) {
            s->uncore->open = false;
            memset(s->uncore->in_cycle, 0, sizeof(s->uncore->in_cycle));
        }
    }
}

/* `cycle` or `traffic` may be NULL. */
static uint64_t times(const PMUUncoreRun *run, const Cycle *cycle, const PMUTraffic *traffic)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < run->sum.parts; i++) {
        const PMUPart *part = &run->sum.part[i];

        for (unsigned e = 0; traffic && e < PMU_LINE_EVENTS; e++) {
            sum += part->events >> e & 1 ? traffic->count[part->row][e] : 0;
        }
        if (cycle) {
            sum += part->events >> PMU_CLOCK & 1 ? cycle->clock : 0;
            sum += part->events >> PMU_TRACKED & 1 ? cycle->tracked : 0;
            sum += part->events >> PMU_TRACKER_BUSY & 1 ? cycle->tracked > 0 : 0;
            sum += part->events >> PMU_MEMORY_PENDING & 1 ? cycle->memory_pending : 0;
        }
    }
    return sum;
}

static bool has_condition(const PMUUncoreRun *run)
{
    return run->cmask || run->edge;
}

static void judge(const PMUUncoreRun *run, uint64_t happened, uint64_t cycles)
{
    bool holds = run->cmask ? (happened >= run->cmask) != run->inv : happened > 0;

    if (holds) {
        pmu_uncore_advance(run, run->edge ? !run->counter->condition_was : cycles);
    }
    run->counter->condition_was = holds;
}

static void end_cycle(const PMUUncore *u, PMUUncoreView *view)
{
    for (unsigned i = 0; view->open && i < u->runs; i++) {
        if (has_condition(&u->run[i])) {
            judge(&u->run[i], view->in_cycle[i], 1);
        }
        view->in_cycle[i] = 0;
    }
    view->open = false;
}

static void stall(const PMUUncore *u, PMUUncoreView *view, Cycle each, uint32_t cycles)
{
    if (cycles) {
        end_cycle(u, view);
    }
    for (unsigned i = 0; cycles && i < u->runs; i++) {
        const PMUUncoreRun *run = &u->run[i];

        if (has_condition(run)) {
            judge(run, times(run, &each, NULL), cycles);
        } else {
            pmu_uncore_advance(run, times(run, &each, NULL) * cycles);
        }
    }
}

/* A store stays in the tracker until the CPU's next lookup. */
static void leave_tracker(PMUUncore *u, PMUUncoreView *view)
{
    if (view->tracked_epoch == u->epoch) {
        view->tracked_epoch = 0;
        u->tracked--;
    }
}

static void enter_tracker(PMUUncore *u, PMUUncoreView *view)
{
    view->tracked_epoch = u->epoch;
    u->tracked++;
}

static void count_step(PMUUncore *u, PMUUncoreView *view, const PMUStep *step)
{
    const PMUStall *cache = &step->stall[PMU_STALL_CACHE];
    Cycle opened = { 1, u->tracked, 0 };

    if (step->opens_cycle) {
        end_cycle(u, view);
        view->open = true;
    }
    for (unsigned i = 0; (step->opens_cycle || step->traffic) && i < u->runs; i++) {
        const PMUUncoreRun *run = &u->run[i];
        uint64_t by = times(run, step->opens_cycle ? &opened : NULL, step->traffic);

        if (has_condition(run)) {
            view->in_cycle[i] += by;
        } else if (by) {
            pmu_uncore_advance(run, by);
        }
    }
    if (step->traffic) {
        leave_tracker(u, view);
    }
    stall(u, view, (Cycle){ 1, u->tracked + 1, 1 }, step->memory_cycles);
    stall(u, view, (Cycle){ 1, u->tracked + 1, 0 }, step->llc_cycles);
    stall(u, view, (Cycle){ 1, u->tracked, 0 },
          cache->cycles - step->memory_cycles - step->llc_cycles);
    stall(u, view, (Cycle){ 1, u->tracked, 0 }, step->stall[PMU_STALL_MISPREDICT].cycles);
    if (step->traffic && step->traffic->stored) {
        enter_tracker(u, view);
    }
}

void pmu_uncore_step(CPUX86State *env, const PMUStep *step)
{
    PMUUncore *u = pmu_uncore_of(env);
    uint32_t cores;

    if (!pmu_uncore_runs(u)) {
        return;
    }
    qemu_mutex_lock(&u->lock);
    count_step(u, view_of(env), step);
    cores = pmu_uncore_settle(u);
    qemu_mutex_unlock(&u->lock);
    pmu_uncore_after(env, cores);
}

void pmu_uncore_end_cycle(CPUX86State *env)
{
    PMUUncore *u = pmu_uncore_of(env);
    uint32_t cores;

    if (!pmu_uncore_runs(u)) {
        return;
    }
    qemu_mutex_lock(&u->lock);
    end_cycle(u, view_of(env));
    cores = pmu_uncore_settle(u);
    qemu_mutex_unlock(&u->lock);
    pmu_uncore_after(env, cores);
}
