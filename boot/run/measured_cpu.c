/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the tasks of a CPU in a run, and ends its part of the run. */
#include "boot/run/measured_cpu.h"
#include "boot/run/state.h"
#include "boot/efi/firmware.h"
#include "boot/run/guard.h"
#include "boot/run/notes.h"
#include "boot/run/quiet.h"
#include "boot/run/noise.h"
#include "pmu/counters/spare.h"

void measured_cpu_note_lost(struct progress *p, const struct measured_cpu *cpu, const char *when)
{
    p->run->machine->cpu_lost = true;
    store_note(p->run->store, NOTE_EXCEPTION,
               "CPU %u did not answer %s, so these were not restored: its PMU's control "
               "registers%s%s%s",
               cpu->cpu->cpu, when,
               cpu->uncore && cpu->uncore->is_taken ? ", those of the uncore" : "",
               p->run->plan.before.count + p->run->plan.after.count > 0
                   ? ", what the plan's MSR scripts write"
                   : "",
               cpu_state_is_set(cpu) ? ", what the plan's [state] sets" : "");
}

static void note_restarts(struct progress *p, unsigned number)
{
    unsigned restarts = cpus_take_restarts(number);

    if (restarts > 0)
        store_note(p->run->store, NOTE_ERROR, "CPU %u did not start at first; restarts: %u", number,
                   restarts);
}

void measured_cpu_note_check(struct progress *p, unsigned number, const char *when)
{
    note_machine_check(p->run->store, number, when, &p->run->machine->contexts[number].check);
    p->stopped = STOPPED_BY_MACHINE_CHECK;
}

size_t measured_cpu_result_bytes(const struct measured_cpu *cpu, const struct measure_task *task)
{
    return sizeof(struct result) +
           (size_t)measure_samples_max(cpu->schedule, task->runs, task->twice_runs) *
               measure_stride_bytes(cpu->schedule) +
           MSR_SCRIPT_OPS_MAX * sizeof(struct msr_result);
}

void measured_cpu_prepare(const struct run *run, struct measured_cpu *cpu,
                          struct measure_task *task, uint32_t kernel_number, struct result *result)
{
    const struct kernel_use *use = task->kernel.use;

    task->cpu = cpu->cpu;
    task->apic_id = run->machine->cpus.cpu[cpu->cpu->cpu].apic_id;
    task->event = cpu->event;
    task->schedule = cpu->schedule;
    task->uncore = cpu->uncore && cpu->uncore->kinds ? cpu->uncore : 0;
    task->space = cpu->space;
    task->kernel.cpl = run->plan.cpl;
    task->saved = &cpu->saved;
    task->context = &run->machine->contexts[cpu->cpu->cpu];
    task->context->windows += task->context->windows & 1; /* odd after a task was cut off */
    task->window_bound_us = measured_cpu_window_us(&run->plan, task);
    if (cpu->has_spare) {
        task->spare_counter = spare_counter(&cpu->cpu->caps);
        task->spare_cycles =
            watch_ticks(task->window_bound_us, run->machine->tsc_hz) * SPARE_CYCLES_PER_TICK;
    }
    task->samples_max = measure_samples_max(cpu->schedule, task->runs, task->twice_runs);
    task->result = result;
    *result = (struct result){
        .cpu = cpu->cpu->cpu,
        .kernel = kernel_number,
        .stride_bytes = measure_stride_bytes(cpu->schedule),
        .partner = cpu->partner,
        .node = use->buffer_bytes > 0 ? firmware_memory_node(task->kernel.buffer, use->buffer_bytes)
                                      : NODE_UNKNOWN,
        .buffer = use->buffer_bytes > 0 ? (uint64_t)task->kernel.buffer : 0,
    };
}

struct watched measured_cpu_watched(const struct run *run, const struct measure_task *task)
{
    return watch_of(task->context, task->apic_id, task->window_bound_us, run->machine->tsc_hz);
}

void measured_cpu_take(struct measured_cpu *cpu, struct measure_task *task, enum status status,
                       uint64_t elapsed_us)
{
    struct result *result = task->result;

    if (status != STATUS_OK) {
        *result = (struct result){.cpu = cpu->cpu->cpu,
                                  .kernel = result->kernel,
                                  .stride_bytes = result->stride_bytes,
                                  .status = status,
                                  .partner = result->partner,
                                  .node = result->node,
                                  .buffer = result->buffer};
        cpu->unanswered += is_silent(status);
    }
    if (status == STATUS_OK || status == STATUS_TIMEOUT)
        cpu->left_open = status == STATUS_TIMEOUT;
    result->elapsed_us = elapsed_us;
}

void measured_cpu_note(struct progress *p, struct measured_cpu *cpu, const struct result *result,
                       const char *name)
{
    const struct pmu_error *error = &result->program_error;
    struct store *store = p->run->store;

    quiet_note_devices(p);
    if (error->status != STATUS_OK && error->msr != cpu->refused_msr)
        store_note(store, NOTE_ERROR, "CPU %u, %s: %s: MSR 0x%x, wrote 0x%llx, read 0x%llx",
                   result->cpu, name, status_text(error->status), error->msr,
                   (unsigned long long)error->written, (unsigned long long)error->read);
    cpu->refused_msr = error->msr;
    note_not_restored(p->run->store, cpu->cpu->cpu, &result->restore_error, name);
    note_uncore_errors(store, result, name, &cpu->refused_uncore);
    if (is_silent(result->status))
        store_note(store, NOTE_ERROR, "CPU %u, %s: %s", result->cpu, name,
                   status_text(result->status));
    if (result->status == STATUS_MACHINE_CHECK)
        measured_cpu_note_check(p, result->cpu, name);
}

void measured_cpu_leave_out(struct progress *p, const struct measured_cpu *cpu,
                            uint32_t kernel_number, enum status why)
{
    struct result result = {.cpu = cpu->cpu->cpu,
                            .kernel = kernel_number,
                            .status = why,
                            .partner = cpu->partner,
                            .node = NODE_UNKNOWN};

    if (!store_append(p->run->store, RECORD_RESULT, &result, sizeof(result)))
        p->tally.lost++;
    progress_catch_up(p);
}

void measured_cpu_task(struct progress *p, struct measured_cpu *cpu, struct measure_task *task,
                       uint32_t kernel_number, const char *name)
{
    const struct run *run = p->run;
    uint64_t started = machine_us(run->machine);
    struct result *result = store_reserve(run->store, measured_cpu_result_bytes(cpu, task));
    enum status status = STATUS_SKIPPED;
    struct watched watched;
    uint64_t bound_us;

    if (!result) {
        store_note(run->store, NOTE_ERROR, "CPU %u, %s: %s", cpu->cpu->cpu, name,
                   status_text(STATUS_NO_MEMORY));
        measured_cpu_leave_out(p, cpu, kernel_number, STATUS_NO_MEMORY);
        return;
    }
    measured_cpu_prepare(run, cpu, task, kernel_number, result);
    if (!measured_cpu_is_lost(cpu)) {
        watched = measured_cpu_watched(run, task);
        bound_us = measured_cpu_bound_us(cpu, task);
        guard_watch(p, &watched, 1);
        quiet_begin(p);
        status = cpus_run(&run->machine->cpus, cpu->cpu->cpu, measure_kernel, task, bound_us);
        quiet_end(p);
        guard_rest(p);
    }
    measured_cpu_take(cpu, task, status, machine_us(run->machine) - started);
    journal_commit(&run->store->journal, RECORD_RESULT, result_bytes(result));
    measured_cpu_note(p, cpu, result, name);
    progress_catch_up(p);
}

void measured_cpu_end(struct progress *p, struct measured_cpu *cpu)
{
    const struct machine *machine = p->run->machine;
    unsigned number = cpu->cpu->cpu;
    struct measure_task task = {.cpu = cpu->cpu,
                                .context = &machine->contexts[number],
                                .uncore = cpu->uncore,
                                .space = cpu->space,
                                .saved = &cpu->saved};
    enum status status = STATUS_OK;

    run_noise(p, cpu, NOISE_AFTER);
    if (cpu->left_open)
        status = cpus_run(&machine->cpus, number, restore_cpu, &task, INSPECT_BOUND_US);
    if (status == STATUS_OK)
        note_not_restored(p->run->store, number, &task.restore_error, "at the end");
    if (status == STATUS_OK)
        note_uncore_kept(p->run->store, number, &task.uncore_restore_error, "at the end");
    if (status == STATUS_OK)
        status = cpu_state_restore(p, cpu);
    if (status != STATUS_OK)
        measured_cpu_note_lost(p, cpu, "at the end");
    if (measured_cpu_is_lost(cpu) || status != STATUS_OK)
        p->run->machine->given_up[number] = true;
    quiet_note_pending(p->run, cpu->cpu);
    note_restarts(p, number);
}
