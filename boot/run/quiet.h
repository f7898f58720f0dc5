/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rest of the machine while one CPU measures: where the other CPUs wait, the firmware's timer,
 * devices that use the bus. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_RUN_QUIET_H
#define BARECOUNT_BOOT_RUN_QUIET_H

#include "boot/plan/run.h"

/* What struct run_record says of the timer and of parked CPUs. */
void quiet_put(const struct run *run, struct run_record *record);

/* Starts a run: says which devices will be switched off, and what cannot be done. */
void quiet_start(struct progress *p);

/*
 * Parks the CPUs that do not measure, and wakes `number`, which is next. In parallel all that the
 * plan names stay awake. A start may never come back from the firmware, so none is risked without
 * need: park=auto parks CPUs of the plan and their siblings only, and nobody one that was given up.
 */
void quiet_park(struct progress *p, unsigned number);

/* Wakes all CPUs that the plan names: from now on they stay awake. */
void quiet_wake_all(struct progress *p);

/* What parking takes in a run, and the guard, at the most. */
uint64_t quiet_us(const struct run *run);

/* What the threads beside a CPU do meanwhile, into its flags; and the remark that it deserves. */
void quiet_describe(const struct run *run, struct cpu_record *cpu);
void quiet_note(const struct run *run, const struct cpu_record *cpu);

/* At the end of a CPU: interrupts that were kept back while it measured. */
void quiet_note_pending(const struct run *run, const struct cpu_record *cpu);

/* Around a task that measures; nothing may be written in between, nor appended to the journal. */
void quiet_begin(struct progress *p);
void quiet_end(struct progress *p);

/* Behind it: devices that did not do as they were told. */
void quiet_note_devices(struct progress *p);

/* Ends a run: wakes all CPUs, and says what does not do again as it did before. */
void quiet_stop(struct progress *p);

#endif
