/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that do not measure: who may be woken, and who is not asked any more. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_IDLE_H
#define BARECOUNT_BOOT_RUN_IDLE_H

#include "boot/plan/run.h"

/* A run begins: a CPU that does not come back is told of once in it. */
void idle_start(void);

/* A CPU did not answer: it is not parked any more as long as the program runs. */
void idle_give_up(unsigned number);

bool idle_has_given_up(unsigned number);

/* Wakes a CPU that is parked or watches, and waits for it; says when it does not come back. */
void idle_wake(const struct run *run, unsigned number);

/* Whether two CPUs are threads of one core. */
bool idle_share_core(const struct run *run, unsigned cpu, unsigned other);

#endif
