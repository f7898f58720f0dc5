/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/run/guard.h"
#include "boot/measure/measure_uncore.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/screen/table.h"
#include "boot/run/team.h"

#define BARRIER_MARGIN_US 3000000u /* what a CPU does between two windows, at the most */

static bool has_memory(struct team *team, const struct run *run)
{
    team->member = firmware_memory(run->cpus * sizeof(*team->member));
    team->together = firmware_memory(run->cpus * sizeof(*team->together));
    team->barrier.seat = firmware_memory(run->cpus * sizeof(*team->barrier.seat));
    team->watched = firmware_memory(run->cpus * sizeof(*team->watched));
    return team->member && team->together && team->barrier.seat && team->watched;
}

/* Memory for each member's results, and its part of the run's buffers. */
static bool equip(struct team *team, const struct run *run)
{
    static char *results; /* kept for the next run */
    static size_t results_bytes;
    struct measure_task task = {.runs = run->plan.runs, .twice_runs = run_twice_runs(run)};
    size_t largest = 0;

    for (unsigned i = 0; i < team->members; i++) {
        size_t bytes = cpu_run_result_bytes(&team->member[i].cpu, &task);

        largest = bytes > largest ? bytes : largest;
    }
    if (results_bytes < team->members * largest) {
        results = firmware_memory(team->members * largest);
        results_bytes = results ? team->members * largest : 0;
    }
    for (unsigned i = 0; i < team->members; i++) {
        team->member[i].result = (struct result *)(results + i * largest);
        team->member[i].buffer = run_buffer(run, team->member[i].cpu.cpu->cpu);
    }
    return results != 0;
}

/* Starts the CPUs, until all are or the user ends the run. */
static void gather(struct progress *p, struct team *team)
{
    struct run *run = p->run;

    for (unsigned i = 0; i < run->session->cpus.count && team->members < run->cpus; i++) {
        struct member *member = &team->member[team->members];
        uint64_t started_us = session_us(run->session);

        if (!run_has_cpu(run, i) || !cpu_run_start(p, &member->cpu, i))
            continue;
        team->members++;
        if (run->plan.mode == MODE_PARALLEL)
            team->calls->go_on(run, session_us(run->session) - started_us);
        else
            team->calls->alone(p, &member->cpu, started_us);
        if (run->stopped)
            break;
    }
}

void team_prepare(struct team *team, const struct run *run, struct member *member, unsigned index)
{
    member->task = team->calls->task_of(run, index, member->buffer);
    member->task.first_buffer = member->buffer;
    member->task.beside_others = true;
    cpu_run_prepare(run, &member->cpu, &member->task, index, member->result);
    member->status = cpu_run_is_lost(&member->cpu) ? STATUS_SKIPPED
                                                   : run_can(run, &member->cpu.cpu->caps, index);
}

/* The barrier of all that run, and how long one that waits there waits. */
static uint64_t make_barrier(struct team *team, const struct run *run, bool needs_all)
{
    const uint64_t ticks_per_us = run->session->tsc_hz / 1000000;
    struct barrier *barrier = &team->barrier;
    uint64_t end_us = 0, clear_us = 0;

    barrier->seats = barrier->passes = 0;
    barrier->around_from = UINT32_MAX;
    for (unsigned i = 0; i < team->members; i++) {
        struct measure_task *task = &team->member[i].task;

        if (team->member[i].status != STATUS_OK)
            continue;
        task->barrier = barrier;
        task->seat = barrier->seats++;
        barrier->seat[task->seat].holder = task;
        if (task->schedule->passes > barrier->passes)
            barrier->passes = task->schedule->passes;
        if (task->package && measure_package_pass(task->schedule) < barrier->around_from)
            barrier->around_from = measure_package_pass(task->schedule);
        if (task->window_bound_us > end_us)
            end_us = task->window_bound_us;
        if (task->buffer_bytes / PLAN_CLEARED_BYTES_PER_US > clear_us)
            clear_us = task->buffer_bytes / PLAN_CLEARED_BYTES_PER_US;
    }
    end_us += clear_us;
    barrier->port = &MEASURE_BARRIER;
    barrier->needs_all = needs_all;
    barrier->end_ticks = end_us * ticks_per_us;
    barrier->bound_ticks = (end_us + BARRIER_MARGIN_US) * ticks_per_us;
    barrier_start(barrier);
    return end_us + BARRIER_MARGIN_US;
}

/* The others went on without it, so its samples are not all taken beside theirs. */
static void note_lost(struct team *team, const struct run *run)
{
    for (unsigned i = 0; i < team->members; i++)
        if (team->member[i].status == STATUS_OK &&
            team->barrier.seat[team->member[i].task.seat].was_lost)
            store_note(run->store, NOTE_ERROR, "CPU %u did not come to a window; the others %s",
                       team->member[i].cpu.cpu->cpu,
                       team->barrier.needs_all ? "ended theirs" : "went on without it");
}

void team_run(struct team *team, const struct run *run, bool needs_all)
{
    uint64_t started_us = session_us(run->session), bound_us = 0;
    uint64_t wait_us = make_barrier(team, run, needs_all);
    unsigned count = 0;

    for (unsigned i = 0; i < team->members; i++) {
        struct member *member = &team->member[i];
        uint64_t own_bound_us;

        if (member->status != STATUS_OK)
            continue;
        own_bound_us = cpu_run_bound_us(&member->cpu, &member->task);
        bound_us = own_bound_us > bound_us ? own_bound_us : bound_us;
        team->watched[count] = cpu_run_watched(run, &member->task);
        team->together[count++] = (struct together){.cpu = member->cpu.cpu->cpu,
                                                    .task = measure_kernel,
                                                    .argument = &member->task,
                                                    .status = STATUS_OK};
    }
    bound_us += count * wait_us;
    guard_watch(run, team->watched, count, bound_us);
    quiet_begin(run);
    cpus_run_together(&run->session->cpus, team->together, count, bound_us);
    quiet_end(run);
    guard_rest();
    for (unsigned i = 0; i < team->members; i++)
        if (team->member[i].status == STATUS_OK)
            cpu_run_take(&team->member[i].cpu, &team->member[i].task,
                         team->together[team->member[i].task.seat].status,
                         session_us(run->session) - started_us);
    note_lost(team, run);
}

void team_put_result(struct progress *p, struct member *member, unsigned index)
{
    const struct again again = {.cpu = member->cpu.cpu->cpu};
    struct run *run = p->run;

    run->done++;
    store_append(run->store, RECORD_AGAIN, &again, sizeof(again));
    if (member->status != STATUS_OK) {
        cpu_run_leave_out(p, &member->cpu, index, member->status);
        return;
    }
    if (!store_append(run->store, RECORD_RESULT, member->result, result_bytes(member->result))) {
        cpu_run_leave_out(p, &member->cpu, index, STATUS_NO_MEMORY);
        return;
    }
    cpu_run_note(p, &member->cpu, member->result, run->kernel[index].record->name);
    progress_catch_up(p);
}

/* No kernel can be run: all of them are lost, and why is said. */
static void lose_all(struct progress *p)
{
    store_note(p->run->store, NOTE_ERROR, "mode=parallel: %s", status_text(STATUS_NO_MEMORY));
    p->run->tally.lost = run_units(p->run);
}

/* A kernel on all members, each for itself. */
static void run_plain(struct progress *p, struct team *team, unsigned index)
{
    struct run *run = p->run;
    uint64_t started_us = session_us(run->session);
    unsigned first = team->members;

    for (unsigned i = team->members; i-- > 0;) {
        team_prepare(team, run, &team->member[i], index);
        first = team->member[i].status == STATUS_OK ? i : first;
    }
    if (first < team->members)
        records_next(run, team->member[first].cpu.cpu->cpu, index, CPU_NONE);
    report_progress(run, run->cpu_now, run->kernel[index].record->name);
    team_run(team, run, false);
    for (unsigned i = 0; i < team->members; i++)
        team_put_result(p, &team->member[i], index);
    team->calls->go_on(run, session_us(run->session) - started_us);
}

static void run_kernels(struct progress *p, struct team *team)
{
    struct run *run = p->run;

    for (unsigned k = 0; run->plan.mode == MODE_PARALLEL && !run->stopped && k < run->kernels; k++)
        if (!run_is_shared(run, k))
            run_plain(p, team, k);
    if (run_has_shared(run))
        quiet_wake_all(run);
    for (unsigned k = 0; !run->stopped && k < run->kernels; k++)
        if (run_is_shared(run, k))
            team_run_shared(p, team, k);
}

void run_together(struct progress *p, const struct run_calls *calls)
{
    struct team team = {.calls = calls};
    struct run *run = p->run;

    if (!has_memory(&team, run)) {
        lose_all(p);
        return;
    }
    gather(p, &team);
    if (equip(&team, run))
        run_kernels(p, &team);
    else
        lose_all(p);
    for (unsigned i = team.members; i-- > 0;) {
        run->cpu_now = team.member[i].cpu.cpu->cpu;
        cpu_run_end(p, &team.member[i].cpu);
    }
    for (unsigned i = 0; i < team.members; i++) {
        run->cpu_now = team.member[i].cpu.cpu->cpu;
        report_cpu_end(run, team.member[i].cpu.noise);
    }
}
