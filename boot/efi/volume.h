/* SPDX-License-Identifier: BSD-2-Clause */
/* The volumes that files are read from and results go to. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_VOLUME_H
#define BARECOUNT_BOOT_EFI_VOLUME_H

#include <stdbool.h>

#include "boot/efi/border.h"
#include "pmu/base/out.h"

/*
 * The root of the volume that boot/efi/files.h describes, or null. Without *all_answered it may be
 * another, or missing: one that could not be looked at is an error.
 */
EFI_FILE_HANDLE volume_choose(bool *all_answered);

/*
 * The next volume with our folder, of any disk but that which results go to, which it
 * becomes. See files_go_elsewhere(). Null: there are no more.
 */
EFI_FILE_HANDLE volume_next(unsigned *tries);

/* The device path of the volume that results go to, as the firmware writes it. */
void volume_path(struct out *out);

/* The volume that results go to, and the volume that the program was loaded from; or null.
 */
EFI_HANDLE volume_of_results(void);
EFI_HANDLE volume_of_program(void);

/*
 * The FAT image that a CD is started from. Firmware may take it for writable, and a drive on USB
 * needs 20 s to refuse.
 */
bool volume_is_cd(EFI_HANDLE volume);

#endif
