/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels one after the other, on one CPU alone. */
#include "boot/run/alone.h"
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/run/records.h"
#include "boot/screen/screen.h"

#define LONG_TASK_US 100000u
#define KEY_POLL_US  60000u

struct measure_task alone_task(const struct run *run, unsigned index, char *buffer)
{
    const struct plan *plan = &run->plan;
    const struct kernel_use *use = &run->kernel[index].use;

    return (struct measure_task){
        .kernel = {.use = use, .buffer = buffer, .first_buffer = buffer},
        .method = plan->method,
        .overflow_after = plan->overflow_after,
        .runs = plan->runs,
        .warmup = plan->warmup,
        .twice_runs = use->twice_entry ? plan->runs : TWICE_RUNS,
        .before = &plan->before,
        .after = &plan->after,
    };
}

static void measure_one(struct progress *p, struct measured_cpu *cpu, unsigned index)
{
    const struct run *run = p->run;
    struct measure_task task = alone_task(run, index, run_buffer(run, cpu->cpu->cpu));
    enum status can = run_can(run, &cpu->cpu->caps, index);

    if (can == STATUS_OK && !measured_cpu_is_lost(cpu))
        records_next(run, cpu->cpu->cpu, index, CPU_NONE, true);
    screen_progress(p, cpu->cpu->cpu, run->kernel[index].record->name);
    if (measured_cpu_is_lost(cpu) || can == STATUS_OK)
        measured_cpu_task(p, cpu, &task, index, run->kernel[index].record->name);
    else
        measured_cpu_leave_out(p, cpu, index, can);
    p->done++;
}

/*
 * EDK II takes two seconds to recognise an Esc on a serial line, so Q works too. Firmware polls
 * keys in timer interrupts, which stop while the boot CPU measures. After a long task of the boot
 * CPU, this function waits, so that the firmware can poll.
 */
static bool is_stop_asked(uint64_t elapsed_us)
{
    if (elapsed_us > LONG_TASK_US)
        firmware_wait_us(KEY_POLL_US);
    return console_stop_asked();
}

bool alone_go_on(struct progress *p, uint64_t elapsed_us)
{
    if (!p->stopped && is_stop_asked(elapsed_us))
        p->stopped = STOPPED_BY_USER;
    return !p->stopped;
}

void alone_measure(struct progress *p, struct measured_cpu *cpu, uint64_t started_us)
{
    const struct run *run = p->run;
    const bool polls = !(cpu->cpu->flags & CPU_IS_BOOT); /* keys, while this CPU measures */

    /* the user can stop the run after the last kernel, too */
    for (unsigned k = 0;
         alone_go_on(p, polls ? 0 : machine_us(run->machine) - started_us) && k < run->kernels;
         k++) {
        started_us = machine_us(run->machine);
        if (run_is_shared(run, k))
            continue;
        measure_one(p, cpu, k);
    }
}
