/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens files and writes to them. */
#include "boot/efi/file.h"
#include "boot/efi/files.h"
#include "pmu/base/text.h"

bool file_delete(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    file->handle = 0;
    return handle && efi_file_worked(handle->Delete(handle));
}

bool files_delete(const char *path)
{
    struct file file = {.handle = efi_file_open(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0)};

    return file.handle ? file_delete(&file) : files_missing();
}

bool file_append(struct file *file, const char *path)
{
    EFI_FILE_HANDLE handle =
        efi_file_open(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);

    file->handle = handle;
    /* UEFI specification, EFI_FILE_PROTOCOL.SetPosition(): UINT64_MAX is the end of the file. */
    return handle && efi_file_worked(handle->SetPosition(handle, UINT64_MAX));
}

bool files_begin_list(const char *path, const char *header)
{
    struct file file;
    bool ok;

    if (files_size(path) > 0)
        return true;
    ok = file_append(&file, path) && file_write(&file, header, text_length(header)) &&
         file_flush(&file);
    if (ok || files_full() || files_damaged())
        file_close(&file);
    return ok;
}

bool file_create(struct file *file, const char *path)
{
    file->handle = 0;
    return files_delete(path) && file_append(file, path); /* an old file's bytes must not remain */
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
