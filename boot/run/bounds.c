/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits the time of a CPU's tasks, and decides when a CPU is given up. */
#include "boot/efi/park.h"
#include "boot/run/measured_cpu.h"

#define KERNEL_BOUND_US     5000000u
#define BOUND_US_PER_WINDOW 1000u /* far more than a slow window takes */
#define US_PER_MS           1000ull

uint64_t measured_cpu_window_us(const struct plan *plan, const struct measure_task *task)
{
    return plan_window_us(plan, task->kernel.use->n, task->kernel.use->buffer_bytes);
}

/*
 * If the plan's timeout exceeds the default, each window may take as long as the timeout. One
 * window may hang until an NMI ends it at window_bound_us, so the bound includes that time once
 * more.
 */
uint64_t measured_cpu_bound_us(const struct measured_cpu *cpu, const struct measure_task *task)
{
    const struct kernel_use *use = task->kernel.use;
    uint64_t windows = task->samples_max + 2ull * task->warmup * cpu->schedule->passes;
    uint64_t beside_us = task->window_bound_us - plan_explained_us(use->n, use->buffer_bytes);
    uint64_t each_us = beside_us > PLAN_TIMEOUT_MS * US_PER_MS ? beside_us : BOUND_US_PER_WINDOW;

    return KERNEL_BOUND_US + windows * (each_us + use->n * PLAN_BOUND_US_PER_N) +
           use->buffer_bytes / PLAN_CLEARED_BYTES_PER_US + task->window_bound_us;
}

bool measured_cpu_is_lost(const struct measured_cpu *cpu)
{
    return cpu->unanswered >= UNANSWERED_MAX || park_lost(cpu->cpu->cpu);
}

void measured_cpu_give_up(struct measured_cpu *cpu)
{
    cpu->unanswered = UNANSWERED_MAX;
}
