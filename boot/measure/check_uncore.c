/* SPDX-License-Identifier: BSD-2-Clause */
/* A package on the CPU that counts for it, before anything is measured. */
#include "boot/measure/measure.h"
#include "pmu/uncore/words.h"

/* What the test waits with. */
static void delay(void *context, unsigned us)
{
    const struct package_task *task = context;
    const uint64_t start = cpu_tsc(), ticks = us * task->ticks_per_us;

    while (cpu_tsc() - start < ticks)
        cpu_pause();
}

void find_package(void *argument)
{
    struct package_task *task = argument;
    struct cpu_package *package = task->package;

    cpu_enter(task->context, task->caps);
    package_access_look(&package->access);
    package_find(&package->access.port, task->caps, &package->found);
    cpu_leave(task->context, task->caps);
}

void check_uncore(void *argument)
{
    struct package_task *task = argument;
    struct cpu_package *package = task->package;
    struct package_record *record = task->record;
    struct package_error restore_error;

    cpu_enter(task->context, task->caps);
    package_describe(&package->found, record);
    task->restore_error = cpu_package_take(package);
    record->left_running = package->held.left_running;
    package->kinds &= ~package->held.failed;
    package->faulty = 0;
    uncore_check(&package->access.port, &package->found, package->kinds, delay, task, record);
    restore_error = cpu_package_give_back(package);
    if (task->restore_error.status == STATUS_OK)
        task->restore_error = restore_error;
    for (unsigned i = 0; i < record->groups; i++) {
        if (package->held.error[i].status != STATUS_OK)
            record->error[i] = package->held.error[i];
        if (package_group_fails(&record->group[i]))
            package->faulty |= 1u << record->group[i].kind;
    }
    cpu_leave(task->context, task->caps);
}
