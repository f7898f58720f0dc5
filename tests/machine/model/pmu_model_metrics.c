/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PERF_METRICS, which shows how the slots in fixed counter 3 were used. Intel SDM volume 3B,
 * section "Performance Metrics".
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"

enum { RETIRING, BAD_SPECULATION, FRONTEND, BACKEND, METRICS };

bool pmu_metrics_run(const PMUModel *p, int ring)
{
    const PMUState *s = p->state;
    const uint64_t needed = PMU_STATUS_METRICS | 1ull << 35;

    return (s->global_ctrl & needed) == needed && (s->fixed_ctrl >> 12 >> ring & 1) &&
           !(s->global_status & PMU_STATUS_CTR_FRZ) && !p->mute;
}

static uint64_t slots_of(const PMUStep *step, PMUSource source)
{
    uint64_t sum = step->added[source];

    for (int i = 0; i < PMU_STALLS; i++) {
        sum += (uint64_t)step->stall[i].cycles * step->stall[i].each[source];
    }
    return sum;
}

void pmu_metrics_step(PMUModel *p, const PMUStep *step, int ring)
{
    uint64_t *slots = p->state->metric_slots, retiring, bad, backend;

    if (pmu_metrics_run(p, ring)) {
        retiring = slots_of(step, PMU_INSTRUCTIONS);
        bad = slots_of(step, PMU_BAD_SPECULATION_SLOTS);
        backend = slots_of(step, PMU_BACKEND_SLOTS);
        slots[RETIRING] += retiring;
        slots[BAD_SPECULATION] += bad;
        slots[BACKEND] += backend;
        slots[FRONTEND] += slots_of(step, PMU_SLOTS) - retiring - bad - backend;
    }
}

uint64_t pmu_metrics_read(const PMUState *s)
{
    uint64_t sum = 0, value = 0, rest = 0xff;

    for (int i = 0; i < METRICS; i++) {
        sum += s->metric_slots[i];
    }
    for (int i = 0; i < METRICS && sum; i++) {
        if (i != FRONTEND) {
            uint64_t part = s->metric_slots[i] * 0xff / sum;

            value |= part << 8 * i;
            rest -= part;
        }
    }
    return sum ? value | rest << 8 * FRONTEND : 0;
}

void pmu_metrics_write(PMUState *s, uint64_t value)
{
    for (int i = 0; i < METRICS; i++) {
        s->metric_slots[i] = s->counter[PMU_GP_MAX + 3].value * (value >> 8 * i & 0xff) / 0xff;
    }
}
