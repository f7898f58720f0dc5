/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configures a NIC's address: UEFI specification 2.10, section 28.5 "EFI_IP4_CONFIG2_PROTOCOL",
 * which gnu-efi 3.0.15 lacks.
 */
#include "boot/net/nics.h"
#include "pmu/base/out.h"

#define LINK_US        5000000u  /* longest wait for the link of a NIC that was just started */
#define ADDRESS_US     15000000u /* longest wait for DHCP */
#define INFO_BYTES     4096u
#define DATA_INTERFACE 0u
#define DATA_POLICY    1u
#define DATA_DNS       4u
#define POLICY_STATIC  0u
#define POLICY_DHCP    1u
#define MAC_BYTES      6u
#define TICKS_PER_US   10u

static EFI_GUID config_guid = {
    0x5b446ed1, 0xe30b, 0x4faa, {0x87, 0x1a, 0x36, 0x54, 0xec, 0xa3, 0x60, 0x80}};

typedef struct ip4_config2 IP4_CONFIG2;

struct ip4_config2 {
    EFI_STATUS(EFIAPI *set_data)(IP4_CONFIG2 *, UINT32 type, UINTN bytes, void *data);
    EFI_STATUS(EFIAPI *get_data)(IP4_CONFIG2 *, UINT32 type, UINTN *bytes, void *data);
    EFI_STATUS(EFIAPI *register_notify)(IP4_CONFIG2 *, UINT32 type, EFI_EVENT);
    EFI_STATUS(EFIAPI *unregister_notify)(IP4_CONFIG2 *, UINT32 type, EFI_EVENT);
};

struct interface_info {
    CHAR16 name[32];
    UINT8 type;
    UINT32 hardware_bytes;
    EFI_MAC_ADDRESS hardware;
    EFI_IPv4_ADDRESS station, mask;
    UINT32 routes_bytes;
    void *routes;
};

union info {
    struct interface_info interface;
    UINT8 bytes[INFO_BYTES]; /* the routes are stored after the struct */
};

static struct {
    EFI_HANDLE nic;
    IP4_CONFIG2 *config; /* null: no NIC in use */
    bool policy_changed;
    UINT32 policy; /* the original policy */
    EFI_EVENT link_bound;
    bool had_time, no_link; /* had_time: whether link_bound has expired */
} used;

/* Null: no data. */
static const struct interface_info *info_of(IP4_CONFIG2 *config)
{
    static union info info;
    UINTN bytes = sizeof(info);

    if (!config || config->get_data(config, DATA_INTERFACE, &bytes, &info) != EFI_SUCCESS)
        return 0;
    return &info.interface;
}

bool net_hardware_address(EFI_HANDLE nic, char name[NET_NAME_BYTES])
{
    const struct interface_info *info = info_of(efi_interface(nic, &config_guid));
    struct out out = out_buffer(name, NET_NAME_BYTES);

    if (!info)
        return false;
    for (unsigned i = 0; i < MAC_BYTES; i++)
        out_printf(&out, "%s%02x", i > 0 ? ":" : "", info->hardware.Addr[i]);
    out_end(&out);
    return true;
}

static bool has_address(IP4_CONFIG2 *config)
{
    const struct interface_info *info = info_of(config);

    return info && (info->station.Addr[0] | info->station.Addr[1] | info->station.Addr[2] |
                    info->station.Addr[3]) != 0;
}

/* Sets *done once the NIC has an address, or if it has no link after LINK_US. */
static void look_for_address(void *done)
{
    if (EFI_SYSTEM->BootServices->CheckEvent(used.link_bound) == EFI_SUCCESS)
        used.had_time = true;
    used.no_link = used.had_time && net_has_no_link(used.nic);
    if (used.no_link || has_address(used.config))
        *(volatile bool *)done = true;
}

static enum net_result wait_for_address(void)
{
    EFI_BOOT_SERVICES *services = EFI_SYSTEM->BootServices;
    volatile bool done = false;
    enum net_result result;

    used.had_time = used.no_link = false;
    if (services->CreateEvent(EVT_TIMER, 0, 0, 0, &used.link_bound) != EFI_SUCCESS)
        return net_fail(NET_SILENT, "the firmware cannot create a timer");
    services->SetTimer(used.link_bound, TimerRelative, (uint64_t)LINK_US * TICKS_PER_US);
    result = net_wait(&done, look_for_address, (void *)&done, ADDRESS_US, "DHCP");
    efi_close(used.link_bound);
    if (used.no_link)
        return net_fail(NET_SILENT, "no link: check the NIC's cable and the switch");
    if (result == NET_SILENT)
        return net_fail(NET_SILENT,
                        "no address by DHCP in %u s: check that a DHCP server is on this network",
                        (unsigned)(ADDRESS_US / 1000000));
    return result;
}

enum net_result net_address_take(EFI_HANDLE nic)
{
    UINT32 dhcp = POLICY_DHCP;
    UINTN bytes = sizeof(used.policy);
    EFI_STATUS status;

    used.nic = nic;
    used.config = efi_interface(nic, &config_guid);
    used.policy = POLICY_STATIC;
    used.policy_changed = false;
    if (!used.config)
        return net_fail(NET_SILENT, "this firmware has no EFI_IP4_CONFIG2_PROTOCOL (UEFI 2.5)");
    if (has_address(used.config))
        return NET_OK;
    status = used.config->get_data(used.config, DATA_POLICY, &bytes, &used.policy);
    if (status == EFI_SUCCESS && used.policy != POLICY_DHCP) {
        status = used.config->set_data(used.config, DATA_POLICY, sizeof(dhcp), &dhcp);
        used.policy_changed = status == EFI_SUCCESS;
    }
    if (status != EFI_SUCCESS)
        return net_fail_status("DHCP", status);
    return wait_for_address();
}

void net_address_give_back(void)
{
    if (used.config && used.policy_changed)
        used.config->set_data(used.config, DATA_POLICY, sizeof(used.policy), &used.policy);
    used.config = 0;
    used.policy_changed = false;
}

unsigned net_dns_servers(EFI_IPv4_ADDRESS *server, unsigned room)
{
    static EFI_IPv4_ADDRESS known[INFO_BYTES / sizeof(EFI_IPv4_ADDRESS)];
    UINTN bytes = sizeof(known);
    unsigned count = 0;

    if (used.config->get_data(used.config, DATA_DNS, &bytes, known) != EFI_SUCCESS)
        return 0;
    for (; count < room && count < bytes / sizeof(known[0]); count++)
        server[count] = known[count];
    return count;
}
