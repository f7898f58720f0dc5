/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests a CPU's counters on that CPU. */
#include "boot/measure/measure.h"
#include "boot/cpu/traps.h"
#include "boot/cpu/window.h"
#include "pmu/cpu/msr.h"
#include "pmu/uncore/words.h"

/* Iterations that take several ticks even of a slow reference clock (a crystal of 24 MHz). */
#define SPIN_N 1024u

static bool run_window(void *context, uint32_t open_msr, uint64_t open_value, bool spin)
{
    const struct test_task *task = context;
    struct window window = {.entry = spin ? window_spin : window_empty, .n = SPIN_N};

    if (task->tests->status == STATUS_MACHINE_CHECK)
        return false;
    space_choose_window(task->space, open_msr, open_value);
    if (space_prepare(task->space, &window) == WINDOW_DONE &&
        space_window(task->space, &window) == WINDOW_DONE)
        return true;
    if (task->context->vector == TRAP_MC) {
        task->tests->status = STATUS_MACHINE_CHECK;
        measure_look_at_banks(task->context);
    }
    return false;
}

static void wait_ticks(uint64_t ticks)
{
    const uint64_t start = cpu_tsc();

    while (cpu_tsc() - start < ticks)
        cpu_pause();
}

static void wait_us(void *context)
{
    const struct test_task *task = context;

    wait_ticks(task->ticks_per_us);
}

static uint32_t disturbances(void *context)
{
    const struct test_task *task = context;
    uint64_t smis = 0;

    if (task->cpu->flags & CPU_HAS_SMI_COUNT)
        msr_read(MSR_SMI_COUNT, &smis);
    return (uint32_t)smis + task->context->nmis + task->context->machine_checks;
}

void check_counters(void *argument)
{
    struct test_task *task = argument;
    const struct cpu_caps before = *task->caps;
    const struct counter_port port = {
        .msrs = &CPU_MSRS,
        .context = task,
        .window = run_window,
        .wait = wait_us,
        .disturbances = disturbances,
        .instructions = (uint64_t)window_cost[DECLARED_INSTRUCTIONS],
    };
    const struct kernel_use use = {.code = window_empty,
                                   .code_bytes = (uint64_t)(window_kernels_end - window_empty)};
    const struct space_kernel kernel = {.use = &use};
    struct pmu_found now;

    cpu_enter(task->context, &before);
    task->tests->status = pmu_take(&CPU_MSRS, &before, &now).status;
    if (task->tests->status == STATUS_OK)
        task->tests->status = space_load(task->space, task->context, &kernel);
    if (task->tests->status == STATUS_OK)
        counter_check(&port, task->caps, task->cpu->perf_capabilities & PERF_CAP_FULL_WIDTH,
                      task->tests);
    if (task->tests->status == STATUS_MACHINE_CHECK)
        task->tests->counters = 0; /* the machine check may have affected all tests */
    space_unload(task->space);
    pmu_give_back(&CPU_MSRS, &before, &task->cpu->found);
    cpu_leave(task->context, &before);
}

static void delay(void *context, unsigned us)
{
    const struct uncore_task *task = context;

    wait_ticks(us * task->ticks_per_us);
}

void find_uncore(void *argument)
{
    struct uncore_task *task = argument;
    struct cpu_uncore *uncore = task->uncore;
    struct machine_uncore noted;

    cpu_enter(task->context, task->caps);
    uncore_access_look(&uncore->access, task->caps);
    if (task->reads) {
        machine_uncore_start(&noted, &uncore->access.port, task->reads);
        uncore_find(&noted.port, task->caps, &uncore->found);
    } else {
        uncore_find(&uncore->access.port, task->caps, &uncore->found);
    }
    cpu_leave(task->context, task->caps);
}

void check_uncore(void *argument)
{
    struct uncore_task *task = argument;
    struct cpu_uncore *uncore = task->uncore;
    struct uncore_record *record = task->record;
    struct uncore_error take_error, restore_error;

    cpu_enter(task->context, task->caps);
    take_error = cpu_uncore_take(uncore);
    record->left_running += uncore->held.left_running;
    uncore->kinds &= ~uncore->held.failed;
    uncore_check(&uncore->access.port, &uncore->found, uncore->kinds, delay, task, record);
    restore_error = cpu_uncore_give_back(uncore);
    if (task->restore_error.status == STATUS_OK)
        task->restore_error = take_error.status == STATUS_OK ? restore_error : take_error;
    for (unsigned i = 0; i < record->groups; i++) {
        if (uncore->held.error[i].status != STATUS_OK)
            record->error[i] = uncore->held.error[i];
        if (uncore_group_fails(&record->group[i]))
            uncore->faulty |= 1u << record->group[i].kind;
    }
    cpu_leave(task->context, task->caps);
}
