/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guard is an idle CPU that stays awake while the boot CPU measures, to end a kernel that hangs
 * on the boot CPU. The boot CPU itself watches all other CPUs while it waits for them. Boot CPU
 * only.
 */
#ifndef BARECOUNT_BOOT_RUN_GUARD_H
#define BARECOUNT_BOOT_RUN_GUARD_H

#include "boot/plan/run.h"

#define GUARD_TOGETHER 0xffffffffu
#define GUARD_NOBODY   0xffffffffu

/*
 * Places the guard, or removes it, for a measurement on CPU `number` alone or on all of the plan's
 * CPUs together (GUARD_TOGETHER). The guard must not share a core with the boot CPU, must not have
 * failed before, and must not measure at the same time. There is no guard if no CPU meets these
 * conditions, if the boot CPU does not measure, if the firmware runs one CPU at a time, or if
 * parking is avoided (skipped_parking()).
 */
void guard_place(struct progress *p, unsigned number);

/* Microseconds that a run may spend on starting and waking its guard; 0: it has no guard. */
uint64_t guard_us(const struct run *run);

/*
 * Whether a counter of the boot CPU must be reserved to end a kernel that hangs
 * (pmu/counters/spare.h), because the boot CPU has no guard in some part of the run although one of
 * its kernels may never return.
 */
bool guard_wants_counter(const struct run *run);

/*
 * Sets which CPUs are watched until guard_rest(); the array must stay valid until then. Call this
 * before tasks that measure.
 */
void guard_watch(struct progress *p, struct watched *watched, unsigned count);
void guard_rest(struct progress *p);

/*
 * Wakes a CPU that is parked or is the guard, and waits for it. If the CPU does not return, reports
 * that once.
 */
void idle_wake(struct progress *p, unsigned number);

/* Whether two CPUs are threads of one core. */
bool idle_share_core(const struct run *run, unsigned cpu, unsigned other);

#endif
