/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels and phases in which the machine stopped (\barecount\skipped.csv). A kernel from the stick
 * or of raw code is left out after one stop. A built-in kernel is left out after two, because a
 * power cut is the likelier cause of a single stop. docs/internals/hangs.md says what replaces a
 * phase that is left out. If a volume fails during a run, its journal also ends as if the machine
 * had stopped. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_PLAN_SKIPPED_H
#define BARECOUNT_BOOT_PLAN_SKIPPED_H

#include <stdbool.h>

#include "boot/efi/cpus.h"
#include "kernels/kernel.h"
#include "pmu/files/render.h"

/*
 * Call this for each new results volume. Reads skipped.csv. If the volume contains the journal of a
 * run that was cut off, writes this run's files, and adds to skipped.csv the kernel or phase in
 * which the machine stopped.
 */
void skipped_kernels_look(void);

/*
 * Whether a phase is avoided on this CPU or, with CPU_NONE, on any CPU. `detail` is as in struct
 * phase.
 */
bool skipped_phase(enum phase_kind kind, uint32_t cpu, uint32_t detail);

/* Whether PHASE_PARK or PHASE_WAKE is avoided. */
bool skipped_parking(void);

/*
 * If the machine stopped on a CPU, marks this CPU as unusable, unless it is enough to avoid the
 * phase in which the machine stopped. If two or more CPUs besides the boot CPU are marked, only the
 * boot CPU stays usable.
 */
void skipped_cpus_leave_out(struct cpus *cpus);

/* Whether a kernel is left out. Sets *run to the last run that was cut off in it, or to 0. */
bool skipped_kernels_has(const struct kernel_record *kernel, uint32_t *run);

#endif
