/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/measure_package.h"

/* The first error is kept, with its pass. */
static void note_package_error(struct result *result, struct package_error error, unsigned pass)
{
    if (error.status == STATUS_OK || result->package_error.status != STATUS_OK)
        return;
    result->package_error = error;
    result->package_error_pass = pass;
}

bool measure_package_program(const struct measure_task *task, unsigned pass)
{
    const struct pass *wanted = &task->schedule->pass[pass];
    struct cpu_package *package = task->package;
    struct package_error error;

    if (!cpu_package_counts(wanted))
        return true;
    if (!package || !package->is_taken)
        return false;
    error = package_program(&package->access.port, &package->found, task->event, wanted,
                            &package->programmed);
    if (!(package->programmed.failed & ~package->faulty)) /* rows of faulty ones are off anyway */
        return true;
    note_package_error(task->result, error, pass);
    return false;
}

unsigned measure_package_pass(const struct schedule *schedule)
{
    unsigned p = 0;

    while (p < schedule->passes && !cpu_package_counts(&schedule->pass[p]))
        p++;
    return p;
}

void measure_package_take(const struct measure_task *task)
{
    if (task->package)
        note_package_error(task->result, cpu_package_take(task->package),
                           measure_package_pass(task->schedule));
}

struct package_error measure_package_give_back(const struct measure_task *task)
{
    return task->package ? cpu_package_give_back(task->package)
                         : (struct package_error){.status = STATUS_OK};
}

bool measure_package_open(const struct measure_task *task)
{
    struct cpu_package *package = task->package;

    return package_open(&package->access.port, &package->programmed, &package->start);
}

bool measure_package_close(const struct measure_task *task, uint64_t *raw)
{
    const struct cpu_package *package = task->package;

    return package_close(&package->access.port, &package->programmed, &package->start, raw);
}
