/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_RUN_TOGETHER_H
#define BARECOUNT_BOOT_RUN_TOGETHER_H

#include "boot/run/measured_cpu.h"

/* What boot/run/run.c knows how to do. */
struct run_calls {
    /* A kernel's task. */
    struct measure_task (*task_of)(const struct run *run, unsigned index, char *buffer);
    /* Asked behind each step, with the microseconds that it took. False: the user ends the run. */
    bool (*go_on)(struct run *run, uint64_t elapsed_us);
    /* All kernels that a CPU runs alone, behind its start. */
    void (*alone)(struct progress *p, struct measured_cpu *cpu, uint64_t started_us);
};

/*
 * A run on CPUs that stay to its end: with mode=parallel each of the plan's kernels starts on all
 * of them together, else a CPU's kernels come behind its start. Kernels with roles for several CPUs
 * (run_is_shared()) come last. Each CPU is described, tested and calibrated alone before. Without
 * the memory for it all kernels are lost, and that is said.
 */
void run_together(struct progress *p, const struct run_calls *calls);

#endif
