/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs that do not measure, and the guard: one of them, kept awake while the boot CPU measures.
 * Nobody else could end a kernel that hangs there; the other CPUs' are watched by the boot CPU,
 * which waits for them. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_RUN_GUARD_H
#define BARECOUNT_BOOT_RUN_GUARD_H

#include "boot/plan/run.h"

#define GUARD_TOGETHER 0xffffffffu
#define GUARD_NOBODY   0xffffffffu

/*
 * Places the guard, or calls it back, for the measurement of CPU `number` alone, or of all the
 * plan's together (GUARD_TOGETHER). It shares no core with the boot CPU, and did not fail before;
 * without such a CPU there is none.
 */
void guard_place(struct progress *p, unsigned number);

/* What starting it and calling it back take in a run. */
uint64_t guard_us(const struct run *run);

/*
 * Whether there is none for the boot CPU in a part of the run, and a kernel that nobody has proved
 * to return: then a counter of the boot CPU is kept for it (pmu/counters/spare.h).
 */
bool guard_wants_counter(const struct run *run);

/*
 * Before tasks that measure: who is to be watched until guard_rest(), and how long the tasks take
 * at the most. The array must stay until then. When nobody can end what hangs on the boot CPU, the
 * firmware's watchdog is to reset the machine.
 */
void guard_watch(struct progress *p, struct watched *watched, unsigned count, uint64_t bound_us);
void guard_rest(struct progress *p);

/* Wakes a CPU that is parked or watches, and waits for it; says once when it does not come back. */
void idle_wake(struct progress *p, unsigned number);

/* Whether two CPUs are threads of one core. */
bool idle_share_core(const struct run *run, unsigned cpu, unsigned other);

#endif
