/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_BOOT_RUN_TOGETHER_H
#define BARECOUNT_BOOT_RUN_TOGETHER_H

#include "boot/run/measured_cpu.h"

/*
 * A run on CPUs that stay to its end: with mode=parallel each of the plan's kernels starts on all
 * of them together, else a CPU's kernels come behind its start. Kernels with roles for several CPUs
 * (run_is_shared()) come last. Each CPU is described, tested and calibrated alone before. Without
 * the memory for it all kernels are lost, and that is said.
 */
void run_together(struct progress *p);

#endif
