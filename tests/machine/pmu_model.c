/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the PMU is and what it counts: Intel SDM volume 3B, chapter "Performance Monitoring".
 * README.md has the formulas.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "qapi/error.h"

/* Architectural events that this model lacks, as CPUID.0AH:EBX: 3, 4 LLC, 6 branch misses. */
#define EVENTS_LENGTH 7
#define EVENTS_ABSENT (1u << 3 | 1u << 4 | 1u << 6)

/* An event counts per_instruction for each instruction, and 1 more for one of these classes. */
typedef struct PMUEvent {
    uint16_t encoding; /* unit mask 15:8, event select 7:0 */
    uint8_t per_instruction;
    uint8_t classes;
} PMUEvent;

static const PMUEvent events[] = {
    { 0x00c0, 1, 0 },          /* instructions */
    { 0x003c, 1, PMU_TAKEN },  /* core cycles */
    { 0x013c, 1, 0 },          /* reference cycles */
    { 0x00c4, 0, PMU_BRANCH }, /* branches */
    { 0x20c4, 0, PMU_TAKEN },  /* near taken branches */
    { 0x81d0, 0, PMU_LOAD },   /* instructions that load */
    { 0x82d0, 0, PMU_STORE },  /* instructions that store */
};

/*
 * What the counters hold at reset: on hardware nobody can rely on it, so here it is no round number
 * either. A program that forgets to zero them is seen.
 */
#define GARBAGE 0x5a5a5a5a5a5a5a5aull

static const uint16_t fixed_events[PMU_FIXED_MAX] = { 0x00c0, 0x003c, 0x013c };

uint64_t pmu_counter_bits(const PMUModel *p)
{
    return (p->gp_count ? pmu_low_bits(p->gp_count) : 0) |
           (p->fixed_count ? pmu_low_bits(p->fixed_count) << 32 : 0);
}

uint64_t pmu_inuse(const PMUModel *p)
{
    uint64_t bits = 0;
    bool interrupts = false;

    for (int i = 0; i < p->gp_count; i++) {
        bits |= (uint64_t)((p->select[i] & 0xff) != 0) << i;
        interrupts |= (p->select[i] & PMU_SELECT_INT) != 0;
    }
    for (int i = 0; i < p->fixed_count; i++) {
        bits |= (uint64_t)((p->fixed_ctrl >> 4 * i & 3) != 0) << (32 + i);
        interrupts |= p->fixed_ctrl >> 4 * i >> 3 & 1;
    }
    return bits | (uint64_t)interrupts << 63;
}

uint64_t pmu_total_retired(const PMUModel *p)
{
    uint64_t sum = 0;

    for (int i = 0; i < PMU_RINGS * PMU_CLASSES; i++) {
        sum += p->retired[i / PMU_CLASSES][i % PMU_CLASSES];
    }
    return sum;
}

/* How often an event happened since the counters were last brought up to date. */
static uint64_t growth(const PMUModel *p, uint16_t encoding, bool os, bool usr)
{
    const bool rings[PMU_RINGS] = { os, usr };
    const PMUEvent *event = events;
    uint64_t sum = 0;

    while (event->encoding != encoding) {
        if (++event == events + ARRAY_SIZE(events)) {
            return 0;
        }
    }
    for (int r = 0; r < PMU_RINGS; r++) {
        for (int c = 0; rings[r] && c < PMU_CLASSES; c++) {
            sum += (p->retired[r][c] - p->seen[r][c]) *
                   (event->per_instruction + ((c & event->classes) != 0));
        }
    }
    return sum;
}

static void advance(PMUModel *p, uint64_t *counter, unsigned width, int bit, uint64_t by)
{
    if (by > pmu_low_bits(width) - *counter) {
        p->global_status |= 1ull << bit;
    }
    *counter = (*counter + by) & pmu_low_bits(width);
}

void pmu_model_sync(PMUModel *p)
{
    /* Version 1 has no global control: the enable bit of the select decides alone. */
    uint64_t enabled = p->version == 1 ? UINT64_MAX : p->global_ctrl;

    if (p->mute || (p->global_status & PMU_STATUS_CTR_FRZ)) {
        enabled = 0;
    }
    for (int i = 0; i < p->gp_count; i++) {
        uint64_t select = p->select[i];

        if ((enabled >> i & 1) && (select & PMU_SELECT_EN)) {
            advance(p, &p->counter[i], p->gp_width, i,
                    growth(p, select & 0xffff, select >> 17 & 1, select >> 16 & 1));
        }
    }
    for (int i = 0; i < p->fixed_count; i++) {
        uint64_t field = p->fixed_ctrl >> 4 * i;

        if (enabled >> (32 + i) & 1) {
            advance(p, &p->fixed_counter[i], p->fixed_width, 32 + i,
                    growth(p, fixed_events[i], field & 1, field >> 1 & 1));
        }
    }
    memcpy(p->seen, p->retired, sizeof(p->seen));
}

void pmu_model_cpuid(CPUX86State *env, uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    const PMUModel *p = &env->pmu;

    if (!p->on) {
        return;
    }
    *eax = p->version | p->gp_count << 8 | p->gp_width << 16 | EVENTS_LENGTH << 24;
    *ebx = EVENTS_ABSENT;
    *edx = p->fixed_count | (p->fixed_count ? p->fixed_width << 5 : 0);
    if (p->version >= 5) {
        *ecx = pmu_counter_bits(p) >> 32;
        *edx |= 1 << 15; /* AnyThread deprecated */
    }
}

bool pmu_model_realize(CPUX86State *env, Error **errp)
{
    PMUModel *p = &env->pmu;

    if (!env_archcpu(env)->enable_pmu || p->version == 0 || !IS_INTEL_CPU(env)) {
        return true;
    }
    if (p->version > 5 || p->gp_count > PMU_GP_MAX || p->fixed_count > PMU_FIXED_MAX ||
        p->gp_width < 32 || p->gp_width > 48 || p->fixed_width < 32 || p->fixed_width > 48) {
        error_setg(errp, "pmu-version is 0 to 5, pmu-gp 0 to %d, pmu-fixed 0 to %d, "
                         "pmu-width and pmu-fixed-width 32 to 48", PMU_GP_MAX, PMU_FIXED_MAX);
        return false;
    }
    if (p->version == 1) {
        p->fixed_count = 0;
        p->full_width = false;
    }
    if (p->full_width) {
        env->features[FEAT_1_ECX] |= CPUID_EXT_PDCM;
    } else {
        env->features[FEAT_1_ECX] &= ~CPUID_EXT_PDCM;
    }
    if (p->left_running) {
        env->features[FEAT_1_EDX] |= CPUID_DTS; /* without it nobody looks for PEBS */
    }
    env->cpuid_level = MAX(env->cpuid_level, 0xa);
    p->on = true;
    return true;
}

void pmu_model_reset(CPUX86State *env)
{
    PMUModel *p = &env->pmu;

    memset(p->select, 0, sizeof(p->select));
    for (int i = 0; i < PMU_GP_MAX; i++) {
        p->counter[i] = p->mute ? 0 : GARBAGE & pmu_low_bits(p->gp_width);
    }
    for (int i = 0; i < PMU_FIXED_MAX; i++) {
        p->fixed_counter[i] = p->mute ? 0 : GARBAGE & pmu_low_bits(p->fixed_width);
    }
    p->debugctl = p->left_running ? 3 << 11 : 0; /* freeze LBRs and counters on a PMI */
    p->pebs_enable = p->left_running;
    p->fixed_ctrl = 0;
    p->global_status = 0;
    p->global_ctrl = pmu_counter_bits(p) & UINT32_MAX;
    p->hung = false;
    memcpy(p->seen, p->retired, sizeof(p->seen));
    if (p->left_running) {
        p->select[0] = PMU_SELECT_EN | 0x03003c;
        p->fixed_ctrl = p->fixed_count ? 3 : 0;
        p->global_ctrl = ((1ull << 32) | 1) & pmu_counter_bits(p);
    }
}

void pmu_model_init(CPUX86State *env, const PMUModel *before)
{
    env->pmu = *before;
    env->pmu.hung = false;
}

void pmu_model_opened(CPUX86State *env)
{
    PMUModel *p = &env->pmu;
    CPUState *cs = env_cpu(env);

    if (env_archcpu(env)->apic_id != p->hang_apic_id) {
        return;
    }
    if (p->hung || ++p->opens == p->hang_open) {
        p->hung = true;
        env->eflags &= ~IF_MASK;
        env->hflags &= ~HF_INHIBIT_IRQ_MASK;
        cs->halted = 1;
        cs->exception_index = EXCP_HLT;
        cpu_loop_exit(cs);
    }
}
