/* SPDX-License-Identifier: BSD-2-Clause */
/* A package on the CPU that counts for it, before anything is measured. */
#include "boot/measure/measure.h"
#include "pmu/uncore/words.h"

/* What the test waits with. */
static void delay(void *context, unsigned us)
{
    const struct uncore_task *task = context;
    const uint64_t start = cpu_tsc(), ticks = us * task->ticks_per_us;

    while (cpu_tsc() - start < ticks)
        cpu_pause();
}

void find_uncore(void *argument)
{
    struct uncore_task *task = argument;
    struct cpu_uncore *uncore = task->uncore;

    cpu_enter(task->context, task->caps);
    uncore_access_look(&uncore->access);
    uncore_find(&uncore->access.port, task->caps, &uncore->found);
    cpu_leave(task->context, task->caps);
}

void check_uncore(void *argument)
{
    struct uncore_task *task = argument;
    struct cpu_uncore *uncore = task->uncore;
    struct uncore_record *record = task->record;
    struct uncore_error restore_error;

    cpu_enter(task->context, task->caps);
    uncore_describe(&uncore->found, record);
    task->restore_error = cpu_uncore_take(uncore);
    record->left_running = uncore->held.left_running;
    uncore->kinds &= ~uncore->held.failed;
    uncore->faulty = 0;
    uncore_check(&uncore->access.port, &uncore->found, uncore->kinds, delay, task, record);
    restore_error = cpu_uncore_give_back(uncore);
    if (task->restore_error.status == STATUS_OK)
        task->restore_error = restore_error;
    for (unsigned i = 0; i < record->groups; i++) {
        if (uncore->held.error[i].status != STATUS_OK)
            record->error[i] = uncore->held.error[i];
        if (uncore_group_fails(&record->group[i]))
            uncore->faulty |= 1u << record->group[i].kind;
    }
    cpu_leave(task->context, task->caps);
}
