/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers how the last file operation ended. */
#include "boot/efi/file.h"
#include "boot/efi/files.h"

static struct {
    EFI_STATUS status;
    const char *reason; /* the program's own reason */
    bool disk_failed;   /* since the program's start */
} last;

bool efi_file_worked(EFI_STATUS status)
{
    last.reason = 0;
    last.status = status;
    last.disk_failed |= status == EFI_DEVICE_ERROR || status == EFI_NO_MEDIA ||
                        status == EFI_MEDIA_CHANGED || status == EFI_TIMEOUT;
    return status == EFI_SUCCESS;
}

void efi_file_because(const char *reason)
{
    last.reason = reason;
}

bool efi_file_disk_failed(void)
{
    return last.disk_failed;
}

const char *files_error(void)
{
    return last.reason ? last.reason : efi_status_name(last.status);
}

bool files_missing(void)
{
    return last.status == EFI_NOT_FOUND;
}

bool files_full(void)
{
    return last.status == EFI_VOLUME_FULL;
}

bool files_damaged(void)
{
    return last.status == EFI_VOLUME_CORRUPTED;
}
