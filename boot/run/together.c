/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/run/guard.h"
#include "boot/measure/measure_uncore.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/screen/screen.h"
#include "boot/run/team.h"
#include "boot/run/alone.h"

static bool has_memory(struct team *team, const struct run *run)
{
    team->member = firmware_memory(run->cpus * sizeof(*team->member));
    team->together = firmware_memory(run->cpus * sizeof(*team->together));
    team->barrier.seat = firmware_memory(run->cpus * sizeof(*team->barrier.seat));
    team->watched = firmware_memory(run->cpus * sizeof(*team->watched));
    return team->member && team->together && team->barrier.seat && team->watched;
}

/* Memory for each member's results, and its part of the run's buffers. */
static bool equip(struct progress *p, struct team *team)
{
    const struct run *run = p->run;
    struct measure_task task = {.runs = run->plan.runs, .twice_runs = run_twice_runs(run)};
    size_t largest = 0;

    for (unsigned i = 0; i < team->members; i++) {
        size_t bytes = measured_cpu_result_bytes(&team->member[i].cpu, &task);

        largest = bytes > largest ? bytes : largest;
    }
    if (p->results_bytes < team->members * largest) {
        p->results = firmware_memory(team->members * largest);
        p->results_bytes = p->results ? team->members * largest : 0;
    }
    for (unsigned i = 0; i < team->members; i++) {
        team->member[i].result = (struct result *)(p->results + i * largest);
        team->member[i].buffer = run_buffer(run, team->member[i].cpu.cpu->cpu);
    }
    return p->results != 0;
}

/* Starts the CPUs, until all are or the user ends the run. */
static void gather(struct progress *p, struct team *team)
{
    const struct run *run = p->run;

    for (unsigned i = 0; i < run->machine->cpus.count && team->members < run->cpus; i++) {
        struct member *member = &team->member[team->members];
        uint64_t started_us = machine_us(run->machine);

        if (!run_has_cpu(run, i) || !measured_cpu_start(p, &member->cpu, i))
            continue;
        team->members++;
        if (run->plan.mode == MODE_PARALLEL)
            alone_go_on(p, machine_us(run->machine) - started_us);
        else
            alone_measure(p, &member->cpu, started_us);
        if (p->stopped)
            break;
    }
}

/* No kernel can be run: all of them are lost, and why is said. */
static void lose_all(struct progress *p)
{
    store_note(p->run->store, NOTE_ERROR, "mode=parallel: %s", status_text(STATUS_NO_MEMORY));
    p->tally.lost = run_units(p->run);
}

/* A kernel on all members, each for itself. */
static void run_plain(struct progress *p, struct team *team, unsigned index)
{
    const struct run *run = p->run;
    uint64_t started_us = machine_us(run->machine);
    unsigned first = team->members;

    for (unsigned i = team->members; i-- > 0;) {
        team_prepare(run, &team->member[i], index);
        first = team->member[i].status == STATUS_OK ? i : first;
    }
    if (first < team->members) {
        const unsigned cpu = team->member[first].cpu.cpu->cpu;

        records_next(run, cpu, index, CPU_NONE);
        screen_progress(p, cpu, run->kernel[index].record->name);
    }
    team_run(p, team, false);
    for (unsigned i = 0; i < team->members; i++)
        team_put_result(p, &team->member[i], index);
    alone_go_on(p, machine_us(run->machine) - started_us);
}

static void run_kernels(struct progress *p, struct team *team)
{
    const struct run *run = p->run;

    for (unsigned k = 0; run->plan.mode == MODE_PARALLEL && !p->stopped && k < run->kernels; k++)
        if (!run_is_shared(run, k))
            run_plain(p, team, k);
    if (run_has_shared(run))
        quiet_wake_all(p);
    for (unsigned k = 0; !p->stopped && k < run->kernels; k++)
        if (run_is_shared(run, k))
            team_run_shared(p, team, k);
}

void run_together(struct progress *p)
{
    struct team team = {.member = 0};
    const struct run *run = p->run;

    if (!has_memory(&team, run)) {
        lose_all(p);
        return;
    }
    gather(p, &team);
    if (equip(p, &team))
        run_kernels(p, &team);
    else
        lose_all(p);
    for (unsigned i = team.members; i-- > 0;)
        measured_cpu_end(p, &team.member[i].cpu);
    for (unsigned i = 0; i < team.members; i++)
        progress_cpu_end(p, team.member[i].cpu.cpu->cpu, team.member[i].cpu.noise);
}
