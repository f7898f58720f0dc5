/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that do not measure: who may be woken, and who is not asked any more. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_IDLE_H
#define BARECOUNT_BOOT_RUN_IDLE_H

#include "boot/plan/run.h"

/* Wakes a CPU that is parked or watches, and waits for it; says once when it does not come back. */
void idle_wake(struct progress *p, unsigned number);

/* Whether two CPUs are threads of one core. */
bool idle_share_core(const struct run *run, unsigned cpu, unsigned other);

#endif
