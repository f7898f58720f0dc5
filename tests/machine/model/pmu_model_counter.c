/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of a counter's value: overflows, interrupts, and the conditions CMASK, INV and EDGE,
 * which are evaluated at the end of each cycle. Intel SDM volume 3B, sections "IA32_PERFEVTSELx
 * MSRs" and "Freezing ... on PMI".
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"

static void interrupt(CPUX86State *env)
{
    PMUState *s = env->pmu.state;
    bool locked = bql_locked();

    if (s->debugctl & PMU_DEBUGCTL_FREEZE_COUNTERS) {
        if (env->pmu.version >= 4) {
            s->global_status |= PMU_STATUS_CTR_FRZ;
        } else {
            s->global_ctrl = 0;
        }
        s->stale = true;
    }
    if (s->debugctl & PMU_DEBUGCTL_FREEZE_LBRS && env->pmu.version >= 4) {
        s->global_status |= PMU_STATUS_LBR_FRZ;
    }
    if (!locked) {
        bql_lock();
    }
    apic_deliver_pmi(env);
    if (!locked) {
        bql_unlock();
    }
}

/* The increment of a counter that lies about its event, for this number of events. */
static uint64_t lie_about(const PMUWatch *w, uint64_t value, uint64_t events)
{
    uint64_t honest = w->lies_high && value < 1ull << 32 ? MIN(events, (1ull << 32) - value) : 0;

    return honest + w->lie_factor * (events - honest);
}

void pmu_counter_advance(CPUX86State *env, const PMUWatch *w, uint64_t by)
{
    PMUState *s = env->pmu.state;
    uint64_t *value = &s->counter[w->counter].value;
    bool overflows;

    if (w->lie_factor != 1) {
        by = lie_about(w, *value, by);
    }
    overflows = by > w->top - (*value & w->top);

    *value = (*value & ~w->top) | ((*value + by) & w->top);
    if (overflows && w->status) {
        s->global_status |= w->status;
        s->late_ref.overflowed |= w->counter == PMU_GP_MAX + PMU_FIXED_REF;
        if (w->interrupt) {
            interrupt(env);
        }
    }
}

/* Applies CMASK, EQ, INV and EDGE to `cycles` cycles that have ended. Each had `times` events. */
static void judge_cycles(CPUX86State *env, const PMUWatch *w, uint64_t times, uint64_t cycles)
{
    PMUCounter *counter = &env->pmu.state->counter[w->counter];
    bool reaches = w->eq ? times == w->cmask : times >= w->cmask;
    bool holds = w->cmask ? reaches != w->inv : times > 0;

    if (holds) {
        pmu_counter_advance(env, w, w->edge ? !counter->condition_was : cycles);
    }
    counter->condition_was = holds;
}

void pmu_counters_end_cycle(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    for (int i = 0; s->cycle_open && i < s->details; i++) {
        const PMUWatch *w = s->detail[i];

        if (pmu_has_condition(w) && w->rings[s->cycle_ring]) {
            judge_cycles(env, w, s->counter[w->counter].in_cycle, 1);
        }
        s->counter[w->counter].in_cycle = 0;
    }
    s->cycle_open = false;
}

void pmu_counters_event(CPUX86State *env, PMUSource source, int ring)
{
    const PMUState *s = env->pmu.state;

    for (int i = 0; i < s->watches; i++) {
        const PMUWatch *w = &s->watch[i];

        if (w->source == source && (ring == PMU_RINGS || w->rings[ring]) &&
            !pmu_has_condition(w)) {
            pmu_counter_advance(env, w, 1);
        }
    }
}

/*
 * On AMD, an interrupt or exception counts as a taken far branch; only a hardware interrupt also
 * counts as an interrupt. The delivery of INT n adds nothing, because INT n itself is counted as a
 * far branch. AMD's Processor Programming References, "Retired Branch Instructions", "Retired Taken
 * Branch Instructions", "Retired Far Control Transfers", "Interrupts Taken".
 */
void pmu_model_interrupt(CPUX86State *env, bool is_int, bool is_hardware)
{
    int ring = (env->hflags & HF_CPL_MASK) != 0;

    if (!env->pmu.on || !env->pmu.amd || is_int) {
        return;
    }
    pmu_counters_event(env, PMU_BRANCHES, ring);
    pmu_counters_event(env, PMU_TAKEN, ring);
    pmu_counters_event(env, PMU_FAR_BRANCHES, ring);
    if (is_hardware) {
        pmu_counters_event(env, PMU_INTERRUPTS, ring);
    }
}

static void stall(CPUX86State *env, const PMUStall *stall, int ring)
{
    PMUState *s = env->pmu.state;

    pmu_counters_end_cycle(env);
    for (int i = 0; i < s->details; i++) {
        const PMUWatch *w = s->detail[i];

        if (w->rings[ring] && pmu_has_condition(w)) {
            judge_cycles(env, w, stall->each[w->source], stall->cycles);
        } else if (w->rings[ring]) {
            pmu_counter_advance(env, w, (uint64_t)stall->cycles * stall->each[w->source]);
        }
    }
}

void pmu_counters_step(CPUX86State *env, const PMUStep *step, int ring)
{
    PMUState *s = env->pmu.state;

    if (step->opens_cycle) {
        pmu_counters_end_cycle(env);
        s->cycle_open = true;
        s->cycle_ring = ring;
    }
    for (int i = 0; i < s->details; i++) {
        const PMUWatch *w = s->detail[i];
        uint64_t by = step->added[w->source];

        if (!by || !w->rings[ring]) {
            continue;
        }
        if (pmu_has_condition(w)) {
            s->counter[w->counter].in_cycle += by;
        } else {
            pmu_counter_advance(env, w, by);
        }
    }
    for (int i = 0; i < PMU_STALLS; i++) {
        if (step->stall[i].cycles) {
            stall(env, &step->stall[i], ring);
        }
    }
}
