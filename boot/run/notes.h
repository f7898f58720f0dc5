/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes on a CPU, before and while it is measured. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_NOTES_H
#define BARECOUNT_BOOT_RUN_NOTES_H

#include "boot/cpu/cpu.h"
#include "boot/efi/cpus.h"
#include "boot/store/store.h"

/* Whether the CPU failed to answer. */
static inline bool is_silent(enum status status)
{
    return status == STATUS_TIMEOUT || status == STATUS_START_FAILED;
}

/*
 * Notes, for instance, "CPU 3 could not be parked: ...". The note consists of the CPU, `what`, the
 * status and, if the firmware refused to start the CPU, the firmware's error.
 */
void note_cpu(struct store *store, unsigned cpu, const char *what, enum status status);

/* Notes registers that raise #GP although CPUID promises them, or whose contents are doubtful. */
void note_registers(struct store *store, const struct cpu_record *cpu);

/* Notes an unfinished test, missing counters and MSRs, and the first counter that failed. */
void note_tests(struct store *store, const struct counter_tests *tests);

/* Notes a package's counters that were left running, its failed tests and its errors. */
void note_uncore(struct store *store, const struct uncore_record *uncore);

/* Notes a register that could not be restored, unless `error` has STATUS_OK. */
void note_not_restored(struct store *store, unsigned cpu, const struct pmu_error *error,
                       const char *when);

/*
 * Notes uncore registers that were not restored. Registers whose access failed are noted too,
 * unless the same registers failed for the previous kernel. *refused is the sum of the addresses
 * that failed for the previous kernel; 0: none failed. Call this after each kernel.
 */
void note_uncore_errors(struct store *store, const struct result *result, const char *name,
                        uint64_t *refused);
void note_uncore_kept(struct store *store, unsigned cpu, const struct uncore_error *error,
                      const char *when);

/* Notes a machine check. `when` names a kernel or another task. */
void note_machine_check(struct store *store, unsigned cpu, const char *when,
                        const struct machine_check *check);

#endif
