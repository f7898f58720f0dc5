/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDMSR, WRMSR and RDPMC as the processor executes them. */
#include "qemu/osdep.h"
#include "pmu_model_state.h"
#include "trace/trace-target_i386.h"

#define RDPMC_METRICS (1u << 29)
#define RDPMC_FIXED (1u << 30)

int pmu_model_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
    const PMUModel *p = &env->pmu;
    PMURegister r;
    int found;

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    trace_pmu_model_rdmsr(env_cpu(env)->cpu_index, msr, pmu_total_retired(p));
    pmu_count_exit(env);
    if (msr == p->gp_fault_msr) {
        return PMU_FAULT;
    }
    if (msr == p->zero_msr) {
        *value = 0;
        return PMU_DONE;
    }
    if (p->amd && msr == MSR_SMI_COUNT) { /* QEMU would implement this MSR on AMD too */
        *value = 0;
        return p->strict_msr ? PMU_FAULT : PMU_DONE;
    }
    if (pmu_uncore_owns(env, msr)) {
        pmu_count_sync(env);
        return pmu_uncore_rdmsr(env, msr, value);
    }
    found = pmu_bank_rdmsr(env, msr, value);
    if (found != PMU_NOT_MINE) {
        return found;
    }
    if (!pmu_register_find(p, msr, &r)) {
        return pmu_state_rdmsr(env, p->state->msrs, msr, value);
    }
    if (pmu_register_is_promised(env, r)) {
        *value = 0;
        return PMU_DONE;
    }
    if (!pmu_register_exists(p, r)) {
        return PMU_FAULT;
    }
    pmu_count_sync(env);
    *value = pmu_register_read(p, r);
    return PMU_DONE;
}

/* Reserved bits are dropped on AMD, and raise #GP on Intel. */
static bool may_write(const CPUX86State *env, PMURegister r, uint64_t value)
{
    uint64_t mask = pmu_register_writable(env, r);

    return pmu_register_exists(&env->pmu, r) && mask && (env->pmu.amd || !(value & ~mask));
}

static bool opens(const PMUModel *p, PMURegister r, uint64_t value)
{
    return p->version == 1 ? r.kind == PMU_REG_SELECT && (value & PMU_SELECT_EN)
                           : r.kind == PMU_REG_GLOBAL_CTRL && value != 0;
}

/* The WRMSR retires and is counted before it takes effect. */
static void write_register(CPUX86State *env, PMURegister r, uint64_t value)
{
    value &= pmu_register_writable(env, r);
    pmu_sipi_software_wrote();
    pmu_count_this_wrmsr(env);
    pmu_register_write(&env->pmu, r, value);
    pmu_count_mode(env);
    if (opens(&env->pmu, r, value)) {
        pmu_lies_opened(env);
        pmu_count_mode(env);
    }
}

static int write_uncore(CPUX86State *env, uint32_t msr, uint64_t value)
{
    bool may = msr != env->pmu.gp_fault_msr && pmu_uncore_may_write(env, msr, value);

    trace_pmu_model_wrmsr(env_cpu(env)->cpu_index, msr, value, pmu_total_retired(&env->pmu), !may);
    if (may) {
        pmu_count_this_wrmsr(env);
        pmu_uncore_wrmsr(env, msr, value);
    }
    return may ? PMU_DONE : PMU_FAULT;
}

int pmu_model_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
    PMUModel *p = &env->pmu;
    PMURegister r;
    bool mine, promised;
    int outcome = PMU_DONE;

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    pmu_count_exit(env);
    if (msr == p->zero_msr) {
        return PMU_DONE;
    }
    if (pmu_uncore_owns(env, msr)) {
        return write_uncore(env, msr, value);
    }
    mine = pmu_register_find(p, msr, &r);
    promised = mine && pmu_register_is_promised(env, r);
    if (msr == p->gp_fault_msr || (mine && !promised && !may_write(env, r, value))) {
        outcome = PMU_FAULT;
    } else if (!mine) {
        outcome = pmu_bank_wrmsr(env, msr, value);
        if (outcome == PMU_NOT_MINE) {
            outcome = pmu_state_wrmsr(env, p->state->msrs, msr, value);
        }
    }
    trace_pmu_model_wrmsr(env_cpu(env)->cpu_index, msr, value, pmu_total_retired(p),
                          outcome == PMU_FAULT);
    if (mine && !promised && outcome == PMU_DONE) {
        write_register(env, r, value);
    }
    return outcome;
}

int pmu_model_rdpmc(CPUX86State *env, uint32_t ecx, uint64_t *value)
{
    const PMUModel *p = &env->pmu;
    const PMUState *s = p->state;
    uint32_t fixed = ecx - RDPMC_FIXED;

    if (!p->on) {
        return PMU_NOT_MINE;
    }
    pmu_count_sync(env);
    if (ecx < p->gp_count && (p->gp_absent >> ecx & 1)) {
        return PMU_FAULT;
    }
    if (ecx < p->gp_count) {
        *value = s->counter[ecx].value;
    } else if (ecx < p->gp_count + pmu_promised(env)) {
        *value = 0;
    } else if (fixed < p->fixed_count && !(p->fixed_absent >> fixed & 1)) {
        *value = s->counter[PMU_GP_MAX + fixed].value;
    } else if (ecx == RDPMC_METRICS && p->metrics) {
        *value = pmu_metrics_read(s);
    } else {
        return PMU_FAULT;
    }
    return PMU_DONE;
}
