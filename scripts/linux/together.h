/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels on several CPUs at the same time, each in its own child. */
#ifndef BARECOUNT_LINUX_TOGETHER_H
#define BARECOUNT_LINUX_TOGETHER_H

#include "scripts/linux/run.h"

/* Allocates memory for these functions after all CPUs have started. False if there is none. */
bool together_start(const struct linux_run *run);

/* Runs a kernel without roles on all CPUs at once. */
void together_run(struct linux_run *run, unsigned index);

/*
 * Runs a kernel with roles. If it is for pairs, runs it on each pair of CPUs; otherwise runs it on
 * all CPUs at once, once for each CPU in the first role.
 */
void together_run_shared(struct linux_run *run, unsigned index);

#endif
