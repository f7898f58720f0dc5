/* SPDX-License-Identifier: BSD-2-Clause */
/* What boot/efi/file.c and boot/efi/files.c share. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_FILE_H
#define BARECOUNT_BOOT_EFI_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/border.h"

/* Whether a call was successful; files_error() names it otherwise. */
bool efi_file_worked(EFI_STATUS status);

/* Lets files_error() say something else of the call that efi_file_worked() was told of last. */
void efi_file_because(const char *reason);

/* Whether any disk has failed so far: to close what is open on it may take a minute. */
bool efi_file_disk_failed(void);

/* A path of boot/efi/files.h on its volume, by EFI_FILE_MODE_* and attributes; or null. */
EFI_FILE_HANDLE efi_file_open(const char *path, UINT64 mode, UINT64 attributes);

#endif
