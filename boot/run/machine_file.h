/* SPDX-License-Identifier: BSD-2-Clause */
/* Records machine.txt in the journal, if the plan asks for it. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_MACHINE_FILE_H
#define BARECOUNT_BOOT_RUN_MACHINE_FILE_H

#include "boot/plan/run.h"
#include "pmu/files/machine_file.h"

/* Call this after records_start(). Records what the firmware says about the machine. */
void run_machine_file_start(const struct run *run);

/*
 * Memory for the answers of the next CPU and of its package. Null if machine.txt is not wanted, or
 * if there is no memory.
 */
struct machine_cpu *run_machine_answers(void);
struct machine_reads *run_machine_uncore(void);

/* Record what CPU `number` has answered. */
void run_machine_file_cpu(const struct run *run, unsigned number);
void run_machine_file_uncore(const struct run *run, unsigned number);

#endif
