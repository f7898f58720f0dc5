/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_RUN_TOGETHER_H
#define BARECOUNT_BOOT_RUN_TOGETHER_H

#include "boot/cpu_run.h"

/*
 * The plan's kernels on all its CPUs at the same time: each kernel starts on all of them together.
 * Each CPU is described, tested and calibrated alone before. `task_of` makes a kernel's task;
 * `go_on` is asked behind the start of each CPU and behind each kernel, with the microseconds that
 * it took. Without the memory for it all kernels are lost, and that is said.
 */
void run_together(struct progress *p,
                  struct measure_task (*task_of)(const struct run *run, unsigned index,
                                                 char *buffer),
                  bool (*go_on)(struct run *run, uint64_t elapsed_us));

#endif
