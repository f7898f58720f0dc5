/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress of a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_PROGRESS_H
#define BARECOUNT_BOOT_RUN_PROGRESS_H

#include "boot/plan/run.h"

/* Reads new records of the journal into the view and reports their results. */
void progress_catch_up(struct progress *p);

/* Report a CPU before and after its kernels. */
void progress_cpu_start(struct progress *p);
void progress_cpu_end(struct progress *p, unsigned cpu, const struct noise noise[2]);

#endif
