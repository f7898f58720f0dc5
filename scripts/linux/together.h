/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels on several CPUs at the same time, each in its own child. */
#ifndef BARECOUNT_LINUX_TOGETHER_H
#define BARECOUNT_LINUX_TOGETHER_H

#include "scripts/linux/run.h"

/* Allocates memory for this; call it once all CPUs have started. False if there is no memory. */
bool together_start(const struct linux_run *run);

/* Runs a kernel on all CPUs, independently of each other. */
void together_run(struct linux_run *run, unsigned index);

/* Runs a kernel with roles: on all pairs of CPUs, or for each CPU in turn with all others. */
void together_run_shared(struct linux_run *run, unsigned index);

#endif
