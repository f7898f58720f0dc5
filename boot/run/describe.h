/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU before anything is measured on it: what it says of itself, and the test of its counters. */
#ifndef BARECOUNT_BOOT_RUN_DESCRIBE_H
#define BARECOUNT_BOOT_RUN_DESCRIBE_H

#include "boot/cpu/space.h"
#include "boot/plan/machine.h"
#include "pmu/journal/record.h"

/*
 * Fills in the record of CPU `number`. STATUS_OK, or why it could not be asked, as in the record.
 * Boot CPU only.
 */
enum status describe_cpu(const struct machine *machine, unsigned number, struct cpu_record *record);

/*
 * Tests the CPU's counters, in its space; those that do not exist go out of its record.
 * tests->status: STATUS_OK; STATUS_NO_COUNTER, there was nothing to be tested, or no space; or why
 * it did not come to its end, and the CPU's registers may be ours still (STATUS_TIMEOUT). Boot CPU
 * only.
 */
void describe_counters(const struct machine *machine, struct cpu_space *space,
                       struct cpu_record *record, struct counter_tests *tests);

#endif
