/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's kernels: first the built-in ones, then those of the files NAME.bin in
 * \barecount\kernels, sorted by file name. A faulty file is reported as an error and left out. Boot
 * CPU only.
 */
#ifndef BARECOUNT_BOOT_PLAN_KERNELS_H
#define BARECOUNT_BOOT_PLAN_KERNELS_H

#include "boot/plan/machine.h"

#define KERNELS_FOLDER        "barecount\\kernels"
#define KERNEL_FILES_MAX      256u
#define KERNEL_FILENAME_BYTES sizeof(((struct known_kernel *)0)->file)

/* If the built-in table cannot be used, prints the reason and returns false. */
bool kernels_find(struct machine *machine);

/* Whether this kernel, or a kernel of this name, is in the built-in table. */
bool kernels_is_built_in(const struct kernel_record *kernel);
bool kernels_has_built_in(const char *name);

#endif
