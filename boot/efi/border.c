/* SPDX-License-Identifier: BSD-2-Clause */
/* Wraps the firmware's tables, handles and status codes for boot/efi/ and boot/net/. */
#include "boot/efi/border.h"

#include <efipciio.h>

#define PATH_BYTES_MAX  4096u
#define PATH_NODE_BYTES 4u /* type, subtype, length */
#define PATH_NODE_END   0x7fu
#define PCI_CLASS_AT    0x0au /* two bytes: subclass, class (PCI Local Bus Specification) */

EFI_HANDLE EFI_IMAGE;
EFI_SYSTEM_TABLE *EFI_SYSTEM;

void *efi_table(const EFI_GUID *guid)
{
    const uint64_t *wanted = (const uint64_t *)guid;

    for (UINTN i = 0; i < EFI_SYSTEM->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *entry = &EFI_SYSTEM->ConfigurationTable[i];
        const uint64_t *found = (const uint64_t *)&entry->VendorGuid;

        if (found[0] == wanted[0] && found[1] == wanted[1])
            return entry->VendorTable;
    }
    return 0;
}

void *efi_interface(EFI_HANDLE handle, EFI_GUID *protocol)
{
    void *interface = 0;

    if (EFI_SYSTEM->BootServices->HandleProtocol(handle, protocol, &interface) != EFI_SUCCESS)
        return 0;
    return interface;
}

void *efi_any_interface(EFI_GUID *protocol)
{
    void *interface = 0;

    if (EFI_SYSTEM->BootServices->LocateProtocol(protocol, 0, &interface) != EFI_SUCCESS)
        return 0;
    return interface;
}

uint16_t efi_pci_class(EFI_HANDLE handle)
{
    EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
    EFI_PCI_IO *pci = efi_interface(handle, &guid);
    uint16_t class = PCI_CLASS_NONE;

    if (pci)
        pci->Pci.Read(pci, EfiPciIoWidthUint16, PCI_CLASS_AT, 1, &class);
    return class;
}

const uint8_t *efi_path_node(const uint8_t *path, uint8_t type, uint8_t subtype, uint32_t *bytes)
{
    uint32_t at = 0;

    while (path && at < PATH_BYTES_MAX && path[at] != PATH_NODE_END) {
        *bytes = path[at + 2] | (uint32_t)path[at + 3] << 8;
        if (*bytes < PATH_NODE_BYTES)
            return 0;
        if (path[at] == type && path[at + 1] == subtype)
            return path + at;
        at += *bytes;
    }
    return 0;
}

bool efi_leads_through(EFI_HANDLE handle, EFI_HANDLE device)
{
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    const uint8_t *path = handle ? efi_interface(handle, &guid) : 0;
    const uint8_t *begin = path ? efi_interface(device, &guid) : 0;
    uint32_t at = 0;

    while (begin && at < PATH_BYTES_MAX && begin[at] != PATH_NODE_END) {
        uint32_t bytes = begin[at + 2] | (uint32_t)begin[at + 3] << 8;

        if (bytes < PATH_NODE_BYTES || path[at] == PATH_NODE_END)
            return false;
        for (uint32_t i = 0; i < bytes; i++)
            if (path[at + i] != begin[at + i])
                return false;
        at += bytes;
    }
    return at > 0 && at < PATH_BYTES_MAX;
}

void efi_close(EFI_EVENT event)
{
    EFI_SYSTEM->BootServices->CloseEvent(event);
}

void efi_free(void *pool)
{
    if (pool)
        EFI_SYSTEM->BootServices->FreePool(pool);
}

struct efi_handles efi_handles_of(EFI_GUID *protocol)
{
    struct efi_handles handles = {.count = 0};
    EFI_STATUS status = EFI_SYSTEM->BootServices->LocateHandleBuffer(ByProtocol, protocol, 0,
                                                                     &handles.count, &handles.at);

    if (status != EFI_SUCCESS)
        handles = (struct efi_handles){.count = 0};
    handles.status = status;
    return handles;
}

void efi_handles_free(struct efi_handles *handles)
{
    efi_free(handles->at);
}

const char *efi_words_of(const struct efi_words *table, EFI_STATUS status)
{
    while (table->words && table->status != status)
        table++;
    return table->words;
}

const char *efi_status_name(EFI_STATUS status)
{
    static const struct efi_words NAMES[] = {
        {EFI_SUCCESS, "EFI_SUCCESS"},
        {EFI_LOAD_ERROR, "EFI_LOAD_ERROR"},
        {EFI_INVALID_PARAMETER, "EFI_INVALID_PARAMETER"},
        {EFI_UNSUPPORTED, "EFI_UNSUPPORTED"},
        {EFI_NOT_READY, "EFI_NOT_READY"},
        {EFI_DEVICE_ERROR, "EFI_DEVICE_ERROR"},
        {EFI_WRITE_PROTECTED, "EFI_WRITE_PROTECTED"},
        {EFI_OUT_OF_RESOURCES, "EFI_OUT_OF_RESOURCES"},
        {EFI_VOLUME_CORRUPTED, "EFI_VOLUME_CORRUPTED"},
        {EFI_VOLUME_FULL, "EFI_VOLUME_FULL"},
        {EFI_NO_MEDIA, "EFI_NO_MEDIA"},
        {EFI_MEDIA_CHANGED, "EFI_MEDIA_CHANGED"},
        {EFI_NOT_FOUND, "EFI_NOT_FOUND"},
        {EFI_ACCESS_DENIED, "EFI_ACCESS_DENIED"},
        {EFI_TIMEOUT, "EFI_TIMEOUT"},
        {EFI_ABORTED, "EFI_ABORTED"},
        {EFI_SECURITY_VIOLATION, "EFI_SECURITY_VIOLATION"},
        {EFI_WARN_DELETE_FAILURE, "EFI_WARN_DELETE_FAILURE"},
        {0, 0},
    };
    const char *name = efi_words_of(NAMES, status);

    return name ? name : "an unnamed EFI error";
}
