/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/measure.h"
#include "boot/window.h"
#include "pmu/evidence.h"
#include "pmu/msr.h"

uint32_t measure_samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs)
{
    return schedule->passes * (ATTEMPTS_MAX(runs) + ATTEMPTS_MAX(twice_runs));
}

uint32_t measure_stride_bytes(const struct schedule *schedule)
{
    uint32_t slots = 0;

    for (uint32_t p = 0; p < schedule->passes; p++)
        if (schedule->pass[p].slots > slots)
            slots = schedule->pass[p].slots;
    return SAMPLE_BYTES(slots);
}

/* What only Intel's CPUs have. */
static void inspect_intel(struct cpu_record *record)
{
    struct cpu_caps *caps = &record->caps;
    uint64_t value = 0;

    record->flags |= evidence_probe(&CPU_MSRS, caps);
    /*
     * The high half holds the update's revision once CPUID has run after a write of 0 (Intel SDM
     * vol. 3A "Update Signature and Verification"); firmware did both when it loaded the update.
     */
    if (msr_read(MSR_IA32_BIOS_SIGN_ID, &value))
        record->microcode = (uint32_t)(value >> 32);
    if (caps->pmu_version > 0 &&
        (!msr_read(MSR_IA32_MISC_ENABLE, &value) || !(value & MISC_ENABLE_PERFMON)))
        record->flags |= CPU_PERFMON_HIDDEN;
    if (caps_has(caps, FEATURE_PDCM) && msr_read(MSR_IA32_PERF_CAPABILITIES, &value))
        record->perf_capabilities = value;
    if (msr_read(MSR_PLATFORM_INFO, &value))
        record->platform_info = value;
    record->refused_msr = pmu_probe(&CPU_MSRS, caps);
    pmu_take(&CPU_MSRS, caps, &record->found);
    if (pmu_was_in_use(&record->found, caps))
        record->flags |= CPU_WAS_IN_USE;
    pmu_give_back(&CPU_MSRS, caps, &record->found);
}

void inspect_cpu(void *argument)
{
    struct inspect_task *task = argument;
    struct cpu_record *record = task->record;

    caps_read(cpu_read_cpuid, &record->caps);
    cpu_enter(task->context, &record->caps);
    if (record->caps.vendor == VENDOR_INTEL && caps_has(&record->caps, FEATURE_MSR))
        inspect_intel(record);
    cpu_leave(task->context, &record->caps);
    schedule_make(&record->caps, &record->schedule);
}

static window_run *window_for(const struct programmed *programmed)
{
    if (programmed->open_msr == MSR_IA32_PERF_GLOBAL_CTRL)
        return window_global;
    return programmed->open_msr == 0 ? window_bare : window_select;
}

static void note_fault(const struct measure_task *task)
{
    struct result *result = task->result;
    const struct cpu_context *context = task->context;

    result->status = STATUS_FAULT;
    result->vector = context->vector;
    result->error_code = (uint32_t)context->error_code;
    result->fault_offset = context->fault_rip - (uint64_t)task->record;
    result->fault_address = context->fault_address;
}

static struct surroundings surroundings(const struct measure_task *task)
{
    return evidence_read(&CPU_MSRS, task->cpu->flags, task->context->nmis);
}

/*
 * One run of the kernel, with its evidence. False: it faulted. The surroundings are read before the
 * counters are selected: with freezing in SMM, an SMI in between would open them.
 */
static bool take_sample(const struct measure_task *task, const struct programmed *programmed,
                        struct window *window, struct sample *sample)
{
    const struct cpu_caps *caps = &task->cpu->caps;
    const struct surroundings before = surroundings(task);
    struct surroundings after;
    bool readable = pmu_zero(&CPU_MSRS, programmed);

    if (window_for(programmed)(window) != WINDOW_DONE) {
        note_fault(task);
        return false;
    }
    after = surroundings(task);
    for (unsigned i = 0; i < programmed->pass->slots; i++)
        sample->raw[i] = 0;
    readable &= pmu_read(&CPU_MSRS, programmed, sample->raw);
    sample->tsc = window->tsc_end - window->tsc_start;
    sample->nmis = (uint16_t)(after.nmis - before.nmis);
    sample->smis = SMIS_UNKNOWN;
    if (task->cpu->flags & CPU_HAS_SMI_COUNT)
        sample->smis = (uint16_t)(after.smis - before.smis);
    sample->evidence = evidence_between(&before, &after);
    evidence_clear(&CPU_MSRS, &before, &after);
    if (pmu_overflowed(&CPU_MSRS, caps, programmed))
        sample->evidence |= EVIDENCE_OVERFLOW;
    if (!readable)
        sample->evidence |= EVIDENCE_REGISTER;
    return true;
}

/* Samples of one kind in one pass until enough are clean or the attempts are used up. */
static bool take_samples(const struct measure_task *task, const struct programmed *programmed,
                         uint8_t pass, uint8_t kind, uint32_t runs)
{
    struct result *result = task->result;
    struct sample warm;
    uint32_t accepted = 0;
    struct window window = {
        .entry = task->entry,
        .prepare = task->prepare,
        .n = kind == SAMPLE_2N ? 2 * task->n : task->n,
        .buffer = task->buffer,
        .buffer_bytes = task->buffer_bytes,
        .open_value = programmed->open_value,
        .recovery = &task->context->recovery,
    };

    for (uint32_t i = 0; runs > 0 && i < task->warmup; i++)
        if (!take_sample(task, programmed, &window, &warm))
            return false;
    for (uint32_t i = 0; accepted < runs && i < ATTEMPTS_MAX(runs); i++) {
        struct sample *sample = (struct sample *)result_sample(result, result->samples);

        if (result->samples == task->samples_max)
            break;
        sample->pass = pass;
        sample->kind = kind;
        sample->reserved = 0;
        sample->attempt = (uint16_t)i;
        sample->reserved2[0] = sample->reserved2[1] = sample->reserved2[2] = 0;
        if (!take_sample(task, programmed, &window, sample))
            return false;
        result->samples++;
        accepted += sample->evidence == 0;
    }
    return true;
}

static void measure_passes(const struct measure_task *task)
{
    const struct schedule *schedule = &task->cpu->schedule;
    struct result *result = task->result;
    struct programmed programmed;

    for (uint8_t p = 0; p < schedule->passes; p++) {
        struct pmu_error error =
            pmu_program(&CPU_MSRS, &task->cpu->caps, &schedule->pass[p], &programmed);

        if (error.status != STATUS_OK) {
            result->program_error = error;
            result->program_error_passes |= 1u << p;
            continue;
        }
        if (!take_samples(task, &programmed, p, SAMPLE_N, task->runs) ||
            !take_samples(task, &programmed, p, SAMPLE_2N, task->twice_runs))
            return;
    }
}

/* A buffer that starts as zeros on every CPU. */
static void clear_buffer(const struct measure_task *task)
{
    volatile uint64_t *words = task->buffer;

    for (uint64_t i = 0; i < task->buffer_bytes / sizeof(*words); i++)
        words[i] = 0;
}

void measure_kernel(void *argument)
{
    struct measure_task *task = argument;
    const struct cpu_caps *caps = &task->cpu->caps;
    struct result *result = task->result;
    struct pmu_found now;
    struct pmu_error error;

    cpu_enter(task->context, caps);
    clear_buffer(task);
    error = pmu_take(&CPU_MSRS, caps, &now);
    if (error.status == STATUS_OK) {
        measure_passes(task);
    } else {
        result->program_error = error;
        result->program_error_passes = PASSES_ALL;
    }
    /* As it was first found: after a kernel that did not answer, `now` holds our own traces. */
    result->restore_error = pmu_give_back(&CPU_MSRS, caps, &task->cpu->found);
    cpu_leave(task->context, caps);
}

void restore_cpu(void *argument)
{
    struct measure_task *task = argument;

    cpu_enter(task->context, &task->cpu->caps);
    task->restore_error = pmu_give_back(&CPU_MSRS, &task->cpu->caps, &task->cpu->found);
    cpu_leave(task->context, &task->cpu->caps);
}
