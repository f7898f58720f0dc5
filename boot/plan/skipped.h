/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels and phases in which the machine stopped (\barecount\skipped.csv, pmu/journal/skipped.h).
 * A kernel from the stick or of raw code is left out after the machine has stopped in it once. A
 * built-in kernel is left out only after the machine has stopped in it twice, because the likelier
 * cause of a single stop is a power cut. docs/internals/hangs.md says what replaces a phase that is
 * left out. If a volume fails or is unplugged during a run, the journal on it ends as if the
 * machine had stopped. Therefore the run prints a warning if it can (store_sync()), and if a run of
 * this boot was cut off, no kernel is blamed (store_recover()). Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_PLAN_SKIPPED_H
#define BARECOUNT_BOOT_PLAN_SKIPPED_H

#include <stdbool.h>

#include "boot/efi/cpus.h"
#include "kernels/kernel.h"
#include "pmu/files/render.h"

/*
 * Call this function for each new results volume. Reads skipped.csv on the volume and reports
 * malformed lines as errors (boot/efi/early_notes.h). Also finishes a run that was cut off on that
 * volume: prints the kernel or phase in which the run was cut off, and adds that kernel or phase to
 * the file. If the file cannot be written, the new entry is valid for this boot only.
 */
void skipped_kernels_look(void);

/*
 * Whether a phase is avoided because the machine has stopped in it before, on this CPU or, with
 * CPU_NONE, on any CPU. `detail` is as in struct phase.
 */
bool skipped_phase(enum phase_kind kind, uint32_t cpu, uint32_t detail);

/* Whether PHASE_PARK or PHASE_WAKE, in which other CPUs are parked or woken, is avoided. */
bool skipped_parking(void);

/*
 * If the machine has stopped while using a CPU, marks that CPU as unusable, unless avoiding the
 * phase is enough. If two or more CPUs besides the boot CPU are marked, only the boot CPU stays
 * usable. Adds remarks about the marked CPUs (boot/efi/early_notes.h).
 */
void skipped_cpus_leave_out(struct cpus *cpus);

/*
 * Whether a kernel is left out. *run is the last run that was cut off in the kernel, or 0 if the
 * kernel is not left out or no such run is known.
 */
bool skipped_kernels_has(const struct kernel_record *kernel, uint32_t *run);

#endif
