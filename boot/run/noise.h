/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures the noise of a run's CPUs. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_NOISE_H
#define BARECOUNT_BOOT_RUN_NOISE_H

#include "boot/run/measured_cpu.h"

/*
 * Measures a CPU's noise before or after its kernels, unless noise_ms=0. Stores the certificate in
 * cpu->noise and the journal; if the CPU was not measured, the certificate gives the reason.
 */
void run_noise(struct progress *p, struct measured_cpu *cpu, enum noise_when when);

/* How long a run's noise measurements take if nothing disturbs them. */
uint64_t run_noise_us(const struct run *run);

#endif
