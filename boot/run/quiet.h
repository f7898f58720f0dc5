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

/* Starts a run: notes which devices will be switched off, and what is not possible. */
void quiet_start(struct progress *p);

/*
 * Parks the CPUs that do not measure while `number` does, which itself stays where it is; with
 * mode=parallel all CPUs of the plan stay awake. As firmware may hang when it starts a CPU, none is
 * started needlessly: park=auto parks only the plan's CPUs and their siblings, never one that was
 * given up.
 */
void quiet_park(struct progress *p, unsigned number);

/*
 * Before kernels on several CPUs: parks all of the plan's CPUs but the boot CPU, where they run
 * tasks at once.
 */
void quiet_gather(struct progress *p);

/* Before a pair measures: one parked CPU of each other package stays awake. */
void quiet_pair(struct progress *p, unsigned first, unsigned second);

/* Whether the plan's CPUs are parked while others measure. */
bool quiet_parks(const struct run *run);

/* An upper bound for the time of parking and the guard in a run. */
uint64_t quiet_us(const struct run *run);

/* Records in a CPU's flags what its siblings do while it measures; writes a matching remark. */
void quiet_describe(const struct run *run, struct cpu_record *cpu);
void quiet_note(const struct run *run, const struct cpu_record *cpu);

/* At a CPU's end: notes interrupts that were pending while it measured. */
void quiet_note_pending(const struct run *run, const struct cpu_record *cpu);

/* Called around a task that measures; in between, nothing may be written or appended. */
void quiet_begin(struct progress *p);
void quiet_end(struct progress *p);

/* After quiet_end(): notes devices that did not switch off or on. */
void quiet_note_devices(struct progress *p);

/* Ends a run: wakes all CPUs, and notes what could not be restored. */
void quiet_stop(struct progress *p);

#endif
