/* SPDX-License-Identifier: BSD-2-Clause */
/* Records machine.txt in the journal, if the plan asks for it. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_MACHINE_FILE_H
#define BARECOUNT_BOOT_RUN_MACHINE_FILE_H

#include "boot/plan/run.h"
#include "pmu/files/machine_file.h"

/*
 * Records what the firmware says about the machine. Call this after records_start(). If there is no
 * memory for the CPUs' answers, records nothing but a note that says so.
 */
void run_machine_file_start(const struct run *run);

/*
 * Return the memory for what the next CPU reports when it is described, and when its package's
 * counters are looked for; null: not wanted, or no memory.
 */
struct machine_cpu *run_machine_answers(void);
struct machine_reads *run_machine_uncore(void);

/* Record what CPU `number` has answered. */
void run_machine_file_cpu(const struct run *run, unsigned number);
void run_machine_file_uncore(const struct run *run, unsigned number);

#endif
