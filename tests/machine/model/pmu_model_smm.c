/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU in system management mode: Intel SDM volume 3B, "IA32_DEBUGCTL MSR", FREEZE_WHILE_SMM.
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"
#include "trace/trace-target_i386.h"

#define DEBUGCTL_OFF_IN_SMM 0xc3ull /* LBR, BTF, TR, BTS */
#define EVENT_CYCLES 0x3c
#define EVENT_CYCLES_AMD 0x76

static void freeze(CPUX86State *env)
{
    PMUState *s = env->pmu.state;

    s->smm_frozen = s->debugctl & PMU_DEBUGCTL_FREEZE_SMM;
    if (s->smm_frozen) {
        pmu_count_sync(env);
        s->smm_debugctl = s->debugctl;
        s->debugctl &= ~DEBUGCTL_OFF_IN_SMM;
        s->global_ctrl = 0;
        pmu_count_mode(env);
    }
}

/*
 * RSM belongs to SMM, so it is added to `retired` before the counters are brought up to date, while
 * they are still frozen. RSM is then subtracted, because the code that retires RSM will add it.
 */
static void thaw(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;
    int ring = (env->hflags & HF_CPL_MASK) != 0;

    if (!s->smm_frozen) {
        return;
    }
    s->smm_frozen = false;
    s->stepped = p->detail;
    p->retired[ring][PMU_FAR]++;
    pmu_count_sync(env);
    p->retired[ring][PMU_FAR]--;
    s->debugctl = s->smm_debugctl;
    s->global_ctrl = pmu_counter_bits(p) | (p->metrics ? PMU_STATUS_METRICS : 0);
    pmu_count_mode(env);
}

/* In detail mode, RSM is counted only when it retires. */
static void sync_with_rsm(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    int ring = (env->hflags & HF_CPL_MASK) != 0;

    p->retired[ring][PMU_FAR] += !p->detail;
    pmu_count_sync(env);
    p->retired[ring][PMU_FAR] -= !p->detail;
}

static void take_counter(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;

    sync_with_rsm(env);
    s->select[p->smm_takes] = PMU_SELECT_EN | PMU_SELECT_OS | PMU_SELECT_USR |
                              (p->amd ? EVENT_CYCLES_AMD : EVENT_CYCLES);
    s->counter[p->smm_takes].value = 0;
    pmu_count_mode(env);
}

static void move_counters(CPUX86State *env)
{
    PMUModel *p = &env->pmu;

    pmu_count_sync(env);
    for (int i = 0; i < p->gp_count; i++) {
        PMUCounter *counter = &p->state->counter[i];

        counter->value = (counter->value + p->smm_moves) & pmu_low_bits(p->gp_width);
    }
    p->state->stale = true;
}

void pmu_model_smm(CPUX86State *env, bool entered)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;
    int cpu = env_cpu(env)->cpu_index;
    uint64_t retired = pmu_total_retired(p);

    if (!p->on) {
        return;
    }
    if (entered) {
        s->smm_entered = retired;
        trace_pmu_model_smm_enter(cpu, retired);
        pmu_counters_event(env, PMU_SMIS, PMU_RINGS);
        freeze(env);
    } else {
        retired++; /* RSM */
        trace_pmu_model_smm_exit(cpu, retired, retired - s->smm_entered);
        if (p->smm_moves) {
            move_counters(env);
        }
        if (p->smm_takes != PMU_AUTO) {
            take_counter(env);
        }
        thaw(env);
    }
}
