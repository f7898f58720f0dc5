/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves host names with EFI_DNS4_PROTOCOL (UEFI specification 2.10), which gnu-efi 3.0.15 lacks.
 * The firmware's HTTP also resolves names, but no key can end its wait of up to a minute.
 */
#include "boot/net/nics.h"
#include "pmu/base/out.h"

#define SERVERS_MAX   4u
#define PROTOCOL_UDP  17u
#define TRIES         3u
#define TRY_S         2u
#define ADDRESS_BYTES 4u
#define GIVE_ADDRESS  "; or give its address in place of its name"

static EFI_GUID binding_guid = {
    0xb625b186, 0xe063, 0x44f7, {0x89, 0x05, 0x6a, 0x74, 0xdc, 0x6f, 0x52, 0xb4}};
static EFI_GUID dns_guid = {
    0xae3d28cc, 0xe05b, 0x4fa1, {0xa0, 0x11, 0x7e, 0xb5, 0x5a, 0x3f, 0x14, 0x01}};

struct dns_config {
    UINTN servers;
    EFI_IPv4_ADDRESS *server;
    BOOLEAN use_default_setting, use_cache;
    UINT8 protocol;
    EFI_IPv4_ADDRESS station, subnet;
    UINT16 local_port;
    UINT32 tries, try_s;
};

struct dns_addresses {
    UINT32 count;
    EFI_IPv4_ADDRESS *address;
};

struct dns_token {
    EFI_EVENT event;
    EFI_STATUS status;
    UINT32 tries, try_s;
    /* The firmware allocates `found` and found->address; take() frees both. */
    struct dns_addresses *found;
};

typedef struct dns DNS;

struct dns {
    void *get_mode_data;
    EFI_STATUS(EFIAPI *configure)(DNS *, struct dns_config *);
    EFI_STATUS(EFIAPI *host_name_to_ip)(DNS *, CHAR16 *name, struct dns_token *);
    void *ip_to_host_name, *general_look_up, *update_cache;
    EFI_STATUS(EFIAPI *poll)(DNS *);
    EFI_STATUS(EFIAPI *cancel)(DNS *, struct dns_token *);
};

static void poll_dns(void *dns)
{
    ((DNS *)dns)->poll(dns);
}

static enum net_result is_silent(const struct url *server)
{
    return net_fail(NET_SILENT, "DNS: no answer for %s: check the DNS server" GIVE_ADDRESS,
                    server->host);
}

static enum net_result take(struct dns_token *token, struct url *server)
{
    struct dns_addresses *found = token->found;
    bool is_there = token->status == EFI_SUCCESS && found && found->count > 0 && found->address;

    for (unsigned i = 0; is_there && i < ADDRESS_BYTES; i++)
        server->address[i] = found->address[0].Addr[i];
    if (found)
        efi_free(found->address);
    efi_free(found);
    if (token->status == EFI_TIMEOUT)
        return is_silent(server);
    if (!is_there)
        return net_fail(NET_SILENT, "DNS has no address for %s: check the name" GIVE_ADDRESS,
                        server->host);
    url_put_address(server);
    return NET_OK;
}

static enum net_result ask(DNS *dns, struct url *server)
{
    volatile bool done;
    struct dns_token token = {.event = net_event(&done), .tries = TRIES, .try_s = TRY_S};
    CHAR16 name[URL_HOST_BYTES];
    enum net_result result;
    EFI_STATUS status;
    unsigned i = 0;

    if (!token.event)
        return net_fail(NET_SILENT, "DNS: the firmware cannot create an event");
    for (; server->host[i]; i++)
        name[i] = (CHAR16)server->host[i];
    name[i] = 0;
    status = dns->host_name_to_ip(dns, name, &token);
    if (status == EFI_SUCCESS) {
        result = net_wait(&done, poll_dns, dns, NET_ANSWER_US, "DNS");
        if (result != NET_OK)
            dns->cancel(dns, &token);
        if (result == NET_SILENT)
            result = is_silent(server);
        else if (result == NET_OK)
            result = take(&token, server);
    } else {
        result = net_fail_status("DNS", status);
    }
    efi_close(token.event);
    return result;
}

enum net_result net_resolve(EFI_HANDLE nic, struct url *server)
{
    EFI_IPv4_ADDRESS servers[SERVERS_MAX];
    struct dns_config config = {.servers = net_dns_servers(servers, SERVERS_MAX),
                                .server = servers,
                                .use_default_setting = TRUE,
                                .protocol = PROTOCOL_UDP,
                                .tries = TRIES,
                                .try_s = TRY_S};
    struct net_child child;
    enum net_result result;
    EFI_STATUS status;

    if (config.servers == 0)
        return net_fail(NET_SILENT,
                        "DHCP names no DNS server to ask for %s: let it name one" GIVE_ADDRESS,
                        server->host);
    if (!net_child_open(&child, nic, &binding_guid, &dns_guid, "DNS"))
        return net_fail(NET_SILENT, "this firmware cannot ask DNS for %s: give its address",
                        server->host);
    status = ((DNS *)child.protocol)->configure(child.protocol, &config);
    result = status == EFI_SUCCESS ? ask(child.protocol, server) : net_fail_status("DNS", status);
    net_child_close(&child);
    return result;
}
