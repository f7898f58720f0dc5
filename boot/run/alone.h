/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels, one after the other, on a single CPU. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_ALONE_H
#define BARECOUNT_BOOT_RUN_ALONE_H

#include "boot/run/measured_cpu.h"

/* A kernel's task, in which everything that is specific to a CPU is still missing. */
struct measure_task alone_task(const struct run *run, unsigned index, char *buffer);

/* Runs all kernels that the CPU runs alone. `started_us` is when the CPU's start began. */
void alone_measure(struct progress *p, struct measured_cpu *cpu, uint64_t started_us);

/*
 * Looks for keys. Call this after each kernel and after each start of a CPU, with the microseconds
 * that the kernel or the start took. False if the user has ended the run.
 */
bool alone_go_on(struct progress *p, uint64_t elapsed_us);

#endif
