/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of a machine: the built-in table, and behind it those of \barecount\kernels, a file
 * NAME.bin each, in the order of the files' names. What is wrong with a file is an error
 * (boot/efi/early_notes.h), and the others are taken. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_PLAN_KERNELS_H
#define BARECOUNT_BOOT_PLAN_KERNELS_H

#include "boot/plan/machine.h"

#define KERNELS_FOLDER        "barecount\\kernels"
#define KERNEL_FILES_MAX      256u
#define KERNEL_FILENAME_BYTES sizeof(((struct known_kernel *)0)->file)

/* Fills in machine->kernel. False, after saying why, when the built-in table is damaged. */
bool kernels_find(struct machine *machine);

/* Whether a kernel, or one of this name, stands in the built-in table. */
bool kernels_is_built_in(const struct kernel_record *kernel);
bool kernels_has_built_in(const char *name);

#endif
