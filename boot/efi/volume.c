/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the program's volume and the results volume among all volumes that the firmware lists. */
#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/console.h"
#include "boot/efi/early_notes.h"
#include "boot/efi/volume.h"
#include "pmu/base/text.h"

#define OUR_FOLDER          L"barecount"
#define NODE_MEDIA          4u
#define NODE_MEDIA_HARDDISK 1u
#define NODE_MEDIA_CDROM    2u
#define NODE_END            0x7fu
#define END_BYTES           4u
#define PATH_BYTES_MAX      4096u
#define VOLUMES_MAX         64u /* tried for results */
#define PLACE_BYTES         120u

/* PCI Code and ID Assignment Specification: a base class, or a class with its subclass. */
#define CLASS_STORAGE 0x01u
#define CLASS_NETWORK 0x02u
#define CLASS_DISPLAY 0x03u
#define CLASS_SD      0x0805u
#define CLASS_USB     0x0c03u

static struct {
    EFI_HANDLE chosen;             /* the results volume */
    bool overlooked;               /* a volume that could not be read may be the stick */
    EFI_HANDLE tried[VOLUMES_MAX]; /* the failed volume comes first */
    /* Drivers were connected to all other disks since the volume failed. */
    bool connected;
    bool is_ended; /* a key ended a search */
} volumes;

static EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
static EFI_GUID file_system_guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
static EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL;
static EFI_GUID disk_guid = BLOCK_IO_PROTOCOL;
static EFI_GUID text_guid = EFI_DEVICE_PATH_TO_TEXT_PROTOCOL_GUID;

/* Bytes of a device path before its node of this `kind`; 0: there is no such node. */
static uint32_t bytes_before_part(const uint8_t *path, uint8_t kind)
{
    uint32_t at = 0;

    while (path && at < PATH_BYTES_MAX && path[at] != NODE_END) {
        uint32_t bytes = path[at + 2] | (uint32_t)path[at + 3] << 8;

        if (path[at] == NODE_MEDIA && path[at + 1] == kind)
            return at;
        if (bytes < 4)
            return 0;
        at += bytes;
    }
    return 0;
}

static bool same_disk(EFI_HANDLE a, EFI_HANDLE b)
{
    const uint8_t *path_a = efi_interface(a, &path_guid), *path_b = efi_interface(b, &path_guid);
    uint32_t bytes = bytes_before_part(path_a, NODE_MEDIA_HARDDISK);

    if (bytes == 0 || bytes != bytes_before_part(path_b, NODE_MEDIA_HARDDISK))
        return false;
    for (uint32_t i = 0; i < bytes; i++)
        if (path_a[i] != path_b[i])
            return false;
    return true;
}

/* Excludes the end node. */
static uint32_t path_bytes(const uint8_t *path)
{
    uint32_t at = 0;

    while (path && at < PATH_BYTES_MAX && path[at] != NODE_END) {
        uint32_t bytes = path[at + 2] | (uint32_t)path[at + 3] << 8;

        if (bytes < END_BYTES)
            return at;
        at += bytes;
    }
    return at;
}

static void put_path(EFI_HANDLE volume, struct out *out)
{
    EFI_DEVICE_PATH_TO_TEXT_PROTOCOL *texts = efi_any_interface(&text_guid);
    EFI_DEVICE_PATH *path = efi_interface(volume, &path_guid);
    CHAR16 *text = 0;

    if (path && texts)
        text = texts->ConvertDevicePathToText(path, TRUE, TRUE);
    for (const CHAR16 *at = text; at && *at; at++)
        out_char(out, text_printable(*at));
    efi_free(text);
}

/* Reports the error, because the volume may contain the plan. */
static void overlook(EFI_HANDLE volume, const char *what, EFI_STATUS status)
{
    char path[PLACE_BYTES];
    struct out out = out_buffer(path, sizeof(path));

    put_path(volume, &out);
    early_error("volume (%s)%s cannot be opened: %s; its files are not used", out_end(&out), what,
                efi_status_name(status));
    volumes.overlooked = true;
}

static struct efi_handles list_volumes(void)
{
    struct efi_handles handles = efi_handles_of(&file_system_guid);

    if (handles.status != EFI_SUCCESS && handles.status != EFI_NOT_FOUND) {
        early_error("the firmware cannot list its volumes: %s", efi_status_name(handles.status));
        volumes.overlooked = true;
    }
    return handles;
}

static EFI_FILE_HANDLE open_root(EFI_HANDLE volume)
{
    EFI_FILE_IO_INTERFACE *files = efi_interface(volume, &file_system_guid);
    EFI_FILE_HANDLE root = 0;
    EFI_STATUS status = files ? files->OpenVolume(files, &root) : EFI_UNSUPPORTED;

    if (status == EFI_SUCCESS)
        return root;
    /* A drive without a medium or with an unsupported file system contains no plan. */
    if (status != EFI_NO_MEDIA && status != EFI_UNSUPPORTED)
        overlook(volume, "", status);
    return 0;
}

static bool has_our_folder(EFI_HANDLE volume, EFI_FILE_HANDLE root)
{
    EFI_FILE_HANDLE folder = 0;
    EFI_STATUS status = root->Open(root, &folder, OUR_FOLDER, EFI_FILE_MODE_READ, 0);

    if (status == EFI_SUCCESS)
        folder->Close(folder);
    else if (status != EFI_NOT_FOUND)
        overlook(volume, ": \\barecount", status);
    return status == EFI_SUCCESS;
}

/* Null: the volume does not have the folder \barecount, or cannot be read. */
static EFI_FILE_HANDLE open_if_ours(EFI_HANDLE volume)
{
    EFI_FILE_HANDLE root = open_root(volume);

    if (root && !has_our_folder(volume, root)) {
        root->Close(root);
        return 0;
    }
    return root;
}

static EFI_FILE_HANDLE find_other(EFI_HANDLE boot_volume, bool any_disk)
{
    struct efi_handles handles = list_volumes();
    EFI_FILE_HANDLE found = 0;

    for (UINTN i = 0; i < handles.count && !found; i++) {
        if (handles.at[i] == boot_volume || !(any_disk || same_disk(handles.at[i], boot_volume)))
            continue;
        found = open_if_ours(handles.at[i]);
        if (found)
            volumes.chosen = handles.at[i];
    }
    efi_handles_free(&handles);
    return found;
}

/* Whether one of two device paths is a prefix of the other. */
static bool same_way(const uint8_t *a, uint32_t a_bytes, const uint8_t *b, uint32_t b_bytes)
{
    for (uint32_t i = 0; i < a_bytes && i < b_bytes; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/*
 * Skips other volumes of the failed disk, because they too would take a long time to fail. Skips
 * file systems without a disk, because they are read-only.
 */
static EFI_FILE_HANDLE try_next(unsigned *tries)
{
    struct efi_handles handles = list_volumes();
    EFI_FILE_HANDLE found = 0;

    for (UINTN i = 0; i < handles.count && !found && *tries < VOLUMES_MAX; i++) {
        bool known = same_disk(handles.at[i], volumes.tried[0]);

        for (unsigned k = 0; k < *tries && !known; k++)
            known = handles.at[i] == volumes.tried[k];
        if (known)
            continue;
        volumes.tried[(*tries)++] = handles.at[i];
        found = efi_interface(handles.at[i], &disk_guid) ? open_if_ours(handles.at[i]) : 0;
        if (found)
            volumes.chosen = handles.at[i];
    }
    efi_handles_free(&handles);
    return found;
}

/*
 * Devices are connected in this order: storage, buses, and then the storage that was found on these
 * buses.
 */
enum turn { TURN_STORAGE, TURN_BUSES, TURN_STORAGE_AGAIN, TURNS };

static bool is_storage(EFI_HANDLE handle, uint16_t class)
{
    return class >> 8 == CLASS_STORAGE || class == CLASS_SD || class == CLASS_USB ||
           efi_interface(handle, &disk_guid);
}

/*
 * Never connects displays and NICs, because a NIC may wait for its link. Never connects the failed
 * disk and its controllers, because connecting an unplugged disk takes long.
 */
static bool is_due(EFI_HANDLE handle, enum turn turn)
{
    const uint8_t *path = efi_interface(handle, &path_guid);
    const uint8_t *failed = volumes.chosen ? efi_interface(volumes.chosen, &path_guid) : 0;
    uint32_t bytes = bytes_before_part(failed, NODE_MEDIA_HARDDISK);
    uint16_t class = efi_pci_class(handle);

    bytes = bytes > 0 ? bytes : path_bytes(failed);
    if (!path || (bytes > 0 && same_way(path, path_bytes(path), failed, bytes)))
        return false;
    if (turn != TURN_BUSES)
        return is_storage(handle, class);
    return !is_storage(handle, class) && class >> 8 != CLASS_NETWORK && class >> 8 != CLASS_DISPLAY;
}

/* False if a key ended the search. */
static bool connect(enum turn turn, unsigned *tries, EFI_FILE_HANDLE *found)
{
    struct efi_handles handles = efi_handles_of(&path_guid);
    bool goes_on = true;

    for (UINTN i = 0; goes_on && i < handles.count && !*found; i++) {
        if (!is_due(handles.at[i], turn))
            continue;
        console_progress(
            "Looking for a volume with the folder \\barecount: device %u of %u; Q ends it",
            (unsigned)i + 1, (unsigned)handles.count);
        EFI_SYSTEM->BootServices->ConnectController(handles.at[i], 0, 0, turn != TURN_BUSES);
        *found = try_next(tries);
        goes_on = *found || !console_stop_asked();
    }
    efi_handles_free(&handles);
    return goes_on;
}

/* Firmware with a fast boot option connects only the boot device. */
static EFI_FILE_HANDLE connect_others(unsigned *tries)
{
    EFI_FILE_HANDLE found = 0;

    if (volumes.is_ended)
        return 0;
    console_forget_keys();
    console_progress_start("Looking for a volume with the folder \\barecount; Q ends it");
    for (enum turn turn = TURN_STORAGE; !volumes.is_ended && !found && turn < TURNS; turn++)
        volumes.is_ended = !connect(turn, tries, &found);
    console_progress_end();
    if (volumes.is_ended)
        early_remark("a key ended the search for a volume with the folder \\barecount");
    return found;
}

EFI_FILE_HANDLE volume_next(unsigned *tries)
{
    EFI_FILE_HANDLE found;

    if (*tries == 0) {
        volumes.tried[(*tries)++] = volumes.chosen;
        volumes.connected = false;
    }
    volumes.chosen = volumes.tried[0];
    found = try_next(tries);
    if (found || volumes.connected)
        return found;
    volumes.connected = true;
    return connect_others(tries);
}

void volume_path(struct out *out)
{
    put_path(volumes.chosen, out);
}

EFI_HANDLE volume_of_results(void)
{
    return volumes.chosen;
}

EFI_HANDLE volume_of_program(void)
{
    EFI_LOADED_IMAGE *image = efi_interface(EFI_IMAGE, &image_guid);

    return image ? image->DeviceHandle : 0;
}

bool volume_is_cd(EFI_HANDLE volume)
{
    return volume && bytes_before_part(efi_interface(volume, &path_guid), NODE_MEDIA_CDROM) > 0;
}

/* Some firmware has read-only file systems of its own; iPXE makes one for its downloads. */
static bool can_be_ours(EFI_HANDLE volume, EFI_FILE_HANDLE root)
{
    const EFI_BLOCK_IO *disk = root ? efi_interface(volume, &disk_guid) : 0;

    return root && (has_our_folder(volume, root) || (disk && !disk->Media->ReadOnly));
}

static EFI_FILE_HANDLE find_hidden(void)
{
    struct efi_handles handles = efi_handles_of(&file_system_guid);
    unsigned tries = 0;

    volumes.tried[tries++] = 0; /* no volume has failed */
    for (UINTN i = 0; i < handles.count && tries < VOLUMES_MAX; i++)
        volumes.tried[tries++] = handles.at[i];
    efi_handles_free(&handles);
    return connect_others(&tries);
}

static EFI_FILE_HANDLE choose(void)
{
    EFI_HANDLE boot_volume = volume_of_program();
    EFI_FILE_HANDLE own, found;

    found = boot_volume ? find_other(boot_volume, false) : 0;
    if (found)
        return found;
    own = boot_volume ? open_root(boot_volume) : 0;
    /*
     * If the boot volume is not usable, as after a network boot, a volume with the folder
     * \barecount on any disk is used instead.
     */
    if (!can_be_ours(boot_volume, own)) {
        found = find_other(boot_volume, true);
        if (!found)
            found = find_hidden();
    }
    if (found) {
        if (own)
            own->Close(own);
        return found;
    }
    volumes.chosen = own ? boot_volume : 0;
    return own;
}

EFI_FILE_HANDLE volume_choose(bool *all_answered)
{
    EFI_FILE_HANDLE root = choose();

    *all_answered = !volumes.overlooked;
    return root;
}
