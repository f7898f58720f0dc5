/* SPDX-License-Identifier: BSD-2-Clause */
/* A run prepared and measured. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_RUN_H
#define BARECOUNT_BOOT_RUN_RUN_H

#include "boot/plan/run.h"

/*
 * Reads the plan at run->request->plan_path and works out what it means here. Errors stay in
 * run->plan. run_read(): the plan and its kernels alone, whatever machine it is for.
 */
void run_prepare(struct run *run);
void run_read(struct run *run);

/* Measures. False, after saying why, when it could not even begin. */
bool run_measure(struct progress *p, const struct run *run);

#endif
