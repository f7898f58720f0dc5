/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a run's records other than measurements. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_RECORDS_H
#define BARECOUNT_BOOT_RUN_RECORDS_H

#include "boot/plan/run.h"

/* Appends the records that come before those of the first CPU. */
void records_start(const struct run *run);

/*
 * Records which kernel is about to run. With `flush`, writes the journal to the stick, so that the
 * next boot can name the kernel after a hang. The journal must already contain the CPU's record.
 * `partner` is the second CPU of a pair, or CPU_NONE.
 */
void records_next(const struct run *run, uint32_t cpu, uint32_t kernel, uint32_t partner,
                  bool flush);

/* Appends the last record unless results were lost; a run without it counts as cut off. */
void records_end(const struct progress *p);

#endif
