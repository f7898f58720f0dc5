/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that a machine stopped in (\barecount\skipped.csv, pmu/journal/skipped.h). One from
 * the stick or of raw code is left out after its first death; a built-in one after its second,
 * because a power cut is likelier there. A volume that was pulled or failed in a run ends its
 * journal in the same way, and nobody can write to it that the machine went on: the run says so
 * where it still can (store_sync()), and within the same boot nobody is blamed (store_recover()).
 * Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_PLAN_SKIPPED_H
#define BARECOUNT_BOOT_PLAN_SKIPPED_H

#include <stdbool.h>

#include "kernels/kernel.h"
#include "pmu/files/render.h"

/*
 * On a volume that is new to us: reads its file, where a line that is not as expected is a
 * error (boot/efi/early_notes.h); finishes a run that was cut off there, says in which kernel
 * that was, and adds it to the file before anything runs. Where that cannot be done it counts for
 * this boot.
 */
void skipped_kernels_look(void);

/* Whether a kernel is left out; then *run is the last one that was cut off in it, 0: not told. */
bool skipped_kernels_has(const struct kernel_record *kernel, uint32_t *run);

#endif
