/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels on several CPUs at the same time, each in its own child. */
#ifndef BARECOUNT_LINUX_TOGETHER_H
#define BARECOUNT_LINUX_TOGETHER_H

#include "scripts/linux/run.h"

/* Allocates the barrier and the tasks; call it after all CPUs have started. False: no memory. */
bool together_start(const struct linux_run *run);

/* Runs a kernel that needs only one CPU, on all CPUs at once. */
void together_run(struct linux_run *run, unsigned index);

/*
 * Runs a kernel with a second role (docs/internals/kernels.md). A KERNEL_PAIR kernel runs on each
 * pair of CPUs. A KERNEL_CROWD kernel runs on all CPUs at once, with each CPU in turn in the first
 * role.
 */
void together_run_shared(struct linux_run *run, unsigned index);

#endif
