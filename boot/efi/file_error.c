/* SPDX-License-Identifier: BSD-2-Clause */
/* How the calls of all files ended. */
#include "boot/efi/file.h"
#include "boot/efi/files.h"

static EFI_STATUS last_status;
static const char *last_reason; /* why, where it was not the firmware; else null */
static bool disk_failed;        /* any, at any time */

bool efi_file_worked(EFI_STATUS status)
{
    last_reason = 0;
    last_status = status;
    disk_failed |= status == EFI_DEVICE_ERROR || status == EFI_NO_MEDIA ||
                   status == EFI_MEDIA_CHANGED || status == EFI_TIMEOUT;
    return status == EFI_SUCCESS;
}

void efi_file_because(const char *reason)
{
    last_reason = reason;
}

bool efi_file_disk_failed(void)
{
    return disk_failed;
}

const char *files_error(void)
{
    return last_reason ? last_reason : efi_status_name(last_status);
}

bool files_missing(void)
{
    return last_status == EFI_NOT_FOUND;
}

bool files_full(void)
{
    return last_status == EFI_VOLUME_FULL;
}

bool files_damaged(void)
{
    return last_status == EFI_VOLUME_CORRUPTED;
}
