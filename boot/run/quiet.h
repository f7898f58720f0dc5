/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rest of the machine while a CPU measures: other CPUs, the firmware's timer, bus-mastering
 * devices. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_RUN_QUIET_H
#define BARECOUNT_BOOT_RUN_QUIET_H

#include "boot/plan/run.h"

/* Fills in the timer and parking fields of struct run_record. */
void quiet_put(const struct run *run, struct run_record *record);

/*
 * Prepares the rest of the machine for a run. Notes for which devices bus mastering will be
 * switched off, and which of the plan's settings cannot be met.
 */
void quiet_start(struct progress *p);

/*
 * Parks the CPUs that do not measure while CPU `number` measures, and places the guard. If CPU
 * `number` is parked, it stays parked. With mode=parallel all CPUs of the plan stay awake. Firmware
 * may hang when it starts a CPU; therefore park=auto parks only the plan's CPUs and their siblings.
 * A CPU that was given up is never parked.
 */
void quiet_park(struct progress *p, unsigned number);

/*
 * If CPUs are parked in MWAIT and mode=parallel is not set, parks all of the plan's CPUs except the
 * boot CPU, because a parked CPU runs a task at once. Call this before kernels that run on several
 * CPUs.
 */
void quiet_gather(struct progress *p);

/*
 * Keeps one parked CPU awake in each package that would otherwise sleep. Call this before a pair
 * measures.
 */
void quiet_pair(struct progress *p, unsigned first, unsigned second);

/* Whether the plan's CPUs are parked while others measure. */
bool quiet_parks(const struct run *run);

/* An upper bound for the time that a run spends on parking and on the guard, in microseconds. */
uint64_t quiet_us(const struct run *run);

/*
 * quiet_describe() records in a CPU's flags what its siblings do while it measures; quiet_note()
 * notes a remark that follows from these flags.
 */
void quiet_describe(const struct run *run, struct cpu_record *cpu);
void quiet_note(const struct run *run, const struct cpu_record *cpu);

/* Notes interrupts that were pending while the CPU measured. Call this after its last task. */
void quiet_note_pending(const struct run *run, const struct cpu_record *cpu);

/*
 * If the plan says bus_masters=off, switch bus mastering off and on again. Call these functions
 * before and after a task that measures. Between the two calls, nothing may be written to a medium
 * or appended to the journal.
 */
void quiet_begin(struct progress *p);
void quiet_end(struct progress *p);

/* Notes devices whose bus mastering could not be switched off or on. Call after quiet_end(). */
void quiet_note_devices(struct progress *p);

/* Ends a run: wakes all CPUs, and notes what could not be restored. */
void quiet_stop(struct progress *p);

#endif
