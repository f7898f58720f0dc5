/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_PROGRESS_H
#define BARECOUNT_BOOT_RUN_PROGRESS_H

#include "boot/plan/run.h"

/*
 * Reads new records of the journal into the view and reports their results. The next store_sync()
 * writes the records to the stick.
 */
void progress_catch_up(struct progress *p);

/* Report a CPU that has been described, and a CPU that has finished its kernels. */
void progress_cpu_start(struct progress *p);
void progress_cpu_end(struct progress *p, unsigned cpu, const struct noise noise[2]);

#endif
