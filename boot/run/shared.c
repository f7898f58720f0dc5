/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels with roles for several CPUs: by all pairs of a plan's CPUs, or by one among all others.
 */
#include "boot/run/records.h"
#include "boot/efi/console.h"
#include "boot/screen/screen.h"
#include "boot/run/alone.h"
#include "boot/run/team.h"

/* `first` is the member of the first role. */
static void take_role(const struct run *run, struct member *member, const struct member *first,
                      unsigned role, unsigned index)
{
    const struct kernel_record *record = run->kernel[index].record;

    team_prepare(run, member, index);
    member->task.kernel.role = role;
    member->task.kernel.first_buffer = first->buffer;
    if (role > 0) {
        member->task.kernel.entry = (const char *)record + record->second_offset;
        member->task.kernel.twice_entry = 0;
    }
}

/* Who cannot do without one that does not run the kernel. */
static void give_up(struct member *member, const struct member *other)
{
    if (member->status != STATUS_OK)
        return;
    member->status = measured_cpu_is_lost(&other->cpu) ? STATUS_PARTNER : other->status;
}

static void run_pair(struct progress *p, struct team *team, unsigned index, struct member *first,
                     struct member *second)
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
        records_next(p->run, first->cpu.cpu->cpu, index, first->cpu.partner);
        team_run(p, team, true);
    }
    team_put_result(p, first, index);
    team_put_result(p, second, index);
    first->cpu.partner = second->cpu.partner = CPU_NONE;
}

/* One beside the first role: there is no row for it, so what went wrong is said. */
static void note_other(struct progress *p, struct member *other, const char *name)
{
    const struct result *result = other->result;

    measured_cpu_note(p, &other->cpu, result, name);
    if (result->status == STATUS_FAULT || result->status == STATUS_HANG ||
        result->status == STATUS_CHANGED)
        store_note(p->run->store, NOTE_ERROR, "CPU %u, %s, beside the first role: %s", result->cpu,
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
        records_next(p->run, first->cpu.cpu->cpu, index, CPU_NONE);
        team_run(p, team, true);
    }
    for (unsigned i = 0; i < team->members; i++)
        if (&team->member[i] != first && team->member[i].status == STATUS_OK)
            note_other(p, &team->member[i], name);
    team_put_result(p, first, index);
}

/* One turn, and whether there is another. */
static bool turn(struct progress *p, struct team *team, unsigned index, struct member *first,
                 struct member *second)
{
    const struct run *run = p->run;
    uint64_t started_us = machine_us(run->machine);

    screen_progress(p, first->cpu.cpu->cpu, run->kernel[index].record->name);
    if (second)
        run_pair(p, team, index, first, second);
    else
        run_crowd(p, team, index, first);
    return alone_go_on(p, machine_us(run->machine) - started_us);
}

void team_run_shared(struct progress *p, struct team *team, unsigned index)
{
    const bool pairs = p->run->kernel[index].record->flags & KERNEL_PAIR;
    bool more = true;

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
