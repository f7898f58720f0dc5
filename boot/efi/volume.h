/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the volumes for reading and for results. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_VOLUME_H
#define BARECOUNT_BOOT_EFI_VOLUME_H

#include <stdbool.h>

#include "boot/efi/border.h"
#include "pmu/base/out.h"

/*
 * The root of the stick (boot/efi/files.h), or null. *all_answered is false if a volume could not
 * be read. An unreadable volume is reported as an error, because it may be the stick.
 */
EFI_FILE_HANDLE volume_choose(bool *all_answered);

/* See files_go_elsewhere(). Null if there is no further volume. */
EFI_FILE_HANDLE volume_next(unsigned *tries);

/* The device path of the results volume as the firmware formats it. */
void volume_path(struct out *out);

/* Null: none. */
EFI_HANDLE volume_of_results(void);
EFI_HANDLE volume_of_program(void);

/*
 * Whether this volume is a CD's boot image, a FAT volume. The program must not try to write to it:
 * firmware may report it as writable, but a USB CD drive takes 20 s to reject a write.
 */
bool volume_is_cd(EFI_HANDLE volume);

#endif
