/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's records that are not measurements. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RECORDS_H
#define BARECOUNT_BOOT_RECORDS_H

#include "boot/run.h"

/* Appends what comes before all CPUs: the run, its plan, its kernels, and what is not put back. */
void records_start(struct run *run);

/* Appends the last record, unless results were lost: without it a run counts as cut off. */
void records_end(struct run *run);

#endif
