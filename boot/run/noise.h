/* SPDX-License-Identifier: BSD-2-Clause */
/* The certificates of noise of a run's CPUs. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_NOISE_H
#define BARECOUNT_BOOT_RUN_NOISE_H

#include "boot/run/measured_cpu.h"

/*
 * Watches a CPU before or after its kernels, as long as the plan says; keeps the certificate in
 * cpu->noise, appends it to the journal, and says what went wrong. Does nothing with noise_ms=0. A
 * CPU that does not answer any more is not asked, nor is any when the user has ended the run: the
 * certificate says so.
 */
void run_noise(struct progress *p, struct measured_cpu *cpu, enum noise_when when);

/* What all of a run's certificates take, without what disturbs them. */
uint64_t run_noise_us(const struct run *run);

#endif
