/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses files on the stick and on the results volume by their paths. */
#include "boot/efi/file.h"
#include "boot/efi/volume.h"
#include "boot/efi/files.h"
#include "pmu/base/text.h"

#define INFO_BYTES 1024u /* room for FAT's longest name, 255 characters */

struct results_volume {
    EFI_FILE_HANDLE root;
    char label[40];
};

static struct {
    const struct files_server *server;
    EFI_FILE_HANDLE root; /* null: none */
    struct results_volume results;
    struct results_volume before; /* saved by files_go_elsewhere() */
} files;

static void narrow(const CHAR16 *from, char *to, size_t size)
{
    size_t i = 0;

    for (; from[i] && i + 1 < size; i++)
        to[i] = text_printable(from[i]);
    to[i] = 0;
}

static bool is_written(const char *path)
{
    return text_starts(path, FILES_RESULTS) || text_same(path, FILES_SKIPPED);
}

static EFI_FILE_HANDLE root_of(const char *path)
{
    return is_written(path) ? files.results.root : files.root;
}

static bool is_remote(const char *path)
{
    if (!files.server->is_read() || is_written(path))
        return false;
    efi_file_worked(EFI_NOT_FOUND); /* for files_error() */
    return true;
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
        efi_file_worked(EFI_NOT_FOUND);
        efi_file_because("no volume was found");
        return 0;
    }
    if ((mode & EFI_FILE_MODE_WRITE) && top == files.results.root &&
        volume_is_cd(volume_of_results())) {
        efi_file_worked(EFI_WRITE_PROTECTED);
        return 0;
    }
    return efi_file_worked(top->Open(top, &handle, wide, mode, attributes)) ? handle : 0;
}

bool files_program_on_cd(void)
{
    return volume_is_cd(volume_of_program());
}

EFI_FILE_HANDLE efi_file_open(const char *path, UINT64 mode, UINT64 attributes)
{
    return open_at(root_of(path), path, mode, attributes);
}

static EFI_FILE_SYSTEM_INFO *volume_info(void *buffer, UINTN size)
{
    EFI_GUID guid = EFI_FILE_SYSTEM_INFO_ID;

    return files.results.root && efi_file_worked(files.results.root->GetInfo(files.results.root,
                                                                             &guid, &size, buffer))
               ? buffer
               : 0;
}

static void go_to(EFI_FILE_HANDLE volume)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_SYSTEM_INFO *info;

    files.results.root = volume;
    files.results.label[0] = 0;
    info = volume_info(buffer, sizeof(buffer));
    if (info)
        narrow(info->VolumeLabel, files.results.label, sizeof(files.results.label));
}

static bool is_ours(EFI_FILE_HANDLE volume)
{
    EFI_FILE_HANDLE folder = open_at(volume, "barecount", EFI_FILE_MODE_READ, 0);

    if (folder)
        folder->Close(folder);
    return folder != 0;
}

bool files_open(const struct files_server *of, bool *all_answered)
{
    files.server = of;
    files.root = volume_choose(all_answered);
    if (files.server->open() && !is_ours(files.root))
        files.root = 0; /* a boot loader's volume */
    files.server->choose(files.root != 0);
    go_to(files.root);
    return files.root != 0 || files.server->is_open();
}

bool files_go_elsewhere(unsigned *tries)
{
    EFI_FILE_HANDLE volume;

    if (*tries == 0)
        files.before = files.results;
    volume = volume_next(tries);
    if (volume)
        go_to(volume);
    else
        files.results = files.before; /* its root is still open: a failed volume may open slowly */
    return volume != 0;
}

bool files_has_volume(void)
{
    return files.results.root != 0;
}

void files_place(struct out *out)
{
    volume_path(out);
}

const char *files_volume(void)
{
    return files.results.label;
}

uint64_t files_free(void)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_SYSTEM_INFO *info = volume_info(buffer, sizeof(buffer));

    return info ? info->FreeSpace : UINT64_MAX;
}

static EFI_FILE_INFO *file_info(EFI_FILE_HANDLE handle, void *buffer, UINTN size)
{
    EFI_GUID guid = EFI_FILE_INFO_ID;

    return efi_file_worked(handle->GetInfo(handle, &guid, &size, buffer)) ? buffer : 0;
}

int64_t files_size(const char *path)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_HANDLE handle;
    EFI_FILE_INFO *info;
    int64_t size = -1;

    if (is_remote(path))
        return files.server->size(path);
    handle = efi_file_open(path, EFI_FILE_MODE_READ, 0);
    if (!handle)
        return -1;
    info = file_info(handle, buffer, sizeof(buffer));
    if (info && !(info->Attribute & EFI_FILE_DIRECTORY))
        size = (int64_t)info->FileSize;
    else if (info)
        efi_file_because("it is a folder");
    handle->Close(handle);
    return size;
}

static int64_t read_from(const char *path, uint64_t position, void *to, size_t size)
{
    EFI_FILE_HANDLE handle = efi_file_open(path, EFI_FILE_MODE_READ, 0);
    UINTN count = size;
    bool ok;

    if (!handle)
        return -1;
    ok = efi_file_worked(handle->SetPosition(handle, position)) &&
         efi_file_worked(handle->Read(handle, &count, to));
    handle->Close(handle);
    return ok ? (int64_t)count : -1;
}

int64_t files_read(const char *path, void *to, size_t size)
{
    if (is_remote(path))
        return files.server->read(path, to, size);
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
    EFI_FILE_HANDLE handle;

    if (is_remote(path))
        return files.server->size(path) >= 0;
    handle = efi_file_open(path, EFI_FILE_MODE_READ, 0);
    if (handle)
        handle->Close(handle);
    return handle != 0;
}

bool files_make_folder(const char *path)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_HANDLE handle = open_at(files.results.root, path, EFI_FILE_MODE_READ, 0);
    EFI_FILE_INFO *info;
    bool is_folder;

    if (!handle)
        handle = open_at(files.results.root, path,
                         EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                         EFI_FILE_DIRECTORY);
    if (!handle)
        return false;
    info = file_info(handle, buffer, sizeof(buffer));
    is_folder = info && info->Attribute & EFI_FILE_DIRECTORY;
    if (info && !is_folder)
        efi_file_because("a file has the folder's name");
    handle->Close(handle);
    return is_folder;
}

bool files_list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                void *context)
{
    UINT64 buffer[INFO_BYTES / sizeof(UINT64)];
    EFI_FILE_HANDLE handle;
    char name[FILE_PATH_BYTES];
    bool ok;

    if (is_remote(path)) {
        files.server->list(path, each, context);
        return true;
    }
    handle = efi_file_open(path, EFI_FILE_MODE_READ, 0);
    if (!handle)
        return false;
    for (;;) {
        EFI_FILE_INFO *info = (EFI_FILE_INFO *)buffer;
        UINTN size = sizeof(buffer);

        ok = efi_file_worked(handle->Read(handle, &size, buffer));
        if (!ok || size == 0)
            break;
        narrow(info->FileName, name, sizeof(name));
        each(context, name, info->Attribute & EFI_FILE_DIRECTORY);
    }
    handle->Close(handle);
    return ok;
}

void files_end(void)
{
    if (efi_file_disk_failed())
        return;
    if (files.results.root && files.results.root != files.root)
        files.results.root->Close(files.results.root);
    if (files.root)
        files.root->Close(files.root);
    files.root = files.results.root = 0;
}
