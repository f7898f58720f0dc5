/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns bus mastering of PCI devices off while kernels run. */
#include "boot/efi/bus_masters.h"
#include "boot/efi/border.h"
#include "boot/efi/firmware.h"
#include "boot/efi/volume.h"
#include "pmu/base/out.h"

#include <efipciio.h>

/* PCI Local Bus Specification, "Configuration Space Header". */
#define PCI_ID             0x00u /* vendor, device */
#define PCI_COMMAND        0x04u
#define PCI_CLASS          0x08u /* bits 31:24 class, 23:16 subclass, 15:8 interface */
#define PCI_HEADER         0x0eu
#define HEADER_TYPE        0x7fu /* 0: a device; others are bridges */
#define COMMAND_BUS_MASTER (1u << 2)
#define COMMAND_NOBODY     0xffffu /* what a read returns if no device answers */

static EFI_GUID pci_guid = EFI_PCI_IO_PROTOCOL_GUID;
static EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;

/* The mask 0xff00 means all subclasses. */
static const struct {
    uint16_t mask, class;
} NEEDED_CLASSES[] = {
    {0xffff, 0x0001},                   /* VGA, built before PCI had class codes */
    {0xffff, 0x0104},                   /* RAID and SAS, which may report the change as an error */
    {0xffff, 0x0107}, {0xff00, 0x0300}, /* displays */
    {0xff00, 0x0500},                   /* memory */
    {0xff00, 0x0600},                   /* bridges */
    {0xff00, 0x0800},                   /* system devices (IOMMU) */
    {0xff00, 0x0b00},                   /* processors */
    {0xffff, 0x0c03},                   /* USB, because the firmware polls USB keyboards */
};

/* Protocols of devices that may belong to a console. */
static EFI_GUID console_guids[] = {
    SIMPLE_TEXT_INPUT_PROTOCOL,  EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID,
    SIMPLE_TEXT_OUTPUT_PROTOCOL, EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID,
    SERIAL_IO_PROTOCOL,
};
#define CONSOLE_GUIDS (sizeof(console_guids) / sizeof(console_guids[0]))

static uint16_t read16(EFI_PCI_IO *pci, uint32_t offset)
{
    uint16_t value = COMMAND_NOBODY;

    pci->Pci.Read(pci, EfiPciIoWidthUint16, offset, 1, &value);
    return value;
}

static void write_command(EFI_PCI_IO *pci, uint16_t value)
{
    pci->Pci.Write(pci, EfiPciIoWidthUint16, PCI_COMMAND, 1, &value);
}

static bool console_needs(EFI_GUID *guid, EFI_HANDLE device)
{
    struct efi_handles handles = efi_handles_of(guid);
    bool needs = false;

    for (UINTN i = 0; i < handles.count && !needs; i++)
        needs = efi_leads_through(handles.at[i], device);
    efi_handles_free(&handles);
    return needs;
}

/* A device without a device path is assumed to be needed. */
static bool is_needed(EFI_HANDLE handle, EFI_PCI_IO *pci, uint16_t class)
{
    for (unsigned i = 0; i < sizeof(NEEDED_CLASSES) / sizeof(NEEDED_CLASSES[0]); i++)
        if ((class & NEEDED_CLASSES[i].mask) == NEEDED_CLASSES[i].class)
            return true;
    if (!efi_interface(handle, &path_guid) || (read16(pci, PCI_HEADER) & HEADER_TYPE) != 0 ||
        efi_leads_through(volume_of_program(), handle) ||
        efi_leads_through(volume_of_results(), handle) ||
        efi_leads_through(EFI_SYSTEM->ConsoleInHandle, handle) ||
        efi_leads_through(EFI_SYSTEM->ConsoleOutHandle, handle) ||
        efi_leads_through(EFI_SYSTEM->StandardErrorHandle, handle))
        return true;
    for (unsigned i = 0; i < CONSOLE_GUIDS; i++)
        if (console_needs(&console_guids[i], handle))
            return true;
    return false;
}

static void name_master(struct bus_master *master, EFI_PCI_IO *pci, uint16_t class)
{
    struct out out = out_buffer(master->name, sizeof(master->name));
    UINTN segment = 0, bus = 0, device = 0, function = 0;

    pci->GetLocation(pci, &segment, &bus, &device, &function);
    out_printf(&out, "PCI ");
    if (segment)
        out_printf(&out, "%04x:", (unsigned)segment);
    out_printf(&out, "%02x:%02x.%u, %04x:%04x (class %04x, command 0x%04x)", (unsigned)bus,
               (unsigned)device, (unsigned)function, read16(pci, PCI_ID), read16(pci, PCI_ID + 2),
               class, master->command);
    out_end(&out);
}

static void consider(struct bus_masters *masters, EFI_HANDLE handle)
{
    struct bus_master *master = &masters->master[masters->count];
    void *pci = efi_interface(handle, &pci_guid);
    uint16_t command, class;

    if (!pci)
        return;
    command = read16(pci, PCI_COMMAND);
    class = read16(pci, PCI_CLASS + 2);
    if (command == COMMAND_NOBODY || !(command & COMMAND_BUS_MASTER) ||
        is_needed(handle, pci, class))
        return;
    if (masters->count == BUS_MASTERS_MAX) {
        masters->left_out++;
        return;
    }
    *master = (struct bus_master){.device = pci, .command = command};
    name_master(master, pci, class);
    masters->count++;
}

static uint32_t read32(EFI_PCI_IO *pci, uint32_t offset)
{
    return (uint32_t)read16(pci, offset) | (uint32_t)read16(pci, offset + 2) << 16;
}

void firmware_list_pci(void (*take)(void *context, const struct machine_pci *pci), void *context)
{
    struct efi_handles handles = efi_handles_of(&pci_guid);

    for (UINTN i = 0; i < handles.count; i++) {
        EFI_PCI_IO *io = efi_interface(handles.at[i], &pci_guid);
        UINTN segment = 0, bus = 0, device = 0, function = 0;

        if (!io)
            continue;
        io->GetLocation(io, &segment, &bus, &device, &function);
        take(context, &(struct machine_pci){
                          .segment = (uint32_t)segment,
                          .bus = (uint32_t)bus,
                          .device = (uint32_t)device,
                          .function = (uint32_t)function,
                          .vendor_id = read16(io, PCI_ID),
                          .device_id = read16(io, PCI_ID + 2),
                          .class_code = read32(io, PCI_CLASS) >> 8,
                      });
    }
    efi_handles_free(&handles);
}

void bus_masters_find(struct bus_masters *masters)
{
    struct efi_handles handles = efi_handles_of(&pci_guid);

    *masters = (struct bus_masters){.count = 0};
    for (UINTN i = 0; i < handles.count; i++)
        consider(masters, handles.at[i]);
    efi_handles_free(&handles);
}

void bus_masters_off(struct bus_masters *masters)
{
    for (unsigned i = 0; i < masters->count; i++) {
        struct bus_master *master = &masters->master[i];
        uint16_t command = read16(master->device, PCI_COMMAND);

        if (master->state != BUS_MASTER_ON || command == COMMAND_NOBODY ||
            !(command & COMMAND_BUS_MASTER))
            continue;
        write_command(master->device, command & (uint16_t)~COMMAND_BUS_MASTER);
        command = read16(master->device, PCI_COMMAND);
        /* A device that no longer answers counts as off, so that its bit is set again later. */
        master->state = command != COMMAND_NOBODY && command & COMMAND_BUS_MASTER
                            ? BUS_MASTER_REFUSES
                            : BUS_MASTER_OFF;
    }
}

void bus_masters_on(struct bus_masters *masters)
{
    for (unsigned i = masters->count; i-- > 0;) {
        struct bus_master *master = &masters->master[i];
        uint16_t command;

        if (master->state != BUS_MASTER_OFF)
            continue;
        command = read16(master->device, PCI_COMMAND);
        if (command == COMMAND_NOBODY)
            command = master->command;
        write_command(master->device, command | COMMAND_BUS_MASTER);
        command = read16(master->device, PCI_COMMAND);
        master->state = command != COMMAND_NOBODY && command & COMMAND_BUS_MASTER
                            ? BUS_MASTER_ON
                            : BUS_MASTER_STUCK;
    }
}
