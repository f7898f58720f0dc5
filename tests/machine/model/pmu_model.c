/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creation, reset and INIT of the PMU. */
#include "qemu/osdep.h"
#include "pmu_model_state.h"

/*
 * The counters' value at reset; hardware guarantees no value. The value is not 0, so that tests
 * detect a program that does not clear its counters.
 */
#define GARBAGE 0x5a5a5a5a5a5a5a5aull

uint64_t pmu_counter_bits(const PMUModel *p)
{
    return (pmu_low_bits(p->gp_count) & ~(uint64_t)p->gp_absent) |
           (pmu_low_bits(p->fixed_count) & ~(uint64_t)p->fixed_absent) << 32;
}

static PMUState *new_state(CPUX86State *env)
{
    PMUState *s = g_new0(PMUState, 1);

    s->core = pmu_core_new(env);
    s->msrs = pmu_state_msrs_new();
    s->uncore = pmu_uncore_view_new();
    return s;
}

void pmu_model_reset(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    PMUState *s = p->state;

    if (!p->on) {
        return;
    }
    if (p->init) {
        p->init = false;
        s->hung = false;
        env->tsc_offset = s->tsc_offset;
        pmu_sipi_init(env);
        pmu_mark_detail(env);
        return;
    }
    if (!s) {
        s = p->state = new_state(env);
    }
    memset(s, 0, offsetof(PMUState, opens));
    for (int i = 0; i < PMU_COUNTERS; i++) {
        unsigned width = i < PMU_GP_MAX ? p->gp_width : p->fixed_width;

        s->counter[i].value = p->mute ? 0 : GARBAGE & pmu_low_bits(width);
    }
    s->global_ctrl = pmu_counter_bits(p) & UINT32_MAX;
    s->hung = false;
    if (p->left_running) {
        s->debugctl = !p->amd && p->version >= 2
                          ? PMU_DEBUGCTL_FREEZE_LBRS | PMU_DEBUGCTL_FREEZE_COUNTERS : 0;
        s->pebs_enable = 1;
        s->select[0] = PMU_SELECT_EN | PMU_SELECT_OS | PMU_SELECT_USR | 0x00c0;
        s->fixed_ctrl = p->fixed_count ? 3 : 0;
        s->global_ctrl = ((1ull << 32) | 1) & pmu_counter_bits(p);
    }
    memcpy(s->seen, p->retired, sizeof(s->seen));
    pmu_core_reset(s->core);
    pmu_state_msrs_reset(env, s->msrs);
    pmu_uncore_reset(env);
    pmu_error_reset(env);
    pmu_count_mode(env);
}

void pmu_model_init(CPUX86State *env)
{
    PMUModel *p = &env->pmu;

    p->init = p->on;
    if (p->on) {
        p->state->tsc_offset = env->tsc_offset;
    }
}
