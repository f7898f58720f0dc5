/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * If the plan asks for uncore events, the first measured CPU of each package counts them. Boot CPU
 * only.
 */
#ifndef BARECOUNT_BOOT_RUN_UNCORE_H
#define BARECOUNT_BOOT_RUN_UNCORE_H

#include "boot/run/measured_cpu.h"

/* Call this at the start of a run. Forgets which CPUs counted for the packages. */
void run_uncore_start(struct machine *machine);

/* The uncore of the boot CPU's package, for lists and estimates; null: not available. */
const struct uncore *run_uncore_peek(struct machine *machine);

/*
 * The uncore that a CPU counts for its package; null: another CPU counts it, or this CPU cannot.
 * Gives up a CPU that does not answer.
 */
struct cpu_uncore *run_uncore_find(const struct run *run, struct measured_cpu *cpu);

/*
 * Tests the uncore counters that the CPU's passes use, appends RECORD_UNCORE and notes errors. Call
 * this after RECORD_EVENTS and RECORD_SCHEDULE.
 */
void run_uncore_test(struct progress *p, struct measured_cpu *cpu);

#endif
