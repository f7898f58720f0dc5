/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi_border.h"
#include "boot/efi_volume.h"
#include "boot/files.h"
#include "pmu/text.h"

#define INFO_BYTES 1024u /* an EFI_FILE_INFO with the longest name of FAT, 255 characters */

static EFI_FILE_HANDLE root;         /* of the volume with the plan */
static EFI_FILE_HANDLE results_root; /* of the volume that results go to; as a rule the same */
static EFI_STATUS last_status;
static const char *last_reason; /* why, where it was not the firmware; else null */
static char volume_label[40];   /* of the volume that results go to */

static bool worked(EFI_STATUS status)
{
    last_reason = 0;
    last_status = status;
    return status == EFI_SUCCESS;
}

static void narrow(const CHAR16 *from, char *to, size_t size)
{
    size_t i = 0;

    for (; from[i] && i + 1 < size; i++)
        to[i] = text_printable(from[i]);
    to[i] = 0;
}

/* The volume that a path is of: see files.h. */
static EFI_FILE_HANDLE root_of(const char *path)
{
    return text_starts(path, FILES_RESULTS) || text_same(path, FILES_SKIPPED) ? results_root : root;
}

static EFI_FILE_HANDLE open_at(EFI_FILE_HANDLE top, const char *path, UINT64 mode,
                               UINT64 attributes)
{
    CHAR16 wide[FILE_PATH_BYTES];
    EFI_FILE_HANDLE handle = 0;
    size_t i = 0;

    for (; path[i] && i + 1 < FILE_PATH_BYTES; i++)
        wide[i] = (CHAR16)path[i];
    wide[i] = 0;
    if (!top) {
        worked(EFI_NO_MEDIA);
        return 0;
    }
    return worked(top->Open(top, &handle, wide, mode, attributes)) ? handle : 0;
}

static EFI_FILE_HANDLE open_path(const char *path, UINT64 mode, UINT64 attributes)
{
    return open_at(root_of(path), path, mode, attributes);
}

static EFI_FILE_SYSTEM_INFO *volume_info(void *buffer, UINTN size)
{
    EFI_GUID guid = EFI_FILE_SYSTEM_INFO_ID;

    return results_root && worked(results_root->GetInfo(results_root, &guid, &size, buffer))
               ? buffer
               : 0;
}

static void go_to(EFI_FILE_HANDLE volume)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_SYSTEM_INFO *info;

    results_root = volume;
    volume_label[0] = 0;
    info = volume_info(buffer, sizeof(buffer));
    if (info)
        narrow(info->VolumeLabel, volume_label, sizeof(volume_label));
}

bool files_open(void)
{
    root = volume_choose();
    go_to(root);
    return root != 0;
}

/* Its volume went away, and its disk may be back by now: only the path to it is still the same. */
bool files_open_again(void)
{
    EFI_FILE_HANDLE handle = open_at(root, "barecount", EFI_FILE_MODE_READ, 0), back;

    if (handle)
        handle->Close(handle);
    if (handle || !root || last_status == EFI_NOT_FOUND)
        return false;
    back = volume_choose();
    if (!back)
        return false;
    root = back;
    go_to(root);
    return true;
}

bool files_go_elsewhere(unsigned *tries)
{
    static struct {
        EFI_FILE_HANDLE root;
        char label[sizeof(volume_label)];
    } before;
    EFI_FILE_HANDLE volume;

    if (*tries == 0) {
        before.root = results_root;
        text_copy(before.label, sizeof(before.label), volume_label);
    }
    volume = volume_next(tries);
    if (volume)
        go_to(volume);
    else { /* without asking it anything, which would take its time again */
        results_root = before.root;
        text_copy(volume_label, sizeof(volume_label), before.label);
    }
    return volume != 0;
}

bool files_has_volume(void)
{
    return results_root != 0;
}

void files_place(struct out *out)
{
    volume_path(out);
}

const char *files_volume(void)
{
    return volume_label;
}

uint64_t files_free(void)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_SYSTEM_INFO *info = volume_info(buffer, sizeof(buffer));

    return info ? info->FreeSpace : UINT64_MAX;
}

const char *files_error(void)
{
    return last_reason ? last_reason : efi_status_name(last_status);
}

bool files_full(void)
{
    return last_status == EFI_VOLUME_FULL;
}

static EFI_FILE_INFO *file_info(EFI_FILE_HANDLE handle, void *buffer, UINTN size)
{
    EFI_GUID guid = EFI_FILE_INFO_ID;

    return worked(handle->GetInfo(handle, &guid, &size, buffer)) ? buffer : 0;
}

int64_t files_size(const char *path)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_HANDLE handle = open_path(path, EFI_FILE_MODE_READ, 0);
    EFI_FILE_INFO *info;
    int64_t size = -1;

    if (!handle)
        return -1;
    info = file_info(handle, buffer, sizeof(buffer));
    if (info && !(info->Attribute & EFI_FILE_DIRECTORY))
        size = (int64_t)info->FileSize;
    handle->Close(handle);
    return size;
}

static int64_t read_from(const char *path, uint64_t position, void *to, size_t size)
{
    EFI_FILE_HANDLE handle = open_path(path, EFI_FILE_MODE_READ, 0);
    UINTN count = size;
    bool ok;

    if (!handle)
        return -1;
    ok = worked(handle->SetPosition(handle, position)) && worked(handle->Read(handle, &count, to));
    handle->Close(handle);
    return ok ? (int64_t)count : -1;
}

int64_t files_read(const char *path, void *to, size_t size)
{
    return read_from(path, 0, to, size);
}

int64_t files_read_tail(const char *path, void *to, size_t size)
{
    int64_t all = files_size(path);

    if (all < 0)
        return -1;
    return read_from(path, (uint64_t)all > size ? (uint64_t)all - size : 0, to, size);
}

bool files_exists(const char *path)
{
    EFI_FILE_HANDLE handle = open_path(path, EFI_FILE_MODE_READ, 0);

    if (handle)
        handle->Close(handle);
    return handle != 0;
}

bool files_make_folder(const char *path)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_HANDLE handle = open_at(results_root, path, EFI_FILE_MODE_READ, 0);
    EFI_FILE_INFO *info;
    bool is_folder;

    if (!handle)
        handle = open_at(results_root, path,
                         EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                         EFI_FILE_DIRECTORY);
    if (!handle)
        return false;
    info = file_info(handle, buffer, sizeof(buffer));
    is_folder = info && info->Attribute & EFI_FILE_DIRECTORY;
    if (info && !is_folder)
        last_reason = "a file has the name of the folder";
    handle->Close(handle);
    return is_folder;
}

bool files_list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                void *context)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_HANDLE handle = open_path(path, EFI_FILE_MODE_READ, 0);
    char name[FILE_PATH_BYTES];
    bool ok;

    if (!handle)
        return false;
    for (;;) {
        EFI_FILE_INFO *info = (EFI_FILE_INFO *)buffer;
        UINTN size = sizeof(buffer);

        ok = worked(handle->Read(handle, &size, buffer));
        if (!ok || size == 0)
            break;
        narrow(info->FileName, name, sizeof(name));
        each(context, name, info->Attribute & EFI_FILE_DIRECTORY);
    }
    handle->Close(handle);
    return ok;
}

void file_delete(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    if (handle)
        handle->Delete(handle);
    file->handle = 0;
}

bool file_append(struct file *file, const char *path)
{
    EFI_FILE_HANDLE handle =
        open_path(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);

    file->handle = handle;
    /* UEFI specification, EFI_FILE_PROTOCOL.SetPosition(): all ones is the end of the file. */
    return handle && worked(handle->SetPosition(handle, UINT64_MAX));
}

bool file_create(struct file *file, const char *path)
{
    file->handle = open_path(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
    file_delete(file);
    return file_append(file, path);
}

bool file_write(struct file *file, const void *bytes, size_t count)
{
    EFI_FILE_HANDLE handle = file->handle;
    UINTN written = count;

    if (!handle || !worked(handle->Write(handle, &written, (void *)bytes)))
        return false;
    if (written != count)
        last_status = EFI_VOLUME_FULL;
    return written == count;
}

bool file_seek(struct file *file, uint64_t position)
{
    EFI_FILE_HANDLE handle = file->handle;

    return handle && worked(handle->SetPosition(handle, position));
}

bool file_flush(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    return handle && worked(handle->Flush(handle));
}

void file_close(struct file *file)
{
    EFI_FILE_HANDLE handle = file->handle;

    if (handle)
        handle->Close(handle);
    file->handle = 0;
}
