/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guard is an idle CPU that watches the boot CPU, to end a kernel that hangs there. Boot CPU
 * only.
 */
#ifndef BARECOUNT_BOOT_RUN_GUARD_H
#define BARECOUNT_BOOT_RUN_GUARD_H

#include "boot/plan/run.h"

#define GUARD_TOGETHER 0xffffffffu
#define GUARD_NOBODY   0xffffffffu

/*
 * Places or removes the guard for a measurement on CPU `number`, or on all of the plan's CPUs
 * (GUARD_TOGETHER). There is no guard if no idle CPU of another core can be used.
 */
void guard_place(struct progress *p, unsigned number);

/* Microseconds for starting and waking the guard; 0: no guard. */
uint64_t guard_us(const struct run *run);

/*
 * Whether the boot CPU must reserve a counter to end a kernel that hangs (pmu/counters/spare.h),
 * because it has no guard.
 */
bool guard_wants_counter(const struct run *run);

/* Sets which CPUs are watched until guard_rest(); the array must stay valid until then. */
void guard_watch(struct progress *p, struct watched *watched, unsigned count);
void guard_rest(struct progress *p);

/* Wakes a parked CPU or the guard. Reports a CPU that does not return, once for each CPU. */
void idle_wake(struct progress *p, unsigned number);

/* Whether two CPUs are threads of one core. */
bool idle_share_core(const struct run *run, unsigned cpu, unsigned other);

#endif
