/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that a CPU runs alone, one after the other. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_ALONE_H
#define BARECOUNT_BOOT_RUN_ALONE_H

#include "boot/run/measured_cpu.h"

/* A kernel's task, but for what a CPU adds. */
struct measure_task alone_task(const struct run *run, unsigned index, char *buffer);

/* All kernels that the CPU runs alone, after its start at `started_us`. */
void alone_measure(struct progress *p, struct measured_cpu *cpu, uint64_t started_us);

/*
 * Asked after a kernel, or the start of a CPU, with the microseconds that it took. False: the user
 * ends the run.
 */
bool alone_go_on(struct progress *p, uint64_t elapsed_us);

#endif
