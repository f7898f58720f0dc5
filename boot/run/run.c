/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/run/run.h"
#include "boot/run/measured_cpu.h"
#include "boot/efi/firmware.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/screen/table.h"
#include "boot/run/uncore.h"
#include "boot/run/together.h"

#define LONG_TASK_US 100000u
#define KEY_POLL_US  60000u

/* A kernel's task, but for what a CPU adds. */
static struct measure_task task_of(const struct run *run, unsigned index, char *buffer)
{
    const struct chosen_kernel *kernel = &run->kernel[index];
    const char *record = (const char *)kernel->record;

    return (struct measure_task){
        .method = run->plan.method,
        .overflow_after = run->plan.overflow_after,
        .record = record,
        .record_bytes = kernel->record->size_bytes,
        .entry = record + kernel->record->entry_offset,
        .prepare = kernel->record->prepare_offset ? record + kernel->record->prepare_offset : 0,
        .twice_entry = kernel->twice_entry,
        .clobbers = kernel->record->clobbers,
        .page_bytes = kernel->page_bytes,
        .memory = kernel->memory,
        .n = kernel->n,
        .argument = kernel->argument,
        .buffer = buffer,
        .buffer_bytes = kernel->buffer_bytes,
        .first_buffer = buffer,
        .runs = run->plan.runs,
        .warmup = run->plan.warmup,
        .twice_runs = kernel->twice_entry ? run->plan.runs : TWICE_RUNS,
        .before = &run->plan.before,
        .after = &run->plan.after,
    };
}

static void measure_one(struct progress *p, struct measured_cpu *cpu, unsigned index)
{
    struct run *run = p->run;
    struct measure_task task = task_of(run, index, run_buffer(run, cpu->cpu->cpu));
    enum status can = run_can(run, &cpu->cpu->caps, index);

    if (can == STATUS_OK && !measured_cpu_is_lost(cpu))
        records_next(run, cpu->cpu->cpu, index, CPU_NONE);
    report_progress(run, cpu->cpu->cpu, run->kernel[index].record->name);
    if (measured_cpu_is_lost(cpu) || can == STATUS_OK)
        measured_cpu_task(p, cpu, &task, index, run->kernel[index].record->name);
    else
        measured_cpu_leave_out(p, cpu, index, can);
    run->done++;
}

/*
 * Esc, or Q: on a serial line firmware takes two seconds to tell an Esc from a longer sequence. It
 * polls for keys by a timer, which stands still while the boot CPU measures: behind a long task it
 * gets some time.
 */
static bool is_stop_asked(uint64_t elapsed_us)
{
    bool asked = false;
    int key;

    if (elapsed_us > LONG_TASK_US)
        firmware_wait_us(KEY_POLL_US);
    while ((key = console_key()) != KEY_NONE)
        asked |= key == KEY_ESC || key == 'q';
    return asked;
}

/* Behind a kernel, or the start of a CPU. False: the user has ended the run. */
static bool go_on(struct run *run, uint64_t elapsed_us)
{
    run->stopped = is_stop_asked(elapsed_us);
    return !run->stopped;
}

/* All kernels that a CPU runs alone, behind its start. */
static void measure_alone(struct progress *p, struct measured_cpu *cpu, uint64_t started_us)
{
    struct run *run = p->run;

    /* asked behind the last one too: then no further CPU is started */
    for (unsigned k = 0; go_on(run, session_us(run->session) - started_us) && k < run->kernels;
         k++) {
        started_us = session_us(run->session);
        if (run_is_shared(run, k))
            continue;
        measure_one(p, cpu, k);
    }
}

static void measure_cpu(struct progress *p, unsigned number)
{
    struct measured_cpu cpu;
    uint64_t started_us = session_us(p->run->session);

    if (!measured_cpu_start(p, &cpu, number))
        return;
    measure_alone(p, &cpu, started_us);
    measured_cpu_end(p, &cpu);
    report_cpu_end(p->run, cpu.noise);
}

bool run_measure(struct run *run)
{
    static const struct run_calls CALLS = {
        .task_of = task_of, .go_on = go_on, .alone = measure_alone};
    const struct cpus *cpus = &run->session->cpus;
    struct progress p = {.run = run};

    run->tally = (struct tally){0};
    run->done = 0;
    run->stopped = false;
    run->started_us = session_us(run->session);
    run->console_ticks = console_ticks();
    if (!store_start(run->store, &run->needs)) {
        say("! %s: the plan needs %llu KiB for its records\n", status_text(STATUS_NO_MEMORY),
            (unsigned long long)((run->needs.journal_bytes + run->needs.spare_bytes) >> 10));
        run->tally.lost = run_units(run);
        return false;
    }
    view_start(&p.view, run->store->render.scratch, run->store->render.scratch_count);
    records_start(run);
    run_note_buffers(run);
    quiet_start(run);
    run_package_start();
    report_start();
    if (run->plan.mode == MODE_PARALLEL || run_has_shared(run))
        run_together(&p, &CALLS);
    else
        for (unsigned i = 0; i < cpus->count && !run->stopped; i++)
            if (run_has_cpu(run, i))
                measure_cpu(&p, i);
    quiet_stop(run);
    records_end(run);
    return true;
}
