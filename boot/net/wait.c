/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens network protocols, waits with a time limit, and keeps the text of the last error. */
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/net/nics.h"

#define ERROR_BYTES  160u
#define POLL_US      500u
#define TICKS_PER_US 10u /* timer events count in units of 100 ns */

static EFI_GUID network_guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
static char error[ERROR_BYTES];

const char *net_error(void)
{
    return error;
}

enum net_result net_fail(enum net_result result, const char *format, ...)
{
    OUT_FORMAT(error, sizeof(error), format);
    return result;
}

enum net_result net_fail_status(const char *what, EFI_STATUS status)
{
    /* UEFI specification, appendix "Status Codes"; gnu-efi lacks the network errors. */
    static const struct efi_words WORDS[] = {
        {EFIERR(100), "the network cannot be reached: check the server's address and the gateway"},
        {EFIERR(101), "the server cannot be reached: check its address, and that it is up"},
        {EFIERR(102), "the server does not speak this protocol"},
        {EFIERR(103),
         "nothing listens on this port there: check the port, and that the server runs"},
        {EFIERR(104), "the server closed the connection"},
        {EFIERR(105), "the server reset the connection"},
        {EFIERR(106), "the server refuses connections: check the port, and that the server runs"},
        {EFI_NO_MAPPING, "there is no address"},
        {EFI_NO_RESPONSE, "no answer"},
        {EFI_TIMEOUT, "no answer in time: check the server's address, and that it is up"},
        {EFI_NO_MEDIA, "no link"},
        {EFI_UNSUPPORTED, "this firmware cannot do it (EFI_UNSUPPORTED)"},
        {0, 0},
    };
    const char *words = efi_words_of(WORDS, status);

    if (words)
        return net_fail(NET_SILENT, "%s: %s", what, words);
    return net_fail(NET_SILENT, "%s: %s (EFI status %u)", what, efi_status_name(status),
                    (unsigned)(status & 0xffff));
}

bool net_child_open(struct net_child *child, EFI_HANDLE nic, EFI_GUID *binding, EFI_GUID *protocol,
                    const char *name)
{
    EFI_STATUS status;

    *child = (struct net_child){0};
    child->binding = efi_interface(nic, binding);
    if (!child->binding) {
        net_fail(NET_SILENT, "this firmware has no %s on this NIC", name);
        return false;
    }
    status = child->binding->CreateChild(child->binding, &child->handle);
    if (status == EFI_SUCCESS)
        status =
            EFI_SYSTEM->BootServices->HandleProtocol(child->handle, protocol, &child->protocol);
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

enum net_result net_wait(const volatile bool *done, void (*poll)(void *context), void *context,
                         uint64_t bound_us, const char *what)
{
    EFI_BOOT_SERVICES *services = EFI_SYSTEM->BootServices;
    enum net_result result = NET_OK;
    EFI_EVENT bound = 0;

    if (services->CreateEvent(EVT_TIMER, 0, 0, 0, &bound) != EFI_SUCCESS)
        return net_fail(NET_SILENT, "%s: the firmware cannot create a timer", what);
    services->SetTimer(bound, TimerRelative, bound_us * TICKS_PER_US);
    for (poll(context); !*done && result == NET_OK; poll(context)) {
        if (console_stop_asked())
            result = net_fail(NET_STOPPED, "%s: ended by a key", what);
        else if (services->CheckEvent(bound) == EFI_SUCCESS)
            result =
                net_fail(NET_SILENT, "%s: no answer in %u s", what, (unsigned)(bound_us / 1000000));
        else
            firmware_wait_us(POLL_US);
    }
    efi_close(bound);
    return result;
}

bool net_has_no_link(EFI_HANDLE nic)
{
    EFI_SIMPLE_NETWORK *network = efi_interface(nic, &network_guid);
    UINT32 interrupts = 0;

    if (!network || network->Mode->State != EfiSimpleNetworkInitialized ||
        !network->Mode->MediaPresentSupported)
        return false;
    network->GetStatus(network, &interrupts, 0); /* updates MediaPresent in Mode */
    return !network->Mode->MediaPresent;
}
