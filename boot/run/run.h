/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares and measures a run. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_RUN_H
#define BARECOUNT_BOOT_RUN_RUN_H

#include "boot/plan/run.h"

/*
 * Reads the plan at run->request->plan_path and works out what it means on this machine. Errors
 * are stored in run->plan.
 */
void run_prepare(struct run *run);

/* If the run cannot start, prints the reason and returns false. */
bool run_measure(struct progress *p, const struct run *run);

#endif
