/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs one kernel on one CPU, in every pass of its schedule. */
#include "boot/cpu/traps.h"
#include "boot/measure/measure.h"
#include "boot/measure/measure_uncore.h"
#include "boot/measure/sample.h"
#include "boot/cpu/watch.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/spare.h"

/* For a CPU that counts nothing in the current pass. */
static const struct pass NO_COUNTERS;

/* The barrier calls this for a CPU that has been late for too long. */
static void end_window(void *holder)
{
    const struct measure_task *task = holder;

    watch_end_now(task->context, task->apic_id);
}

const struct barrier_port MEASURE_BARRIER = {
    .ticks = cpu_tsc, .pause = cpu_pause, .end = end_window};

uint32_t measure_samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs)
{
    return schedule->passes * (ATTEMPTS_MAX(runs) + ATTEMPTS_MAX(twice_runs));
}

uint32_t measure_stride_bytes(const struct schedule *schedule)
{
    return SAMPLE_BYTES(schedule_slots_max(schedule));
}

/*
 * Returns the status bits that a bank must have to be reported. Corrected errors are reported only
 * if there is no uncorrected error.
 */
static uint64_t wanted_bits(const struct cpu_context *context)
{
    for (uint32_t i = 0; i < context->found_banks.banks; i++)
        if (traps_new_error(context, i) & MC_STATUS_UC)
            return MC_STATUS_UC | MC_STATUS_VALID;
    return MC_STATUS_VALID;
}

void measure_look_at_banks(struct cpu_context *context)
{
    struct machine_check *check = &context->check;
    const uint64_t wanted = wanted_bits(context);

    check->banks = 0;
    check->address = 0;
    for (uint32_t i = 0; i < context->found_banks.banks; i++) {
        const uint64_t status = traps_new_error(context, i);

        if ((status & wanted) != wanted || check->banks++ > 0)
            continue;
        check->bank = i;
        check->status = status;
        if (status & MC_STATUS_ADDRV)
            msr_read(MSR_IA32_MC0_STATUS + MC_BANK_MSRS * i + MC_ADDR_OFFSET, &check->address);
    }
}

static void note_end(const struct sampling *sampling, unsigned outcome)
{
    const struct measure_task *task = sampling->task;
    const struct cpu_context *context = task->context;
    struct result *result = task->result;
    struct barrier *barrier = task->barrier;

    if (barrier && barrier->seat[task->seat].status != STATUS_OK) {
        result->status = barrier->seat[task->seat].status;
        return;
    }
    if (outcome == WINDOW_CHANGED) {
        result->status = STATUS_CHANGED;
        result->changed = sampling->changed;
        return;
    }
    result->status = context->vector == TRAP_NMI  ? STATUS_HANG
                     : context->vector == TRAP_MC ? STATUS_MACHINE_CHECK
                                                  : STATUS_FAULT;
    if (result->status == STATUS_MACHINE_CHECK)
        measure_look_at_banks(task->context);
    /* The kernel waited for a CPU that had left the barrier. */
    if (result->status == STATUS_HANG && barrier && barrier->needs_all && barrier_is_short(barrier))
        result->status = STATUS_PARTNER;
    result->vector = context->vector;
    result->error_code = (uint32_t)context->error_code;
    result->fault_offset = context->fault_rip - (uint64_t)task->kernel.use->code;
    result->fault_address = context->fault_address;
    result->fault_nearby = context->fault_nearby;
    if (result->fault_offset >= task->kernel.use->code_bytes) {
        result->vector |= VECTOR_OUTSIDE;
        result->fault_offset = context->fault_rip;
    }
}

/* False if this CPU counts nothing in the pass. */
static bool program_pass(const struct measure_task *task, unsigned pass,
                         struct programmed *programmed)
{
    struct result *result = task->result;
    struct pmu_error error;

    if (pass >= task->schedule->passes)
        return false;
    error = pmu_program(&CPU_MSRS, &task->cpu->caps, task->event, &task->schedule->pass[pass],
                        programmed);
    if (error.status == STATUS_OK)
        return measure_uncore_program(task, pass);
    if (result->program_error.status == STATUS_OK) {
        result->program_error = error;
        result->program_error_pass = pass;
    }
    return false;
}

/* Call this right after a pass, because the uncore's clock follows the load within milliseconds. */
static void look_at_uncore_clock(const struct measure_task *task)
{
    struct result *result = task->result;
    uint64_t value;
    uint32_t ratio;

    if (!(task->cpu->flags & CPU_HAS_UNCORE_RATIO) || !msr_read(MSR_UNCORE_PERF_STATUS, &value))
        return;
    ratio = value & UNCORE_RATIO;
    if (ratio == 0)
        return;
    if (result->uncore_ratio_low == 0 || ratio < result->uncore_ratio_low)
        result->uncore_ratio_low = ratio;
    if (ratio > result->uncore_ratio_high)
        result->uncore_ratio_high = ratio;
}

static void measure_passes(const struct measure_task *task)
{
    unsigned passes = task->barrier ? task->barrier->passes : task->schedule->passes;
    struct programmed programmed;
    struct sampling sampling;
    unsigned outcome;
    bool any;

    sample_start(&sampling, task);
    /* No kernel may run before the buffers of all CPUs are cleared. */
    outcome = sample_agree(task, true, &any) ? WINDOW_DONE : WINDOW_NOT_MET;
    for (unsigned p = 0; p < passes && outcome == WINDOW_DONE; p++) {
        if (!program_pass(task, p, &programmed)) {
            if (!task->barrier)
                continue;
            programmed = (struct programmed){.pass = &NO_COUNTERS};
        }
        sampling.meets_around = task->barrier && p >= task->barrier->around_from;
        pmu_count_smis(&CPU_MSRS, &task->cpu->caps,
                       task->spare_cycles ? 1u << task->spare_counter : 0, &programmed);
        if (task->spare_cycles && programmed.pass != &NO_COUNTERS)
            spare_add(&task->cpu->caps, task->spare_counter, &programmed);
        sample_pass(&sampling, &programmed, programmed.pass != &NO_COUNTERS);
        outcome = samples_take(&sampling, p);
        look_at_uncore_clock(task);
    }
    if (outcome != WINDOW_DONE)
        note_end(&sampling, outcome);
    sample_end(&sampling);
}

/* The last word may extend past buffer_bytes, because the buffer consists of whole pages. */
static void clear_buffer(const struct measure_task *task)
{
    const uint64_t bytes = task->kernel.use->buffer_bytes;
    volatile uint64_t *words = task->kernel.buffer;

    for (uint64_t i = 0; i < (bytes + sizeof(*words) - 1) / sizeof(*words); i++)
        words[i] = 0;
}

struct scripts {
    struct msr_result before[MSR_SCRIPT_OPS_MAX];
    struct msr_result after[MSR_SCRIPT_OPS_MAX];
};

static uint16_t run_script(const struct msr_script *script, struct msr_result *results,
                           struct msr_saved *saved)
{
    return script ? (uint16_t)msr_script_run(script, &CPU_MSRS, cpu_tsc, results, saved) : 0;
}

/* The results follow the samples, whose number is known only now. */
static void keep_msrs(struct result *result, const struct scripts *scripts)
{
    struct msr_result *to = (struct msr_result *)result_msrs(result);

    for (unsigned i = 0; i < result->msrs_before; i++)
        *to++ = scripts->before[i];
    for (unsigned i = 0; i < result->msrs_after; i++)
        *to++ = scripts->after[i];
}

static void measure_between(const struct measure_task *task)
{
    struct result *result = task->result;
    struct scripts scripts = {.before = {{.msr = 0}}};
    uint32_t refused;

    result->msrs_before = run_script(task->before, scripts.before, task->saved);
    measure_passes(task);
    result->msrs_after = run_script(task->after, scripts.after, task->saved);
    refused = msr_script_restore(task->saved, &CPU_MSRS);
    if (refused)
        result->restore_error = (struct pmu_error){.status = STATUS_MSR_FAULT, .msr = refused};
    keep_msrs(result, &scripts);
}

static void measure_in_space(const struct measure_task *task)
{
    enum status status =
        task->space ? space_load(task->space, task->context, &task->kernel) : STATUS_NO_SPACE;

    if (status == STATUS_OK)
        measure_between(task);
    else
        task->result->status = status;
    if (task->space)
        space_unload(task->space);
}

void measure_kernel(void *argument)
{
    struct measure_task *task = argument;
    const struct cpu_caps *caps = &task->cpu->caps;
    struct result *result = task->result;
    struct uncore_error uncore_error;
    struct pmu_found now;
    struct pmu_error error;

    cpu_enter(task->context, caps);
    if (task->spare_cycles)
        task->context->spare = spare_watch(caps, task->spare_counter);
    clear_buffer(task);
    error = pmu_take(&CPU_MSRS, caps, &now);
    measure_uncore_take(task);
    if (error.status == STATUS_OK)
        measure_in_space(task);
    else
        result->program_error = error;
    if (task->barrier) {
        barrier_leave(task->barrier, task->seat);
        barrier_stay(task->barrier);
    }
    uncore_error = measure_uncore_give_back(task);
    if (uncore_error.status != STATUS_OK)
        result->uncore_restore_error = uncore_error;
    /* `now` is not restored, because after a hang it describes the program's own setup. */
    error = pmu_give_back(&CPU_MSRS, caps, &task->cpu->found);
    if (error.status != STATUS_OK)
        result->restore_error = error;
    task->context->spare = (struct spare_watch){0};
    cpu_leave(task->context, caps);
}

void restore_cpu(void *argument)
{
    struct measure_task *task = argument;
    uint32_t refused;

    cpu_enter(task->context, &task->cpu->caps);
    if (task->space)
        space_restore(task->space);
    task->uncore_restore_error = measure_uncore_give_back(task);
    task->restore_error = pmu_give_back(&CPU_MSRS, &task->cpu->caps, &task->cpu->found);
    refused = msr_script_restore(task->saved, &CPU_MSRS);
    if (refused)
        task->restore_error = (struct pmu_error){.status = STATUS_MSR_FAULT, .msr = refused};
    cpu_leave(task->context, &task->cpu->caps);
}
