/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs one kernel on several CPUs at the same time. */
#include "boot/run/team.h"
#include "boot/run/alone.h"
#include "boot/efi/console.h"
#include "boot/measure/measure_uncore.h"
#include "boot/run/guard.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"

#define BARRIER_MARGIN_US 3000000u /* allowance for a CPU's work between two windows */

void team_prepare(const struct run *run, struct member *member, unsigned index)
{
    member->task = alone_task(run, index, member->buffer);
    member->task.beside_others = true;
    measured_cpu_prepare(run, &member->cpu, &member->task, index, member->result);
    member->status = measured_cpu_is_lost(&member->cpu)
                         ? STATUS_SKIPPED
                         : run_can(run, &member->cpu.cpu->caps, index);
}

/* Returns how long, in microseconds, a CPU may wait at the barrier. */
static uint64_t make_barrier(struct team *team, const struct run *run, bool needs_all)
{
    const uint64_t ticks_per_us = run->machine->tsc_hz / 1000000;
    struct barrier *barrier = &team->barrier;
    uint64_t end_us = 0, clear_us = 0;

    barrier->seats = barrier->passes = 0;
    barrier->around_from = UINT32_MAX;
    for (unsigned i = 0; i < team->members; i++) {
        struct measure_task *task = &team->member[i].task;
        uint64_t own_clear_us;

        if (team->member[i].status != STATUS_OK)
            continue;
        task->barrier = barrier;
        task->seat = barrier->seats++;
        barrier->seat[task->seat].holder = task;
        if (task->schedule->passes > barrier->passes)
            barrier->passes = task->schedule->passes;
        if (task->uncore && measure_uncore_pass(task->schedule) < barrier->around_from)
            barrier->around_from = measure_uncore_pass(task->schedule);
        if (task->window_bound_us > end_us)
            end_us = task->window_bound_us;
        own_clear_us = task->kernel.use->buffer_bytes / PLAN_CLEARED_BYTES_PER_US;
        if (own_clear_us > clear_us)
            clear_us = own_clear_us;
    }
    end_us += clear_us;
    barrier->port = &MEASURE_BARRIER;
    barrier->needs_all = needs_all;
    barrier->end_ticks = end_us * ticks_per_us;
    barrier->bound_ticks = (end_us + BARRIER_MARGIN_US) * ticks_per_us;
    barrier_start(barrier);
    return end_us + BARRIER_MARGIN_US;
}

static void note_lost(struct team *team, const struct run *run)
{
    for (unsigned i = 0; i < team->members; i++)
        if (team->member[i].status == STATUS_OK &&
            team->barrier.seat[team->member[i].task.seat].was_lost)
            store_note(run->store, NOTE_ERROR, "CPU %u did not reach a window; the others %s",
                       team->member[i].cpu.cpu->cpu,
                       team->barrier.needs_all ? "ended their tasks" : "went on without it");
}

void team_run(struct progress *p, struct team *team, bool needs_all)
{
    const struct run *run = p->run;
    uint64_t started_us = machine_us(run->machine), bound_us = 0;
    uint64_t wait_us = make_barrier(team, run, needs_all);
    unsigned count = 0;

    for (unsigned i = 0; i < team->members; i++) {
        struct member *member = &team->member[i];
        uint64_t own_bound_us;

        if (member->status != STATUS_OK)
            continue;
        own_bound_us = measured_cpu_bound_us(&member->cpu, &member->task);
        bound_us = own_bound_us > bound_us ? own_bound_us : bound_us;
        team->watched[count] = measured_cpu_watched(run, &member->task);
        team->together[count++] = (struct together){.cpu = member->cpu.cpu->cpu,
                                                    .task = measure_kernel,
                                                    .argument = &member->task,
                                                    .status = STATUS_OK};
    }
    bound_us += count * wait_us;
    guard_watch(p, team->watched, count);
    quiet_begin(p);
    cpus_run_together(&run->machine->cpus, team->together, count, bound_us);
    quiet_end(p);
    guard_rest(p);
    for (unsigned i = 0; i < team->members; i++)
        if (team->member[i].status == STATUS_OK)
            measured_cpu_take(&team->member[i].cpu, &team->member[i].task,
                              team->together[team->member[i].task.seat].status,
                              machine_us(run->machine) - started_us);
    note_lost(team, run);
}

void team_put_result(struct progress *p, struct member *member, unsigned index)
{
    const struct again again = {.cpu = member->cpu.cpu->cpu};
    const struct run *run = p->run;

    p->done++;
    store_append(run->store, RECORD_AGAIN, &again, sizeof(again));
    if (member->status != STATUS_OK) {
        measured_cpu_leave_out(p, &member->cpu, index, member->status);
        return;
    }
    if (!store_append(run->store, RECORD_RESULT, member->result, result_bytes(member->result))) {
        measured_cpu_leave_out(p, &member->cpu, index, STATUS_NO_MEMORY);
        return;
    }
    measured_cpu_note(p, &member->cpu, member->result, run->kernel[index].record->name);
    progress_catch_up(p);
}
