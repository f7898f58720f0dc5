/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels on several CPUs at the same time. */
#include <stdlib.h>
#include <sys/mman.h>

#include "pmu/cpu/page_map.h"
#include "scripts/linux/child_space.h"
#include "scripts/linux/together.h"

#define MARGIN_US 2000000u /* how long CPUs wait for each other after a kernel's time limit */

static void rest(void)
{
    __asm__ volatile("pause");
}

static const struct barrier_port PORT = {.ticks = host_tsc, .pause = rest};

static struct {
    struct barrier *barrier;
    struct barrier_seat *seat;
    struct child_task *task;
    enum status *status; /* STATUS_OK if the CPU runs the kernel */
    char *buffer;        /* one block for all CPUs' buffers, for a kernel with a second role */
    size_t buffer_bytes;
} team;

static void *share(size_t bytes, int page_flags)
{
    void *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | page_flags, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

bool together_start(const struct linux_run *run)
{
    team.barrier = share(sizeof(*team.barrier), 0);
    team.seat = share(run->cpus * sizeof(*team.seat), 0);
    team.task = files_memory(run->cpus * sizeof(*team.task));
    team.status = files_memory(run->cpus * sizeof(*team.status));
    return team.barrier && team.seat && team.task && team.status;
}

/* Sets up a barrier and `tasks` for the CPUs that run the kernel. Returns how many CPUs run it. */
static unsigned make_barrier(const struct linux_run *run, bool needs_all, struct child_task *tasks)
{
    const uint64_t ticks_per_us = run->host->machine.tsc_hz / 1000000;
    struct barrier *barrier = team.barrier;
    uint64_t bound_us = 0;

    *barrier = (struct barrier){.port = &PORT, .seat = team.seat, .needs_all = needs_all};
    for (unsigned i = 0; i < run->cpus; i++) {
        struct child_task *task = &team.task[i];

        if (team.status[i] != STATUS_OK)
            continue;
        task->barrier = barrier;
        task->seat = barrier->seats++;
        team.seat[task->seat].holder = NULL;
        if (task->schedule->passes > barrier->passes)
            barrier->passes = task->schedule->passes;
        if (task->bound_us > bound_us)
            bound_us = task->bound_us;
        tasks[task->seat] = *task;
    }
    barrier->end_ticks = bound_us * ticks_per_us;
    barrier->bound_ticks = (bound_us + MARGIN_US) * ticks_per_us;
    barrier_start(barrier);
    return barrier->seats;
}

static void put_result(struct linux_run *run, unsigned at, unsigned index, uint32_t partner,
                       uint64_t elapsed_us)
{
    const struct again again = {.cpu = run->cpu[at].record.cpu};

    run_append(run, RECORD_AGAIN, &again, sizeof(again));
    if (team.status[at] != STATUS_OK)
        run_leave_out(run, again.cpu, index, team.status[at], partner);
    else
        run_put_result(run, &team.task[at], index, partner, elapsed_us);
    run_catch_up(run);
}

/* Runs the tasks of all CPUs whose status is STATUS_OK; returns the time in us. */
static uint64_t run_all(struct linux_run *run, bool needs_all)
{
    const uint64_t started_us = host_us();
    struct child_task *tasks = files_memory(run->cpus * sizeof(*tasks));
    unsigned count = tasks ? make_barrier(run, needs_all, tasks) : 0;
    bool done = count == 0 || children_run(tasks, count);

    for (unsigned i = 0; i < run->cpus; i++)
        if (team.status[i] == STATUS_OK && (!done || !tasks))
            team.status[i] = STATUS_NO_MEMORY;
    for (unsigned i = 0; tasks && i < count; i++)
        if (team.seat[i].was_lost)
            run_note(run, NOTE_ERROR, "CPU %u did not reach a window; the others %s", tasks[i].cpu,
                     needs_all ? "ended their tasks" : "went on without it");
    free(tasks);
    return host_us() - started_us;
}

static void prepare(const struct linux_run *run, unsigned at, unsigned index)
{
    const struct chosen_kernel *kernel = &run->kernel[index];

    team.status[at] = run_can(&run->cpu[at], kernel);
    team.task[at] = run_task(run, &run->cpu[at], kernel);
}

void together_run(struct linux_run *run, unsigned index)
{
    uint64_t elapsed_us;

    for (unsigned i = 0; i < run->cpus; i++)
        prepare(run, i, index);
    elapsed_us = run_all(run, false);
    for (unsigned i = 0; i < run->cpus; i++)
        put_result(run, i, index, CPU_NONE, elapsed_us);
}

/* Makes the buffers of all CPUs; every child sees them at the same addresses. */
static enum status share_buffers(const struct linux_run *run, unsigned index)
{
    const struct kernel_use *use = &run->kernel[index].use;
    const int huge = space_page_flags(use->page_bytes);
    const uint64_t page = use->page_bytes > PAGE_BYTES ? use->page_bytes : PAGE_BYTES;
    uint64_t align = use->buffer_align > page ? use->buffer_align : page;
    uint64_t bytes = (use->buffer_bytes + align - 1) / align * align;

    if (team.buffer_bytes > 0)
        munmap(team.buffer, team.buffer_bytes);
    team.buffer_bytes = bytes * run->cpus + align - page;
    team.buffer = share(team.buffer_bytes, huge);
    if (!team.buffer) {
        team.buffer_bytes = 0;
        return huge ? STATUS_HUGE_PAGES : STATUS_NO_MEMORY;
    }
    if (use->page_bytes == PAGE_BYTES)
        madvise(team.buffer, team.buffer_bytes, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < run->cpus; i++)
        team.task[i].buffer =
            (char *)(((uint64_t)team.buffer + align - 1) / align * align) + i * bytes;
    return STATUS_OK;
}

static enum status prepare_turn(const struct linux_run *run, unsigned index, unsigned first)
{
    enum status status;

    for (unsigned i = 0; i < run->cpus; i++)
        prepare(run, i, index);
    status = share_buffers(run, index);
    for (unsigned i = 0; i < run->cpus; i++)
        team.task[i].first_buffer = team.task[first].buffer;
    return status;
}

static void run_pair(struct linux_run *run, unsigned index, unsigned first, unsigned second)
{
    enum status ready = prepare_turn(run, index, first);
    uint64_t elapsed_us = 0;

    for (unsigned i = 0; i < run->cpus; i++)
        if (i != first && i != second)
            team.status[i] = STATUS_SKIPPED;
    team.task[second].role = 1;
    if (team.status[first] == STATUS_OK && team.status[second] != STATUS_OK)
        team.status[first] = team.status[second];
    else if (team.status[first] != STATUS_OK)
        team.status[second] = team.status[first];
    else if (ready != STATUS_OK)
        team.status[first] = team.status[second] = ready;
    if (team.status[first] == STATUS_OK)
        elapsed_us = run_all(run, true);
    put_result(run, first, index, run->cpu[second].record.cpu, elapsed_us);
    put_result(run, second, index, run->cpu[first].record.cpu, elapsed_us);
}

static void run_crowd(struct linux_run *run, unsigned index, unsigned first)
{
    enum status ready = prepare_turn(run, index, first);
    uint64_t elapsed_us = 0;
    unsigned role = 0;

    for (unsigned i = 0; i < run->cpus; i++)
        if (i != first && team.status[i] == STATUS_OK)
            team.task[i].role = ++role;
    if (team.status[first] == STATUS_OK)
        team.status[first] = ready;
    if (team.status[first] == STATUS_OK && role == 0)
        team.status[first] = STATUS_PARTNER;
    if (team.status[first] == STATUS_OK)
        elapsed_us = run_all(run, true);
    put_result(run, first, index, CPU_NONE, elapsed_us);
}

void together_run_shared(struct linux_run *run, unsigned index)
{
    const bool pairs = run->kernel[index].record->flags & KERNEL_PAIR;

    report_pairs_start(&run->report);
    if (run->cpus < 2) {
        team.status[0] = STATUS_ALONE;
        put_result(run, 0, index, CPU_NONE, 0);
    }
    for (unsigned i = 0; run->cpus > 1 && i < run->cpus && !*run->stopped; i++) {
        for (unsigned j = i + 1; pairs && j < run->cpus && !*run->stopped; j++)
            run_pair(run, index, i, j);
        if (!pairs)
            run_crowd(run, index, i);
    }
    report_pairs_end(&run->report, run->view.kernel[index]);
}
