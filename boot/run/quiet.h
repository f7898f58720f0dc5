/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps other CPUs, the firmware's timer and bus-mastering devices quiet while a CPU measures. Boot
 * CPU only.
 */
#ifndef BARECOUNT_BOOT_RUN_QUIET_H
#define BARECOUNT_BOOT_RUN_QUIET_H

#include "boot/plan/run.h"

/* Fills in the timer and parking fields. */
void quiet_put(const struct run *run, struct run_record *record);

/* Prepares the machine for a run, and notes which of the plan's settings it cannot apply. */
void quiet_start(struct progress *p);

/*
 * Parks the idle CPUs while CPU `number` measures, and places the guard. With mode=parallel, the
 * plan's CPUs stay awake. park=auto parks only the plan's CPUs and their siblings, because firmware
 * may hang when it starts a CPU. A CPU that was given up is never parked.
 */
void quiet_park(struct progress *p, unsigned number);

/*
 * Before kernels that run on several CPUs, parks all idle CPUs except the boot CPU, because a
 * parked CPU starts a task immediately. With mode=parallel, the plan's CPUs stay awake.
 */
void quiet_gather(struct progress *p);

/*
 * Call this before a pair measures. Keeps one parked CPU awake in each package that would otherwise
 * sleep.
 */
void quiet_pair(struct progress *p, unsigned first, unsigned second);

/* Whether the plan's CPUs are parked while others measure. */
bool quiet_parks(const struct run *run);

/* An upper bound for the microseconds that parking and the guard take. */
uint64_t quiet_us(const struct run *run);

/* Record what a CPU's siblings do while it measures, and note a remark on this. */
void quiet_describe(const struct run *run, struct cpu_record *cpu);
void quiet_note(const struct run *run, const struct cpu_record *cpu);

/* Notes interrupts that were pending while the CPU measured. Call this after its last task. */
void quiet_note_pending(const struct run *run, const struct cpu_record *cpu);

/*
 * Switch bus mastering off and on around a task, if bus_masters=off. Between the two calls, nothing
 * may be written to a medium or appended to the journal.
 */
void quiet_begin(struct progress *p);
void quiet_end(struct progress *p);

/* Notes devices whose bus mastering could not be switched. Call this after quiet_end(). */
void quiet_note_devices(struct progress *p);

/* Wakes all CPUs, and notes what could not be restored. */
void quiet_stop(struct progress *p);

#endif
