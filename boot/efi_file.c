/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are open, to write. */
#include "boot/efi_file.h"
#include "boot/files.h"

void file_delete(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    if (handle)
        handle->Delete(handle);
    file->handle = 0;
}

void files_delete(const char *path)
{
    struct file file = {.handle = efi_file_open(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0)};

    file_delete(&file);
}

bool file_append(struct file *file, const char *path)
{
    EFI_FILE_HANDLE handle =
        efi_file_open(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);

    file->handle = handle;
    /* UEFI specification, EFI_FILE_PROTOCOL.SetPosition(): all ones is the end of the file. */
    return handle && efi_file_worked(handle->SetPosition(handle, UINT64_MAX));
}

bool file_create(struct file *file, const char *path)
{
    files_delete(path);
    return file_append(file, path);
}

bool file_write(struct file *file, const void *bytes, size_t count)
{
    EFI_FILE_HANDLE handle = file->handle;
    UINTN written = count;

    if (!handle || !efi_file_worked(handle->Write(handle, &written, (void *)bytes)))
        return false;
    if (written != count)
        efi_file_worked(EFI_VOLUME_FULL);
    return written == count;
}

bool file_seek(struct file *file, uint64_t position)
{
    EFI_FILE_HANDLE handle = file->handle;

    return handle && efi_file_worked(handle->SetPosition(handle, position));
}

bool file_flush(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    return handle && efi_file_worked(handle->Flush(handle));
}

void file_close(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    if (handle)
        handle->Close(handle);
    file->handle = 0;
}
