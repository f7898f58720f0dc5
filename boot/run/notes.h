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
 * Notes "CPU 3", `what`, ": " and the status. If the firmware refused to start the CPU, adds the
 * name of the firmware's error.
 */
void note_cpu(struct store *store, unsigned cpu, const char *what, enum status status);

/*
 * Notes a register that raises #GP although CPUID promises it, and registers whose contents are
 * doubtful.
 */
void note_registers(struct store *store, const struct cpu_record *cpu);

/*
 * Notes a counter test that did not finish, counters and MSRs that were promised but do not exist,
 * and in one line the first counter that failed the test and the number of further failures.
 */
void note_tests(struct store *store, const struct counter_tests *tests);

/*
 * Notes how many uncore counters of a package were left running, and the package's failed tests and
 * errors.
 */
void note_uncore(struct store *store, const struct uncore_record *uncore);

/* Notes a register of the PMU that a task could not restore, unless `error` has STATUS_OK. */
void note_not_restored(struct store *store, unsigned cpu, const struct pmu_error *error,
                       const char *when);

/*
 * Notes registers outside the cores that were not restored. Also notes registers that refused an
 * access, unless the same registers did so for the previous kernel. *refused is the sum of the
 * addresses of the last registers that refused an access, or 0. Call this after each kernel.
 */
void note_uncore_errors(struct store *store, const struct result *result, const char *name,
                        uint64_t *refused);
void note_uncore_kept(struct store *store, unsigned cpu, const struct uncore_error *error,
                      const char *when);

/* Notes the error of a machine check that ends the run. `when` names a kernel or another task. */
void note_machine_check(struct store *store, unsigned cpu, const char *when,
                        const struct machine_check *check);

#endif
