/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that several CPUs run at the same time, each in a child of its own. */
#ifndef BARECOUNT_LINUX_TOGETHER_H
#define BARECOUNT_LINUX_TOGETHER_H

#include "scripts/linux/run.h"

/* Takes the memory for it, behind the start of all CPUs. False: there is none. */
bool together_start(const struct linux_run *run);

/* A kernel on all CPUs, each for itself. */
void together_run(struct linux_run *run, unsigned index);

/* A kernel with a second role: all pairs of CPUs, or each CPU in turn with all others. */
void together_run_shared(struct linux_run *run, unsigned index);

#endif
