/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels and phases that the machine stopped in (\barecount\skipped.csv, pmu/journal/skipped.h). A
 * kernel from the stick or of raw code is left out after its first stop, a built-in one after its
 * second, because a power cut is the likelier cause. docs/internals/hangs.md tells what replaces a
 * phase that is left out. A volume that fails or is unplugged during a run leaves the same kind of
 * journal, so the run prints a warning if it can (store_sync()), and no kernel is blamed for a run
 * of the same boot (store_recover()). Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_PLAN_SKIPPED_H
#define BARECOUNT_BOOT_PLAN_SKIPPED_H

#include <stdbool.h>

#include "boot/efi/cpus.h"
#include "kernels/kernel.h"
#include "pmu/files/render.h"

/*
 * Call for each new results volume: reads its file and reports malformed lines as errors
 * (boot/efi/early_notes.h), finishes a run that was cut off there, and before anything runs, prints
 * the kernel or phase that it was cut off in and adds it to the file. If the file cannot be
 * written, the entry holds for this boot.
 */
void skipped_kernels_look(void);

/*
 * Whether a phase is avoided, as the machine has stopped in it: on this CPU or, with CPU_NONE, on
 * any. detail as in struct phase.
 */
bool skipped_phase(enum phase_kind kind, uint32_t cpu, uint32_t detail);

/* The same for either of the phases in which other CPUs are parked and woken. */
bool skipped_parking(void);

/*
 * Makes each CPU unusable that the machine stopped with, unless avoiding the phase is enough; if
 * there are two, only the boot CPU stays usable. Adds remarks that say so (boot/efi/early_notes.h).
 */
void skipped_cpus_leave_out(struct cpus *cpus);

/* Whether a kernel is left out. *run: the last run that was cut off in it; 0: unknown. */
bool skipped_kernels_has(const struct kernel_record *kernel, uint32_t *run);

#endif
