/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and connects NICs, and uses one at a time. */
#include "boot/efi/console.h"
#include "boot/net/nics.h"
#include "boot/efi/firmware.h"
#include "pmu/base/text.h"

#include <efipciio.h>

#define NICS_MAX           8u
#define PCI_CLASS          0x08u
#define PCI_CLASS_NETWORK  0x02u
#define PCI_CLASS_OF(word) ((word) >> 24)

static EFI_GUID pci_guid = EFI_PCI_IO_PROTOCOL_GUID;
static EFI_GUID network_guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;

static struct {
    unsigned nics;
    EFI_HANDLE nic[NICS_MAX];
    char name[NICS_MAX][NET_NAME_BYTES];
    unsigned connected; /* number of controllers to which connect() gave a driver */
    EFI_HANDLE controller[NICS_MAX];
    const struct net_scheme *scheme; /* null: no NIC in use */
} net;

static bool has_driver(EFI_HANDLE controller)
{
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *entry = 0;
    UINTN count = 0;
    bool found = false;

    if (EFI_SYSTEM->BootServices->OpenProtocolInformation(controller, &pci_guid, &entry, &count) !=
        EFI_SUCCESS)
        return false;
    for (UINTN i = 0; i < count; i++)
        found |= entry[i].Attributes & EFI_OPEN_PROTOCOL_BY_DRIVER;
    efi_free(entry);
    return found;
}

/* Firmware with a fast boot option may not have connected drivers to NICs. */
static void connect(EFI_HANDLE controller)
{
    bool driven = has_driver(controller);
    EFI_PCI_IO *pci = efi_interface(controller, &pci_guid);
    UINT32 class = 0;

    if (!pci || pci->Pci.Read(pci, EfiPciIoWidthUint32, PCI_CLASS, 1, &class) != EFI_SUCCESS ||
        PCI_CLASS_OF(class) != PCI_CLASS_NETWORK || net.connected == NICS_MAX)
        return;
    if (EFI_SYSTEM->BootServices->ConnectController(controller, 0, 0, TRUE) == EFI_SUCCESS &&
        !driven)
        net.controller[net.connected++] = controller;
}

static void each_handle(EFI_GUID *guid, void (*call)(EFI_HANDLE handle))
{
    struct efi_handles handles = efi_handles_of(guid);

    for (UINTN i = 0; i < handles.count; i++)
        call(handles.at[i]);
    efi_handles_free(&handles);
}

/* The NIC that the program was booted from comes first. */
static void add_nic(EFI_HANDLE handle)
{
    char name[NET_NAME_BYTES], source[NET_NAME_BYTES];
    unsigned at = net.nics;

    if (net.nics == NICS_MAX || !net_hardware_address(handle, name))
        return;
    net_source_name(source);
    net.nics++;
    for (; at > 0 && text_same(name, source); at--) {
        net.nic[at] = net.nic[at - 1];
        text_copy(net.name[at], NET_NAME_BYTES, net.name[at - 1]);
    }
    net.nic[at] = handle;
    text_copy(net.name[at], NET_NAME_BYTES, name);
}

unsigned net_start(void)
{
    struct efi_handles drivers;

    net.nics = net.connected = 0;
    each_handle(&pci_guid, connect);
    each_handle(&network_guid, add_nic);
    if (net.nics > 0)
        return net.nics;
    drivers = efi_handles_of(&network_guid);
    net_fail(NET_SILENT, drivers.count > 0
                             ? "the firmware has no IPv4 for its NICs: switch on its network stack "
                               "in the setup"
                             : "the firmware drives no NIC: check that there is one, and that the "
                               "firmware's network stack is on in the setup");
    efi_handles_free(&drivers);
    return 0;
}

void net_stop(void)
{
    net_leave();
    while (net.connected > 0)
        EFI_SYSTEM->BootServices->DisconnectController(net.controller[--net.connected], 0, 0);
    net.nics = 0;
}

const char *net_name(unsigned nic)
{
    return net.name[nic];
}

enum net_result net_use(unsigned nic, const struct url *server)
{
    static const struct net_scheme *const SCHEMES[] = {
        [URL_HTTP] = &NET_HTTP, [URL_TFTP] = &NET_TFTP};
    enum net_result result = net_address_take(net.nic[nic]);

    if (result == NET_OK) {
        net.scheme = SCHEMES[server->scheme];
        result = net.scheme->open(net.nic[nic], server);
    }
    if (result != NET_OK)
        net_leave();
    return result;
}

void net_leave(void)
{
    if (net.scheme)
        net.scheme->close();
    net.scheme = 0;
    net_address_give_back();
}

enum net_result net_look(const struct net_file *file)
{
    return net.scheme->look(file);
}

enum net_result net_fetch(const struct net_file *file, void *to, size_t room, size_t *count)
{
    return net.scheme->fetch(file, to, room, count);
}

enum net_result net_send(const struct net_file *file, const void *bytes, size_t count,
                         void (*progress)(size_t sent))
{
    return net.scheme->send(file, bytes, count, progress);
}
