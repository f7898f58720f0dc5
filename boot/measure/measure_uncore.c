/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/measure/measure_uncore.h"

/* The first error of each kind is kept, with its pass. */
static void note_package_error(struct result *result, struct package_error error, unsigned pass)
{
    unsigned i = 0;

    while (i < PACKAGE_GROUPS_MAX && result->package_error[i].status != STATUS_OK &&
           result->package_error[i].kind != error.kind)
        i++;
    if (i == PACKAGE_GROUPS_MAX || result->package_error[i].status != STATUS_OK)
        return;
    error.pass = (uint16_t)pass;
    result->package_error[i] = error;
}

static void note_package_errors_of(const struct measure_task *task, uint32_t kinds,
                                   const struct package_error error[PACKAGE_GROUPS_MAX],
                                   unsigned pass)
{
    for (unsigned i = 0; i < PACKAGE_GROUPS_MAX; i++)
        if (error[i].status != STATUS_OK && kinds >> error[i].kind & 1)
            note_package_error(task->result, error[i], pass);
}

_Static_assert(SLOTS_MAX <= 16, "bits of sample.uncounted");

/* The pass's slots of these kinds; *all: they are all that it has of the package's. */
static uint32_t slots_of(const struct measure_task *task, const struct pass *pass, uint32_t kinds,
                         bool *all)
{
    uint32_t slots = 0;

    *all = true;
    for (unsigned i = cpu_package_first_slot(pass); i < pass->slots; i++) {
        bool is_one = kinds >> task->event[pass->slot[i].event].kind & 1;

        slots |= (uint32_t)is_one << i;
        *all = *all && is_one;
    }
    return slots;
}

bool measure_package_program(const struct measure_task *task, unsigned pass)
{
    const struct pass *wanted = &task->schedule->pass[pass];
    struct cpu_package *package = task->package;
    bool all;

    if (!cpu_package_counts(wanted))
        return true;
    if (!package)
        return false;
    package_program(&package->access.port, &package->found, task->event, wanted,
                    ~package->kinds | package->held.failed, &package->programmed);
    note_package_errors_of(task, package->kinds & ~package->faulty, package->programmed.error,
                           pass);
    /* rows of faulty ones are off anyway */
    package->uncounted =
        slots_of(task, wanted, package->programmed.failed & ~package->faulty, &all);
    return !all;
}

uint16_t measure_package_uncounted(const struct measure_task *task, const struct pass *pass)
{
    return cpu_package_counts(pass) ? (uint16_t)task->package->uncounted : 0;
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
    struct cpu_package *package = task->package;

    if (!package)
        return;
    task->result->package_restore_error = cpu_package_take(package);
    note_package_errors_of(task, package->kinds & ~package->faulty, package->held.error,
                           PACKAGE_ALL_PASSES);
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
