/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes samples: sets the counters, runs the kernel in a window, and reads the evidence. */
#include "boot/cpu/window.h"
#include "boot/measure/measure_uncore.h"
#include "boot/measure/sample.h"
#include "pmu/counters/deltas.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/spare.h"

struct clock_looks {
    struct clocks before, after;
};

static void look_at_clocks(const struct measure_task *task, struct clocks *now)
{
    if (task->cpu->flags & CPU_HAS_APERF)
        cpu_clocks(now);
    else
        *now = (struct clocks){0};
}

bool sample_agree(const struct measure_task *task, bool more, bool *any)
{
    *any = more;
    return !task->barrier || barrier_meet(task->barrier, task->seat, more, any) == STATUS_OK;
}

/* False if this CPU must not continue. */
static bool all_met(const struct measure_task *task)
{
    bool any;

    return !task->barrier || barrier_meet(task->barrier, task->seat, false, &any) == STATUS_OK;
}

static bool counts_uncore(const struct sampling *sampling)
{
    return sampling->programmed->counters < sampling->programmed->pass->slots;
}

/*
 * The uncore counters start after the `prepare` of all CPUs and before any CPU's window. If there
 * are uncore counters, the clocks are read before these counters start, so that the measured time
 * covers everything that they count.
 */
static inline __attribute__((always_inline)) unsigned get_ready(const struct sampling *sampling,
                                                                const struct window *window,
                                                                struct clock_looks *clocks,
                                                                struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const bool of_uncore = counts_uncore(sampling);
    unsigned outcome;

    task->context->windows++;
    outcome = space_prepare(task->space, window);
    task->context->windows++;
    if (outcome == WINDOW_DONE && sampling->meets_around && !all_met(task))
        outcome = WINDOW_NOT_MET;
    if (of_uncore) {
        look_at_clocks(task, &clocks->before);
        if (outcome == WINDOW_DONE && !measure_uncore_open(task))
            sample->evidence |= EVIDENCE_REGISTER;
    }
    if (outcome == WINDOW_DONE && !all_met(task))
        outcome = WINDOW_NOT_MET;
    if (!of_uncore)
        look_at_clocks(task, &clocks->before);
    return outcome;
}

/* Call this directly after the window, because the uncore counters still count. */
static inline __attribute__((always_inline)) unsigned come_back(const struct sampling *sampling,
                                                                unsigned outcome,
                                                                struct clock_looks *clocks,
                                                                struct sample *sample)
{
    const struct measure_task *task = sampling->task;

    task->context->windows++;
    if (outcome == WINDOW_DONE && sampling->meets_around && !all_met(task))
        outcome = WINDOW_NOT_MET;
    if (outcome == WINDOW_DONE && counts_uncore(sampling) &&
        !measure_uncore_close(task, sample->raw))
        sample->evidence |= EVIDENCE_REGISTER;
    look_at_clocks(task, &clocks->after);
    return outcome;
}

static unsigned width_of(const struct measure_task *task, const struct slot *slot)
{
    const struct cpu_caps *caps = &task->cpu->caps;

    return slot->where == SLOT_FIXED ? caps->fixed_width_bits : caps->gp_width_bits;
}

static __attribute__((noinline)) unsigned run_deltas(const struct sampling *sampling,
                                                     struct window *window,
                                                     struct clock_looks *clocks,
                                                     struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct pass *pass = sampling->programmed->pass;
    const unsigned slots = sampling->programmed->counters;
    struct deltas deltas = {.window = *window};
    unsigned outcome;

    for (unsigned i = 0; i < DELTAS_MAX; i++) {
        const struct slot *slot = &pass->slot[i < slots ? i : 0];

        deltas.index[i] =
            slot->where == SLOT_FIXED ? DELTAS_FIXED(slot->counter) : DELTAS_GENERAL(slot->counter);
    }
    outcome = get_ready(sampling, window, clocks, sample);
    if (outcome != WINDOW_DONE)
        return outcome;
    task->context->windows++;
    outcome = space_deltas(task->space, &deltas);
    outcome = come_back(sampling, outcome, clocks, sample);
    for (unsigned i = 0; outcome == WINDOW_DONE && i < slots; i++)
        sample->raw[i] = (uint64_t)deltas_count(deltas.read[0][i], deltas.read[1][i],
                                                deltas.read[2][i], width_of(task, &pass->slot[i]));
    window->tsc_start = deltas.window.tsc_start;
    window->tsc_end = deltas.window.tsc_end;
    return outcome;
}

/* Subtracts the start values from the counts. */
static __attribute__((noinline)) void subtract_starts(const struct sampling *sampling,
                                                      struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct programmed *programmed = sampling->programmed;

    for (unsigned i = 0; i < programmed->counters; i++) {
        const uint64_t start =
            programmed->high >> i & 1 ? HIGH_START : -(uint64_t)task->overflow_after;

        sample->raw[i] =
            (sample->raw[i] - start) & ~0ull >> (64 - width_of(task, &programmed->pass->slot[i]));
    }
}

/* The counters start at 0 or, with overflow_after=N in the plan, N events before their overflow. */
static unsigned run_from_start(const struct sampling *sampling, struct window *window,
                               struct clock_looks *clocks, struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct programmed *programmed = sampling->programmed;
    bool right = sampling->is_preset && pmu_preset(&CPU_MSRS, programmed);
    unsigned outcome = get_ready(sampling, window, clocks, sample);

    if (outcome != WINDOW_DONE)
        return outcome;
    task->context->windows++;
    outcome = space_window(task->space, window);
    outcome = come_back(sampling, outcome, clocks, sample);
    if (outcome != WINDOW_DONE)
        return outcome;
    right &= pmu_read(&CPU_MSRS, programmed, sample->raw);
    if (task->overflow_after | programmed->high)
        subtract_starts(sampling, sample);
    if (!right)
        sample->evidence |= EVIDENCE_REGISTER;
    return outcome;
}

/*
 * A machine check that was handled may leave no change in the banks, so mc_changed becomes at least
 * the number of machine checks.
 */
static void add_machine_checks(struct cpu_context *context, struct sample *sample)
{
    if (context->machine_checks > sample->mc_changed)
        sample->mc_changed = (uint16_t)context->machine_checks;
    context->machine_checks = 0;
    sample->evidence |= EVIDENCE_MACHINE;
}

void sample_start(struct sampling *sampling, const struct measure_task *task)
{
    const struct space_kernel *kernel = &task->kernel;

    sampling->task = task;
    for (unsigned kind = SAMPLE_N; kind <= SAMPLE_2N; kind++)
        sampling->window[kind] =
            (struct window){.entry = kernel_entry(kernel->use, kernel->role, kind == SAMPLE_2N),
                            .n = kernel_n(kernel->use, kind == SAMPLE_2N)};
    task->context->machine_checks = 0;
    evidence_start(&CPU_MSRS, task->cpu, !task->beside_others, task->context->nmis,
                   &sampling->watched);
}

void sample_pass(struct sampling *sampling, struct programmed *programmed, bool counts)
{
    const struct measure_task *task = sampling->task;

    sampling->programmed = programmed;
    sampling->counts = counts;
    sampling->is_preset = pmu_start_from(&task->cpu->caps, task->overflow_after, programmed);
    evidence_pass(&CPU_MSRS, programmed, &sampling->watched);
    space_choose_window(task->space, programmed->open_msr, programmed->open_value);
}

void sample_end(struct sampling *sampling)
{
    evidence_end(&CPU_MSRS, &sampling->watched);
}

/* Lets the spare counter end a kernel that hangs in `prepare` or in the window. */
static __attribute__((noinline)) bool start_spare(const struct measure_task *task)
{
    apic_pmi_as_nmi(&task->context->apic);
    return spare_start(&CPU_MSRS, &task->cpu->caps, task->spare_counter, task->spare_cycles);
}

/* If the firmware has taken over the counter of SMIs, the number of SMIs is unknown. */
static void look_after(struct sampling *sampling, const struct clock_looks *clocks,
                       struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct programmed *programmed = sampling->programmed;
    struct cpu_context *context = task->context;
    const bool is_taken =
        programmed->smi_msr && !pmu_keep_smis(&CPU_MSRS, &task->cpu->caps, programmed);

    sample->overflowed = evidence_after(&CPU_MSRS, context->nmis, &sampling->watched, sample)
                             ? pmu_overflowed(&CPU_MSRS, programmed)
                             : 0;
    if (is_taken) {
        sample->smis = SMIS_UNKNOWN;
        sample->evidence = (uint16_t)((sample->evidence & ~EVIDENCE_SMI) | EVIDENCE_REGISTER);
    }
    if (sample->mc_changed | context->machine_checks)
        add_machine_checks(context, sample);
    evidence_between_clocks(task->cpu->flags, &clocks->before, &clocks->after, sample);
    if (sample->overflowed && task->method == METHOD_RESET && task->overflow_after == 0)
        sample->evidence |= EVIDENCE_OVERFLOW;
}

/* There is a sample only if this returns WINDOW_DONE. */
static unsigned take(struct sampling *sampling, struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    struct window *window = &sampling->window[sample->kind];
    const struct programmed *programmed = sampling->programmed;
    struct clock_looks clocks;
    unsigned outcome;

    sample->evidence = task->spare_cycles && !start_spare(task) ? EVIDENCE_REGISTER : 0;
    for (unsigned i = programmed->counters; i < programmed->pass->slots; i++)
        sample->raw[i] = 0;
    outcome = task->method == METHOD_DELTAS && programmed->counters > 0
                  ? run_deltas(sampling, window, &clocks, sample)
                  : run_from_start(sampling, window, &clocks, sample);
    if (task->spare_cycles && !spare_stop(&CPU_MSRS, &task->cpu->caps, task->spare_counter))
        sample->evidence |= EVIDENCE_REGISTER;
    sampling->changed = space_changed(task->space);
    if (outcome != WINDOW_DONE)
        return outcome;
    if (sampling->changed)
        return WINDOW_CHANGED;
    sample->tsc = window->tsc_end - window->tsc_start;
    sample->uncounted =
        counts_uncore(sampling) ? measure_uncore_uncounted(task, programmed->pass) : 0;
    look_after(sampling, &clocks, sample);
    return WINDOW_DONE;
}

static unsigned take_kind(struct sampling *sampling, unsigned pass, uint8_t kind, uint32_t runs)
{
    const struct measure_task *task = sampling->task;
    struct result *result = task->result;
    const uint32_t warmup = runs > 0 ? task->warmup : 0;
    uint32_t accepted = 0;
    unsigned outcome = WINDOW_DONE;

    for (uint32_t i = 0; outcome == WINDOW_DONE; i++) {
        const uint32_t attempt = i - warmup;
        const bool warms = i < warmup;
        const bool more = !warms && sampling->counts && accepted < runs &&
                          attempt < ATTEMPTS_MAX(runs) && result->samples < task->samples_max;
        struct sample *sample =
            more ? (struct sample *)result_sample(result, result->samples) : &sampling->discarded;
        bool any = warms;

        if (!warms && !sample_agree(task, more, &any))
            return WINDOW_NOT_MET;
        if (!any)
            break;
        sample->pass = (uint16_t)pass;
        sample->kind = kind;
        sample->reserved = 0;
        sample->attempt = (uint16_t)attempt;
        outcome = take(sampling, sample);
        if (outcome == WINDOW_DONE && more) {
            result->samples++;
            accepted += sample_is_clean(sample, true);
        }
    }
    return outcome;
}

unsigned samples_take(struct sampling *sampling, unsigned pass)
{
    const struct measure_task *task = sampling->task;
    unsigned outcome = WINDOW_DONE;

    for (uint8_t kind = SAMPLE_N; kind <= SAMPLE_2N && outcome == WINDOW_DONE; kind++)
        outcome = take_kind(sampling, pass, kind, kind == SAMPLE_N ? task->runs : task->twice_runs);
    return outcome;
}
