/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures the noise of a run's CPUs. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_NOISE_H
#define BARECOUNT_BOOT_RUN_NOISE_H

#include "boot/run/measured_cpu.h"

/*
 * Measures a CPU's noise before or after its kernels, for as long as the plan says. Stores the
 * certificate in cpu->noise and the journal, and reports errors. Does nothing if noise_ms=0. Does
 * not measure a CPU that no longer answers, nor any CPU after the run has been ended; the
 * certificate then gives the reason.
 */
void run_noise(struct progress *p, struct measured_cpu *cpu, enum noise_when when);

/* How long all noise measurements of a run take if nothing disturbs them. */
uint64_t run_noise_us(const struct run *run);

#endif
