/* SPDX-License-Identifier: BSD-2-Clause */
/* Uncore counters while a kernel is measured. */
#include "boot/measure/measure_uncore.h"

/* Records only the first error of each kind of counter. */
static void note_uncore_error(struct result *result, struct uncore_error error, unsigned pass)
{
    unsigned i = 0;

    while (i < UNCORE_GROUPS_MAX && result->uncore_error[i].status != STATUS_OK &&
           result->uncore_error[i].kind != error.kind)
        i++;
    if (i == UNCORE_GROUPS_MAX || result->uncore_error[i].status != STATUS_OK)
        return;
    error.pass = (uint16_t)pass;
    result->uncore_error[i] = error;
}

static void note_uncore_errors_of(const struct measure_task *task, uint32_t kinds,
                                  const struct uncore_error error[UNCORE_GROUPS_MAX], unsigned pass)
{
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX; i++)
        if (error[i].status != STATUS_OK && kinds >> error[i].kind & 1)
            note_uncore_error(task->result, error[i], pass);
}

_Static_assert(SLOTS_MAX <= 16, "bits of sample.uncounted");

/*
 * Returns the pass's slots of `kinds`, as bits. *all is set if the pass has no other uncore slots.
 */
static uint32_t slots_of(const struct measure_task *task, const struct pass *pass, uint32_t kinds,
                         bool *all)
{
    uint32_t slots = 0;

    *all = true;
    for (unsigned i = cpu_uncore_first_slot(pass); i < pass->slots; i++) {
        bool is_one = kinds >> task->event[pass->slot[i].event].kind & 1;

        slots |= (uint32_t)is_one << i;
        *all = *all && is_one;
    }
    return slots;
}

bool measure_uncore_program(const struct measure_task *task, unsigned pass)
{
    const struct pass *wanted = &task->schedule->pass[pass];
    struct cpu_uncore *uncore = task->uncore;
    bool all;

    if (!cpu_uncore_counts(wanted))
        return true;
    if (!uncore)
        return false;
    uncore_program(&uncore->access.port, &uncore->found, task->event, wanted,
                   ~uncore->kinds | uncore->held.failed, &uncore->programmed);
    note_uncore_errors_of(task, uncore->kinds & ~uncore->faulty, uncore->programmed.error, pass);
    /* the rows of faulty kinds get the verdict `off` anyway */
    uncore->uncounted = slots_of(task, wanted, uncore->programmed.failed & ~uncore->faulty, &all);
    return !all;
}

uint16_t measure_uncore_uncounted(const struct measure_task *task, const struct pass *pass)
{
    return cpu_uncore_counts(pass) ? (uint16_t)task->uncore->uncounted : 0;
}

unsigned measure_uncore_pass(const struct schedule *schedule)
{
    unsigned p = 0;

    while (p < schedule->passes && !cpu_uncore_counts(&schedule->pass[p]))
        p++;
    return p;
}

void measure_uncore_take(const struct measure_task *task)
{
    struct cpu_uncore *uncore = task->uncore;

    if (!uncore)
        return;
    task->result->uncore_restore_error = cpu_uncore_take(uncore);
    note_uncore_errors_of(task, uncore->kinds & ~uncore->faulty, uncore->held.error,
                          UNCORE_ALL_PASSES);
}

struct uncore_error measure_uncore_give_back(const struct measure_task *task)
{
    return task->uncore ? cpu_uncore_give_back(task->uncore)
                        : (struct uncore_error){.status = STATUS_OK};
}

bool measure_uncore_open(const struct measure_task *task)
{
    struct cpu_uncore *uncore = task->uncore;

    return uncore_open(&uncore->access.port, &uncore->programmed, &uncore->start);
}

bool measure_uncore_close(const struct measure_task *task, uint64_t *raw)
{
    const struct cpu_uncore *uncore = task->uncore;

    return uncore_close(&uncore->access.port, &uncore->programmed, &uncore->start, raw);
}
