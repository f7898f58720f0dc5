/* SPDX-License-Identifier: BSD-2-Clause */
/* NICs, and what their protocols share. */
#include "boot/efi/console.h"
#include "boot/net/nics.h"
#include "boot/efi/firmware.h"
#include "pmu/base/text.h"

#include <efipciio.h>

#define NICS_MAX           8u
#define ERROR_BYTES        160u
#define POLL_US            500u
#define TICKS_PER_US       10u /* of timer events: 100 ns */
#define PCI_CLASS          0x08u
#define PCI_CLASS_NETWORK  0x02u
#define PCI_CLASS_OF(word) ((word) >> 24)

static EFI_GUID pci_guid = EFI_PCI_IO_PROTOCOL_GUID;
static EFI_GUID network_guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;

static struct {
    unsigned nics;
    EFI_HANDLE nic[NICS_MAX];
    char name[NICS_MAX][NET_NAME_BYTES];
    unsigned connected; /* controllers that nobody drove before */
    EFI_HANDLE controller[NICS_MAX];
    const struct net_scheme *scheme; /* of the NIC in use; null: none is */
    char error[ERROR_BYTES];
} net;

const char *net_error(void)
{
    return net.error;
}

enum net_result net_fail(enum net_result result, const char *format, ...)
{
    struct out out = out_buffer(net.error, sizeof(net.error));
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    out_end(&out);
    return result;
}

enum net_result net_fail_status(const char *what, EFI_STATUS status)
{
    /* UEFI specification, appendix "Status Codes"; gnu-efi does not have those of networks. */
    static const struct {
        EFI_STATUS status;
        const char *words;
    } WORDS[] = {
        {EFIERR(100), "the network cannot be reached: check its address and the gateway"},
        {EFIERR(101), "the server cannot be reached: check its address, and that it is up"},
        {EFIERR(102), "the server does not speak this protocol"},
        {EFIERR(103), "nobody serves this port there: check the port, and that the server runs"},
        {EFIERR(104), "the server closed the connection"},
        {EFIERR(105), "the server reset the connection"},
        {EFIERR(106), "the server refuses connections: check the port, and that it runs"},
        {EFI_NO_MAPPING, "there is no address"},
        {EFI_NO_RESPONSE, "no answer"},
        {EFI_TIMEOUT, "no answer in time: check the server's address, and that it is up"},
        {EFI_NO_MEDIA, "no link"},
        {EFI_UNSUPPORTED, "this firmware cannot do it (EFI_UNSUPPORTED)"},
    };

    for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (WORDS[i].status == status)
            return net_fail(NET_SILENT, "%s: %s", what, WORDS[i].words);
    return net_fail(NET_SILENT, "%s: %s (EFI status %u)", what, efi_status_name(status),
                    (unsigned)(status & 0xffff));
}

bool net_child_open(struct net_child *child, EFI_HANDLE nic, EFI_GUID *binding, EFI_GUID *protocol,
                    const char *name)
{
    EFI_BOOT_SERVICES *services = EFI_SYSTEM->BootServices;
    EFI_STATUS status;

    *child = (struct net_child){0};
    if (services->HandleProtocol(nic, binding, (void **)&child->binding) != EFI_SUCCESS) {
        net_fail(NET_SILENT, "this firmware has no %s on this NIC", name);
        return false;
    }
    status = child->binding->CreateChild(child->binding, &child->handle);
    if (status == EFI_SUCCESS)
        status = services->HandleProtocol(child->handle, protocol, &child->protocol);
    if (status == EFI_SUCCESS)
        return true;
    net_fail_status(name, status);
    net_child_close(child);
    return false;
}

void net_child_close(struct net_child *child)
{
    if (child->handle)
        child->binding->DestroyChild(child->binding, child->handle);
    *child = (struct net_child){0};
}

static void EFIAPI set_flag(EFI_EVENT event, void *flag)
{
    (void)event;
    *(volatile bool *)flag = true;
}

EFI_EVENT net_event(volatile bool *done)
{
    EFI_EVENT event = 0;

    *done = false;
    if (EFI_SYSTEM->BootServices->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, set_flag,
                                              (void *)done, &event) != EFI_SUCCESS)
        return 0;
    return event;
}

static bool is_stop_asked(void)
{
    bool asked = false;
    int key;

    while ((key = console_key()) != KEY_NONE)
        asked |= key == KEY_ESC || key == 'q';
    return asked;
}

enum net_result net_wait(const volatile bool *done, void (*poll)(void *context), void *context,
                         uint64_t bound_us, const char *what)
{
    EFI_BOOT_SERVICES *services = EFI_SYSTEM->BootServices;
    enum net_result result = NET_OK;
    EFI_EVENT bound = 0;

    if (services->CreateEvent(EVT_TIMER, 0, 0, 0, &bound) != EFI_SUCCESS)
        return net_fail(NET_SILENT, "%s: the firmware has no timer", what);
    services->SetTimer(bound, TimerRelative, bound_us * TICKS_PER_US);
    for (poll(context); !*done && result == NET_OK; poll(context)) {
        if (is_stop_asked())
            result = net_fail(NET_STOPPED, "%s: ended by a key", what);
        else if (services->CheckEvent(bound) == EFI_SUCCESS)
            result =
                net_fail(NET_SILENT, "%s: no answer in %u s", what, (unsigned)(bound_us / 1000000));
        else
            firmware_wait_us(POLL_US);
    }
    services->CloseEvent(bound);
    return result;
}

bool net_has_no_link(EFI_HANDLE nic)
{
    EFI_SIMPLE_NETWORK *network = 0;
    UINT32 interrupts = 0;

    if (EFI_SYSTEM->BootServices->HandleProtocol(nic, &network_guid, (void **)&network) !=
            EFI_SUCCESS ||
        network->Mode->State != EfiSimpleNetworkInitialized ||
        !network->Mode->MediaPresentSupported)
        return false;
    network->GetStatus(network, &interrupts, 0); /* renews what Mode says */
    return !network->Mode->MediaPresent;
}

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
    EFI_SYSTEM->BootServices->FreePool(entry);
    return found;
}

/* Firmware that boots fast leaves NICs alone. */
static void connect(EFI_HANDLE controller)
{
    bool driven = has_driver(controller);
    EFI_PCI_IO *pci = 0;
    UINT32 class = 0;

    if (EFI_SYSTEM->BootServices->HandleProtocol(controller, &pci_guid, (void **)&pci) !=
            EFI_SUCCESS ||
        pci->Pci.Read(pci, EfiPciIoWidthUint32, PCI_CLASS, 1, &class) != EFI_SUCCESS ||
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

/* The one that the program came over stands first. */
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
                             : "the firmware drives no NIC: check that there is one, and that its "
                               "network stack is on in the setup");
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
