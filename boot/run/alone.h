/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs kernels, one after the other, on a single CPU. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_ALONE_H
#define BARECOUNT_BOOT_RUN_ALONE_H

#include "boot/run/measured_cpu.h"

/* The task of a kernel. Of the fields that depend on the CPU, only the buffer is set. */
struct measure_task alone_task(const struct run *run, unsigned index, char *buffer);

/* `started_us` is machine_us() when measured_cpu_start() was called. */
void alone_measure(struct progress *p, struct measured_cpu *cpu, uint64_t started_us);

/*
 * Call this after each kernel and each start of a CPU, with the time that the kernel or the start
 * took; 0 if the firmware polled keys all the while. False: the run ends.
 */
bool alone_go_on(struct progress *p, uint64_t elapsed_us);

#endif
