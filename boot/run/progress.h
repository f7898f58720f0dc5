/* SPDX-License-Identifier: BSD-2-Clause */
/* A run as it goes on. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_PROGRESS_H
#define BARECOUNT_BOOT_RUN_PROGRESS_H

#include "boot/plan/run.h"

/*
 * Takes what was appended to the journal into the view; reports the results among it. On the stick
 * it is with the next store_sync(): before a kernel runs, and at a CPU's end.
 */
void progress_catch_up(struct progress *p);

/* Reports a CPU that was described, and one that is done with its kernels. */
void progress_cpu_start(struct progress *p);
void progress_cpu_end(struct progress *p, unsigned cpu, const struct noise noise[2]);

#endif
