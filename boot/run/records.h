/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's records that are not measurements. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_RECORDS_H
#define BARECOUNT_BOOT_RUN_RECORDS_H

#include "boot/plan/run.h"

/* Appends what comes before all CPUs: the run, its plan, its kernels, and what is not put back. */
void records_start(const struct run *run);

/*
 * Journals what is about to run, and flushes it: should the machine stop there, the next boot knows
 * in what. It takes the results of what ran before along, so that there is one flush for a kernel.
 * The CPU was described before. partner: CPU_NONE, or the CPU of the second role.
 */
void records_next(const struct run *run, uint32_t cpu, uint32_t kernel, uint32_t partner);

/* Appends the last record, unless results were lost: without it a run counts as cut off. */
void records_end(const struct progress *p);

#endif
