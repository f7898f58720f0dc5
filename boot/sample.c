/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cpu_deltas.h"
#include "boot/sample.h"
#include "boot/window.h"
#include "pmu/deltas.h"
#include "pmu/evidence.h"
#include "pmu/msr.h"

static window_run *window_for(const struct programmed *programmed)
{
    if (programmed->open_msr == MSR_IA32_PERF_GLOBAL_CTRL)
        return window_global;
    return programmed->open_msr == 0 ? window_bare : window_select;
}

static unsigned run_window(const struct measure_task *task, const struct programmed *programmed,
                           struct window *window)
{
    if (task->user)
        return user_run(task->user, task->context, programmed->open_msr, window);
    return window_for(programmed)(window);
}

static unsigned width_of(const struct measure_task *task, const struct slot *slot)
{
    const struct cpu_caps *caps = &task->cpu->caps;

    return slot->fixed ? caps->fixed_width_bits : caps->gp_width_bits;
}

/* Counters that run freely: what stands in them does not matter. */
static unsigned run_deltas(const struct measure_task *task, const struct programmed *programmed,
                           struct window *window, uint64_t *raw)
{
    const struct pass *pass = programmed->pass;
    struct deltas deltas = {.window = *window, .open_msr = programmed->open_msr};
    unsigned outcome;

    if (pass->slots == 0)
        return window_bare(window);
    for (unsigned i = 0; i < DELTAS_MAX; i++) {
        const struct slot *slot = &pass->slot[i < pass->slots ? i : 0];

        deltas.index[i] = slot->fixed ? DELTAS_FIXED(slot->counter) : DELTAS_GENERAL(slot->counter);
    }
    outcome = window_deltas(&deltas);
    for (unsigned i = 0; outcome == WINDOW_DONE && i < pass->slots; i++)
        raw[i] = (uint64_t)deltas_count(deltas.read[0][i], deltas.read[1][i], deltas.read[2][i],
                                        width_of(task, &pass->slot[i]));
    window->tsc_start = deltas.window.tsc_start;
    window->tsc_end = deltas.window.tsc_end;
    return outcome;
}

/* Counters that start at 0, or some events before their overflow. */
static unsigned run_from_start(const struct measure_task *task, const struct programmed *programmed,
                               struct window *window, struct sample *sample)
{
    const struct pass *pass = programmed->pass;
    bool right = pmu_preset(&CPU_MSRS, &task->cpu->caps, programmed, task->overflow_after);
    unsigned outcome = run_window(task, programmed, window);

    if (outcome != WINDOW_DONE)
        return outcome;
    right &= pmu_read(&CPU_MSRS, programmed, sample->raw);
    for (unsigned i = 0; i < pass->slots; i++)
        sample->raw[i] = (sample->raw[i] + task->overflow_after) &
                         (~0ull >> (64 - width_of(task, &pass->slot[i])));
    if (!right)
        sample->evidence |= EVIDENCE_REGISTER;
    return outcome;
}

static struct surroundings surroundings(const struct measure_task *task)
{
    return evidence_read(&CPU_MSRS, task->cpu->flags, task->context->nmis);
}

bool sample_take(const struct measure_task *task, const struct programmed *programmed,
                 struct window *window, struct sample *sample)
{
    const struct cpu_caps *caps = &task->cpu->caps;
    /* Before the selects: with freezing in SMM, an SMI in between would open them. */
    const struct surroundings before = surroundings(task);
    struct surroundings after;
    unsigned outcome;

    sample->evidence = 0;
    for (unsigned i = 0; i < programmed->pass->slots; i++)
        sample->raw[i] = 0;
    outcome = task->method == METHOD_DELTAS ? run_deltas(task, programmed, window, sample->raw)
                                            : run_from_start(task, programmed, window, sample);
    if (outcome != WINDOW_DONE) {
        return false;
    }
    after = surroundings(task);
    sample->tsc = window->tsc_end - window->tsc_start;
    sample->nmis = (uint16_t)(after.nmis - before.nmis);
    sample->smis = SMIS_UNKNOWN;
    if (task->cpu->flags & CPU_HAS_SMI_COUNT)
        sample->smis = (uint16_t)(after.smis - before.smis);
    sample->evidence |= evidence_between(&before, &after);
    evidence_clear(&CPU_MSRS, &before, &after);
    sample->overflowed = pmu_overflowed(&CPU_MSRS, caps, programmed);
    if (sample->overflowed && task->method == METHOD_RESET && task->overflow_after == 0)
        sample->evidence |= EVIDENCE_OVERFLOW;
    return true;
}
