/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packages in a run: when the plan has events of theirs, the first CPU of each that is measured
 * counts for it. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_RUN_UNCORE_H
#define BARECOUNT_BOOT_RUN_UNCORE_H

#include "boot/run/measured_cpu.h"

/* A run begins: nobody counts for a package yet. */
void run_uncore_start(struct machine *machine);

/* What the boot CPU's package has, for lists and estimates; null: that cannot be found out. */
const struct uncore *run_uncore_peek(struct machine *machine);

/*
 * What a CPU that was described counts for its package, or null when another CPU does, or nobody. A
 * CPU that does not answer is given up.
 */
struct cpu_uncore *run_uncore_find(const struct run *run, struct measured_cpu *cpu);

/*
 * Behind its EVENTS and SCHEDULE in the journal: tests the counters that its passes have, appends
 * the PACKAGE record, and says what is not as it should be.
 */
void run_uncore_test(struct progress *p, struct measured_cpu *cpu);

#endif
