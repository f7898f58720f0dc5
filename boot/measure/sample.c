/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes one sample: the evidence before it, its window, and the evidence after it. */
#include "boot/cpu/window.h"
#include "boot/measure/measure_uncore.h"
#include "boot/measure/sample.h"
#include "pmu/counters/deltas.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/spare.h"

/* Clock readings before and after a window. */
struct clock_looks {
    struct clocks before, after;
};

static struct clocks look_at_clocks(const struct measure_task *task)
{
    return evidence_clocks(&CPU_MSRS, task->cpu->flags, cpu_tsc);
}

/* Waits for all CPUs that run the kernel. False if this CPU must not continue. */
static bool all_met(const struct measure_task *task)
{
    bool any;

    return !task->barrier || barrier_meet(task->barrier, task->seat, false, &any) == STATUS_OK;
}

/*
 * Runs the kernel's `prepare`, then starts the uncore counters, meets the other CPUs and reads the
 * clocks. The uncore counters start after the `prepare` of all CPUs and before any CPU's window. In
 * a pass with uncore counters, the clocks are read earlier, before these counters start, so that
 * the time covers everything that they count.
 */
static unsigned get_ready(const struct sampling *sampling, const struct window *window,
                          struct clock_looks *clocks, struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const bool of_uncore = cpu_uncore_counts(sampling->programmed->pass);
    unsigned outcome;

    task->context->windows++;
    outcome = space_prepare(task->space, window);
    task->context->windows++;
    if (outcome == WINDOW_DONE && sampling->meets_around && !all_met(task))
        outcome = WINDOW_NOT_MET;
    if (of_uncore) {
        clocks->before = look_at_clocks(task);
        if (outcome == WINDOW_DONE && !measure_uncore_open(task))
            sample->evidence |= EVIDENCE_REGISTER;
    }
    if (outcome == WINDOW_DONE && !all_met(task))
        outcome = WINDOW_NOT_MET;
    if (!of_uncore)
        clocks->before = look_at_clocks(task);
    return outcome;
}

/*
 * Call this directly after the window, because the uncore counters still count what the program
 * does.
 */
static unsigned come_back(const struct sampling *sampling, unsigned outcome,
                          struct clock_looks *clocks, struct sample *sample)
{
    const struct measure_task *task = sampling->task;

    task->context->windows++;
    if (outcome == WINDOW_DONE && sampling->meets_around && !all_met(task))
        outcome = WINDOW_NOT_MET;
    if (outcome == WINDOW_DONE && cpu_uncore_counts(sampling->programmed->pass) &&
        !measure_uncore_close(task, sample->raw))
        sample->evidence |= EVIDENCE_REGISTER;
    clocks->after = look_at_clocks(task);
    return outcome;
}

static unsigned width_of(const struct measure_task *task, const struct slot *slot)
{
    const struct cpu_caps *caps = &task->cpu->caps;

    return slot->where == SLOT_FIXED ? caps->fixed_width_bits : caps->gp_width_bits;
}

/* Samples free-running counters, whose start values do not matter. */
static unsigned run_deltas(const struct sampling *sampling, struct window *window,
                           struct clock_looks *clocks, struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct pass *pass = sampling->programmed->pass;
    const unsigned slots = cpu_uncore_first_slot(pass);
    struct deltas deltas = {.window = *window, .open_msr = sampling->programmed->open_msr};
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

/* Samples counters that start at 0, or overflow_after events before their overflow. */
static unsigned run_from_start(const struct sampling *sampling, struct window *window,
                               struct clock_looks *clocks, struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct programmed *programmed = sampling->programmed;
    const struct pass *pass = programmed->pass;
    const unsigned slots = cpu_uncore_first_slot(pass);
    bool right = pmu_preset(&CPU_MSRS, &task->cpu->caps, programmed, task->overflow_after);
    unsigned outcome = get_ready(sampling, window, clocks, sample);

    if (outcome != WINDOW_DONE)
        return outcome;
    task->context->windows++;
    outcome = space_window(task->space, programmed->open_msr, window);
    outcome = come_back(sampling, outcome, clocks, sample);
    if (outcome != WINDOW_DONE)
        return outcome;
    right &= pmu_read(&CPU_MSRS, programmed, sample->raw);
    for (unsigned i = 0; i < slots; i++)
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

/*
 * Adds the machine checks that were handled during the sample, because the banks may show no
 * change.
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
    *sampling = (struct sampling){.task = task, .checks = {.banks = task->cpu->mc_banks}};
    evidence_machine_checks(&CPU_MSRS, &sampling->checks);
    task->context->machine_checks = 0;
    sampling->start = evidence_start(&CPU_MSRS, task->cpu->flags, task->cpu->logs_found);
}

/* Reads the evidence before a sample. On a CPU that measures alone, clears older log bits first. */
static struct surroundings look_around(const struct sampling *sampling)
{
    const struct measure_task *task = sampling->task;
    const struct surroundings now = surroundings(task);

    if (task->beside_others || !evidence_clear(&CPU_MSRS, &sampling->start, &now))
        return now;
    return surroundings(task);
}

void sample_end(const struct sampling *sampling)
{
    const struct surroundings now = surroundings(sampling->task);

    evidence_clear(&CPU_MSRS, &sampling->start, &now);
}

/* Starts the spare counter if it is to end a kernel that hangs in `prepare` or in the window. */
static bool start_spare(const struct measure_task *task)
{
    if (task->spare_cycles == 0)
        return true;
    apic_pmi_as_nmi(&task->context->apic);
    return spare_start(&CPU_MSRS, &task->cpu->caps, task->spare_counter, task->spare_cycles);
}

/* Reads the counter with which this pass counts SMIs. */
static void read_smis(const struct sampling *sampling, struct surroundings *now, uint32_t *flags)
{
    msr_read(sampling->programmed->smi_msr, &now->smis);
    *flags |= CPU_HAS_SMI_COUNT;
}

unsigned sample_take(struct sampling *sampling, struct window *window, struct sample *sample)
{
    const struct measure_task *task = sampling->task;
    const struct programmed *programmed = sampling->programmed;
    /*
     * The evidence is read before the event selects are written, because an SMI after these writes
     * would start counters that freeze in SMM.
     */
    struct surroundings before = look_around(sampling);
    struct surroundings after;
    struct clock_looks clocks;
    uint32_t flags = task->cpu->flags;
    unsigned outcome;

    if (programmed->smi_msr)
        read_smis(sampling, &before, &flags);
    sample->evidence = start_spare(task) ? 0 : EVIDENCE_REGISTER;
    for (unsigned i = 0; i < programmed->pass->slots; i++)
        sample->raw[i] = 0;
    outcome = task->method == METHOD_DELTAS && cpu_uncore_first_slot(programmed->pass) > 0
                  ? run_deltas(sampling, window, &clocks, sample)
                  : run_from_start(sampling, window, &clocks, sample);
    if (task->spare_cycles && !spare_stop(&CPU_MSRS, &task->cpu->caps, task->spare_counter))
        sample->evidence |= EVIDENCE_REGISTER;
    sampling->changed = space_changed(task->space);
    if (outcome != WINDOW_DONE)
        return outcome;
    if (sampling->changed)
        return WINDOW_CHANGED;
    after = surroundings(task);
    sample->tsc = window->tsc_end - window->tsc_start;
    if (programmed->smi_msr && pmu_keep_smis(&CPU_MSRS, &task->cpu->caps, programmed)) {
        read_smis(sampling, &after, &flags);
    } else if (programmed->smi_msr) { /* firmware has taken the counter */
        sample->evidence |= EVIDENCE_REGISTER;
        flags &= ~CPU_HAS_SMI_COUNT;
        before.smis = 0;
    }
    evidence_between(flags, &before, &after, sample);
    evidence_between_clocks(task->cpu->flags, &clocks.before, &clocks.after, sample);
    sample->mc_changed = (uint16_t)evidence_machine_checks(&CPU_MSRS, &sampling->checks);
    if (sample->mc_changed | task->context->machine_checks)
        add_machine_checks(task->context, sample);
    sample->overflowed = pmu_overflowed(&CPU_MSRS, programmed);
    if (sample->overflowed && task->method == METHOD_RESET && task->overflow_after == 0)
        sample->evidence |= EVIDENCE_OVERFLOW;
    sample->uncounted = measure_uncore_uncounted(task, programmed->pass);
    return WINDOW_DONE;
}
