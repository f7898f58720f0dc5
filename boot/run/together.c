/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels on several CPUs at the same time. */
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/run/guard.h"
#include "boot/measure/measure_uncore.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/screen/screen.h"
#include "boot/run/team.h"
#include "boot/run/alone.h"

#define PAIRS_SILENT_US 1000000u /* render_cut_off_cpus() prints it as "a second" */

static bool has_memory(struct team *team, const struct run *run)
{
    team->member = firmware_memory(run->cpus * sizeof(*team->member));
    team->together = firmware_memory(run->cpus * sizeof(*team->together));
    team->barrier.seat = firmware_memory(run->cpus * sizeof(*team->barrier.seat));
    team->watched = firmware_memory(run->cpus * sizeof(*team->watched));
    return team->member && team->together && team->barrier.seat && team->watched;
}

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

static void try_together(const struct run *run, const struct team *team)
{
    for (unsigned i = 0; i < team->members; i++) {
        const struct measured_cpu *cpu = &team->member[i].cpu;

        if (cpu->cpu->flags & CPU_IS_BOOT || measured_cpu_is_lost(cpu))
            continue;
        store_phase(run->store, PHASE_START, cpu->cpu->cpu, 0);
        cpus_try_together(&run->machine->cpus, cpu->cpu->cpu);
        return;
    }
}

static void lose_all(struct progress *p)
{
    store_note(p->run->store, NOTE_ERROR, "kernels on several CPUs: %s",
               status_text(STATUS_NO_MEMORY));
    p->tally.lost = run_units(p->run);
}

/* If a member is lost, the others go on. */
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

        records_next(run, cpu, index, CPU_NONE, true);
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
    if (!p->stopped && run_has_shared(run))
        quiet_gather(p);
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
    try_together(run, &team);
    if (equip(p, &team))
        run_kernels(p, &team);
    else
        lose_all(p);
    for (unsigned i = team.members; i-- > 0;)
        measured_cpu_end(p, &team.member[i].cpu);
    for (unsigned i = 0; i < team.members; i++)
        progress_cpu_end(p, team.member[i].cpu.cpu->cpu, team.member[i].cpu.noise);
}

static void take_role(const struct run *run, struct member *member, const struct member *first,
                      unsigned role, unsigned index)
{
    team_prepare(run, member, index);
    member->task.kernel.role = role;
    member->task.kernel.first_buffer = first->buffer;
}

static void give_up(struct member *member, const struct member *other)
{
    if (member->status != STATUS_OK)
        return;
    member->status = measured_cpu_is_lost(&other->cpu) ? STATUS_PARTNER : other->status;
}

static void run_pair(struct progress *p, struct team *team, unsigned index, struct member *first,
                     struct member *second, bool told)
{
    for (unsigned i = 0; i < team->members; i++)
        team->member[i].status = STATUS_SKIPPED;
    first->cpu.partner = second->cpu.cpu->cpu;
    second->cpu.partner = first->cpu.cpu->cpu;
    take_role(p->run, first, first, 0, index);
    take_role(p->run, second, first, 1, index);
    give_up(first, second);
    give_up(second, first);
    if (first->status == STATUS_OK) {
        quiet_pair(p, first->cpu.cpu->cpu, first->cpu.partner);
        records_next(p->run, first->cpu.cpu->cpu, index, first->cpu.partner, told);
        team_run(p, team, true);
    }
    team_put_result(p, first, index);
    team_put_result(p, second, index);
    first->cpu.partner = second->cpu.partner = CPU_NONE;
}

/*
 * Only the first member of a crowd gets a row, so errors of the other members are stored as notes.
 */
static void note_other(struct progress *p, struct member *other, const char *name)
{
    const struct result *result = other->result;

    measured_cpu_note(p, &other->cpu, result, name);
    if (result->status == STATUS_FAULT || result->status == STATUS_HANG ||
        result->status == STATUS_CHANGED)
        store_note(p->run->store, NOTE_ERROR, "CPU %u, %s, not in the first role: %s", result->cpu,
                   name, status_text((enum status)result->status));
}

static void run_crowd(struct progress *p, struct team *team, unsigned index, struct member *first)
{
    const char *name = p->run->kernel[index].record->name;
    unsigned role = 0;

    take_role(p->run, first, first, role, index);
    for (unsigned i = 0; i < team->members; i++) {
        struct member *member = &team->member[i];

        if (member == first)
            continue;
        take_role(p->run, member, first, role + 1, index);
        role += member->status == STATUS_OK;
        if (first->status != STATUS_OK)
            member->status = STATUS_SKIPPED;
    }
    if (first->status == STATUS_OK && role == 0)
        first->status = STATUS_PARTNER;
    if (first->status == STATUS_OK) {
        records_next(p->run, first->cpu.cpu->cpu, index, CPU_NONE, true);
        team_run(p, team, true);
    }
    for (unsigned i = 0; i < team->members; i++)
        if (&team->member[i] != first && team->member[i].status == STATUS_OK)
            note_other(p, &team->member[i], name);
    team_put_result(p, first, index);
}

/*
 * Runs the kernel on a pair or, if `second` is null, on a crowd. Returns false if the run was
 * ended. At most one pair per second is shown and flushed, because showing and flushing a pair
 * takes longer than running it.
 */
static bool turn(struct progress *p, struct team *team, unsigned index, struct member *first,
                 struct member *second)
{
    const struct run *run = p->run;
    uint64_t started_us = machine_us(run->machine);
    bool told = !second || started_us >= team->silent_until_us;

    if (told) {
        screen_progress(p, first->cpu.cpu->cpu, run->kernel[index].record->name);
        team->silent_until_us = started_us + PAIRS_SILENT_US;
    }
    if (second)
        run_pair(p, team, index, first, second, told);
    else
        run_crowd(p, team, index, first);
    return alone_go_on(p, machine_us(run->machine) - started_us);
}

void team_run_shared(struct progress *p, struct team *team, unsigned index)
{
    const bool pairs = p->run->kernel[index].record->flags & KERNEL_PAIR;
    bool more = true;

    team->silent_until_us = 0;
    report_pairs_start(&p->report);
    for (unsigned i = 0; more && i < team->members; i++) {
        if (!pairs || team->members == 1)
            more = turn(p, team, index, &team->member[i], 0);
        for (unsigned j = i + 1; pairs && more && j < team->members; j++)
            more = turn(p, team, index, &team->member[i], &team->member[j]);
    }
    console_progress_end();
    report_pairs_end(&p->report, p->view.kernel[index]);
}
