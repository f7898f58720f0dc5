/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels, one after the other, on a single CPU. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_ALONE_H
#define BARECOUNT_BOOT_RUN_ALONE_H

#include "boot/run/measured_cpu.h"

/*
 * Returns the task for a kernel of the plan. Of the fields that depend on the CPU, only the buffer
 * is set.
 */
struct measure_task alone_task(const struct run *run, unsigned index, char *buffer);

/*
 * Runs all kernels that the CPU runs alone. `started_us` is machine_us() when measured_cpu_start()
 * was called for the CPU.
 */
void alone_measure(struct progress *p, struct measured_cpu *cpu, uint64_t started_us);

/*
 * Looks for keys. Call this after each kernel and after each start of a CPU, with the microseconds
 * that the kernel or the start took. False if a key or a machine check has ended the run.
 */
bool alone_go_on(struct progress *p, uint64_t elapsed_us);

#endif
