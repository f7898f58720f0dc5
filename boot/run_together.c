/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/console.h"
#include "boot/firmware.h"
#include "boot/guard.h"
#include "boot/quiet.h"
#include "boot/records.h"
#include "boot/report.h"
#include "boot/run_together.h"

/* A CPU of the team, with memory of its own. */
struct member {
    struct cpu_run cpu;
    struct measure_task task;
    struct result *result;
    char *buffer;
    bool runs; /* the present kernel */
};

struct team {
    struct member *member;
    struct together *together; /* of those that run the present kernel */
    struct watched *watched;   /* of the same */
    unsigned members;
};

static bool has_memory(struct team *team, const struct run *run)
{
    team->member = firmware_memory(run->cpus * sizeof(*team->member));
    team->together = firmware_memory(run->cpus * sizeof(*team->together));
    team->watched = firmware_memory(run->cpus * sizeof(*team->watched));
    return team->member && team->together && team->watched;
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
static void gather(struct progress *p, struct team *team,
                   bool (*go_on)(struct run *run, uint64_t elapsed_us))
{
    struct run *run = p->run;

    for (unsigned i = 0; i < run->session->cpus.count && team->members < run->cpus; i++) {
        uint64_t started_us = session_us(run->session);

        if (!run_has_cpu(run, i) || !cpu_run_start(p, &team->member[team->members].cpu, i))
            continue;
        team->members++;
        if (!go_on(run, session_us(run->session) - started_us))
            break;
    }
}

/* Starts a kernel on all members that can run it, and waits for the last. */
static void run_kernel(struct team *team, struct run *run, unsigned index,
                       struct measure_task (*task_of)(const struct run *, unsigned, char *))
{
    uint64_t started_us = session_us(run->session), bound_us = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < team->members; i++) {
        struct member *member = &team->member[i];
        uint64_t own_bound_us;

        member->task = task_of(run, index, member->buffer);
        member->task.beside_others = true;
        cpu_run_prepare(run, &member->cpu, &member->task, index, member->result);
        member->runs = !cpu_run_is_lost(&member->cpu) &&
                       run_can(run, &member->cpu.cpu->caps, index) == STATUS_OK;
        if (!member->runs)
            continue;
        own_bound_us = cpu_run_bound_us(&member->cpu, &member->task);
        bound_us = own_bound_us > bound_us ? own_bound_us : bound_us;
        team->watched[count] = cpu_run_watched(run, &member->task);
        team->together[count++] = (struct together){.cpu = member->cpu.cpu->cpu,
                                                    .task = measure_kernel,
                                                    .argument = &member->task,
                                                    .status = STATUS_OK};
    }
    if (count > 0)
        records_next(run, team->together[0].cpu, index, CPU_NONE);
    report_progress(run, run->cpu_now, run->kernel[index].record->name);
    guard_watch(run, team->watched, count, bound_us);
    quiet_begin(run);
    cpus_run_together(&run->session->cpus, team->together, count, bound_us);
    quiet_end(run);
    guard_rest();
    count = 0;
    for (unsigned i = 0; i < team->members; i++)
        if (team->member[i].runs)
            cpu_run_take(&team->member[i].cpu, &team->member[i].task,
                         team->together[count++].status, session_us(run->session) - started_us);
}

/* What a member has counted goes to the journal, or why it has not. */
static void put_result(struct progress *p, struct member *member, unsigned index)
{
    const struct again again = {.cpu = member->cpu.cpu->cpu};
    struct run *run = p->run;

    run->done++;
    store_append(run->store, RECORD_AGAIN, &again, sizeof(again));
    if (!member->runs) {
        cpu_run_leave_out(p, &member->cpu, index,
                          cpu_run_is_lost(&member->cpu)
                              ? STATUS_SKIPPED
                              : run_can(run, &member->cpu.cpu->caps, index));
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

void run_together(struct progress *p,
                  struct measure_task (*task_of)(const struct run *run, unsigned index,
                                                 char *buffer),
                  bool (*go_on)(struct run *run, uint64_t elapsed_us))
{
    struct team team = {.members = 0};
    struct run *run = p->run;
    bool ready = has_memory(&team, run);

    if (ready)
        gather(p, &team, go_on);
    ready = ready && equip(&team, run);
    if (!ready)
        lose_all(p);
    for (unsigned k = 0; ready && !run->stopped && k < run->kernels; k++) {
        uint64_t started_us = session_us(run->session);

        run_kernel(&team, run, k, task_of);
        for (unsigned i = 0; i < team.members; i++)
            put_result(p, &team.member[i], k);
        go_on(run, session_us(run->session) - started_us);
    }
    for (unsigned i = team.members; i-- > 0;) {
        run->cpu_now = team.member[i].cpu.cpu->cpu;
        cpu_run_end(p, &team.member[i].cpu);
    }
    for (unsigned i = 0; i < team.members; i++) {
        run->cpu_now = team.member[i].cpu.cpu->cpu;
        report_cpu_end(run, team.member[i].cpu.noise);
    }
}
