/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by boot/efi/file.c, file_error.c and files.c. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_FILE_H
#define BARECOUNT_BOOT_EFI_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/border.h"

/* Whether a call succeeded. If not, files_error() names its status. */
bool efi_file_worked(EFI_STATUS status);

/* Sets the text that files_error() returns. */
void efi_file_because(const char *reason);

/* Whether any disk has failed so far; closing a file on that disk may take a minute. */
bool efi_file_disk_failed(void);

/* Opens a file with EFI_FILE_MODE_* and attributes; null: it failed. */
EFI_FILE_HANDLE efi_file_open(const char *path, UINT64 mode, UINT64 attributes);

#endif
