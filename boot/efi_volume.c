/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdint.h>

#include "boot/efi_volume.h"

#define OUR_FOLDER          L"barecount"
#define NODE_MEDIA          4u /* device path node: a part of a medium (a partition) */
#define NODE_MEDIA_HARDDISK 1u
#define NODE_END            0x7fu
#define PATH_BYTES_MAX      4096u

static EFI_HANDLE chosen;

static EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
static EFI_GUID file_system_guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
static EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL;

static void *protocol_of(EFI_HANDLE handle, EFI_GUID *guid)
{
    void *interface = 0;

    EFI_SYSTEM->BootServices->HandleProtocol(handle, guid, &interface);
    return interface;
}

/* Bytes of a device path up to its partition; 0 when it names no partition. */
static uint32_t disk_path_bytes(const uint8_t *path)
{
    uint32_t at = 0;

    while (path && at < PATH_BYTES_MAX && path[at] != NODE_END) {
        uint32_t bytes = path[at + 2] | (uint32_t)path[at + 3] << 8;

        if (path[at] == NODE_MEDIA && path[at + 1] == NODE_MEDIA_HARDDISK)
            return at;
        if (bytes < 4)
            return 0;
        at += bytes;
    }
    return 0;
}

static bool same_disk(EFI_HANDLE a, EFI_HANDLE b)
{
    const uint8_t *path_a = protocol_of(a, &path_guid), *path_b = protocol_of(b, &path_guid);
    uint32_t bytes = disk_path_bytes(path_a);

    if (bytes == 0 || bytes != disk_path_bytes(path_b))
        return false;
    for (uint32_t i = 0; i < bytes; i++)
        if (path_a[i] != path_b[i])
            return false;
    return true;
}

static EFI_FILE_HANDLE open_root(EFI_HANDLE volume)
{
    EFI_FILE_IO_INTERFACE *files = protocol_of(volume, &file_system_guid);
    EFI_FILE_HANDLE root = 0;

    if (!files || files->OpenVolume(files, &root) != EFI_SUCCESS)
        return 0;
    return root;
}

static bool has_our_folder(EFI_FILE_HANDLE root)
{
    EFI_FILE_HANDLE folder = 0;

    if (root->Open(root, &folder, OUR_FOLDER, EFI_FILE_MODE_READ, 0) != EFI_SUCCESS)
        return false;
    folder->Close(folder);
    return true;
}

/* Another volume of the disk that the program came from, if it has our folder. */
static EFI_FILE_HANDLE find_beside(EFI_HANDLE boot_volume)
{
    EFI_BOOT_SERVICES *services = EFI_SYSTEM->BootServices;
    EFI_HANDLE *handles = 0;
    EFI_FILE_HANDLE found = 0;
    UINTN count = 0;

    if (services->LocateHandleBuffer(ByProtocol, &file_system_guid, 0, &count, &handles) !=
        EFI_SUCCESS)
        return 0;
    for (UINTN i = 0; i < count && !found; i++) {
        EFI_FILE_HANDLE root;

        if (handles[i] == boot_volume || !same_disk(handles[i], boot_volume))
            continue;
        root = open_root(handles[i]);
        if (root && has_our_folder(root)) {
            found = root;
            chosen = handles[i];
        } else if (root) {
            root->Close(root);
        }
    }
    services->FreePool(handles);
    return found;
}

EFI_HANDLE volume_of_results(void)
{
    return chosen;
}

EFI_HANDLE volume_of_program(void)
{
    EFI_LOADED_IMAGE *image = protocol_of(EFI_IMAGE, &image_guid);

    return image ? image->DeviceHandle : 0;
}

EFI_FILE_HANDLE volume_choose(void)
{
    EFI_HANDLE boot_volume = volume_of_program();
    EFI_FILE_HANDLE found;

    if (!boot_volume)
        return 0;
    found = find_beside(boot_volume);
    if (found)
        return found;
    chosen = boot_volume;
    return open_root(boot_volume);
}
