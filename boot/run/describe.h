/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a CPU and tests its counters before anything is measured on it. */
#ifndef BARECOUNT_BOOT_RUN_DESCRIBE_H
#define BARECOUNT_BOOT_RUN_DESCRIBE_H

#include "boot/cpu/space.h"
#include "boot/plan/machine.h"
#include "pmu/files/machine_file.h"
#include "pmu/journal/record.h"

/*
 * Fills in the record of CPU `number`, and `answers` unless it is null. Returns STATUS_OK, or why
 * the CPU did not answer; record->status is set to the same status. Boot CPU only.
 */
enum status describe_cpu(const struct machine *machine, unsigned number, struct cpu_record *record,
                         struct machine_cpu *answers);

/*
 * Tests the CPU's counters. A counter that does not exist is removed from the CPU's record.
 * tests->status is STATUS_NO_COUNTER if nothing was tested. After STATUS_TIMEOUT, the CPU's
 * registers may not have been restored. Boot CPU only.
 */
void describe_counters(const struct machine *machine, struct cpu_space *space,
                       struct cpu_record *record, struct counter_tests *tests);

#endif
