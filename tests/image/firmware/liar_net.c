/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lies that make network protocols fail. The firmware finds its data by the address of a protocol's
 * structure, so a copy would not work: the functions are replaced in the structure itself.
 */
#include "tests/image/firmware/liar.h"

#define DATA_DNS 4u /* EFI_IP4_CONFIG2_PROTOCOL's number for the list of DNS servers */

/* The fields used in the tokens of HTTP and DNS (UEFI specification 2.10, 29.6 and 29.3). */
struct token {
    EFI_EVENT event;
    EFI_STATUS status;
};
struct dns_token {
    struct token head;
    UINT32 tries, try_s;
    struct dns_addresses {
        UINT32 count;
        EFI_IPv4_ADDRESS *address;
    } * found;
};

struct config {
    void *set_data;
    EFI_STATUS(EFIAPI *get_data)(struct config *, UINT32 type, UINTN *bytes, void *data);
};
struct http {
    void *get_mode_data, *configure;
    EFI_STATUS(EFIAPI *request)(struct http *, struct token *);
};
struct dns {
    void *get_mode_data, *configure;
    EFI_STATUS(EFIAPI *host_name_to_ip)(struct dns *, CHAR16 *name, struct dns_token *);
};

static const EFI_GUID CONFIG_GUID = {
    0x5b446ed1, 0xe30b, 0x4faa, {0x87, 0x1a, 0x36, 0x54, 0xec, 0xa3, 0x60, 0x80}};
static const EFI_GUID HTTP_BINDING_GUID = {
    0xbdc8e6af, 0xd9bc, 0x4379, {0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c}};
static const EFI_GUID HTTP_GUID = {
    0x7a59b29b, 0x910b, 0x4171, {0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b}};
static const EFI_GUID DNS_BINDING_GUID = {
    0xb625b186, 0xe063, 0x44f7, {0x89, 0x05, 0x6a, 0x74, 0xdc, 0x6f, 0x52, 0xb4}};
static const EFI_GUID DNS_GUID = {
    0xae3d28cc, 0xe05b, 0x4fa1, {0xa0, 0x11, 0x7e, 0xb5, 0x5a, 0x3f, 0x14, 0x01}};

static EFI_STATUS(EFIAPI *real_get_data)(struct config *, UINT32, UINTN *, void *);
static EFI_STATUS(EFIAPI *real_request)(struct http *, struct token *);
static EFI_STATUS(EFIAPI *real_host_name_to_ip)(struct dns *, CHAR16 *, struct dns_token *);

static struct {
    EFI_SERVICE_BINDING *at, real;
} bindings[2];
#define BINDINGS (sizeof(bindings) / sizeof(bindings[0]))

static EFI_STATUS EFIAPI create_child(EFI_SERVICE_BINDING *this, EFI_HANDLE *child)
{
    EFI_STATUS status = bindings[this != bindings[0].at].real.CreateChild(this, child);

    held.children += status == EFI_SUCCESS;
    return status;
}

static EFI_STATUS EFIAPI destroy_child(EFI_SERVICE_BINDING *this, EFI_HANDLE child)
{
    held.children--;
    return bindings[this != bindings[0].at].real.DestroyChild(this, child);
}

static void count_children(EFI_SERVICE_BINDING *binding)
{
    unsigned i = 0;

    while (i < BINDINGS && bindings[i].at && bindings[i].at != binding)
        i++;
    if (i == BINDINGS || bindings[i].at)
        return;
    bindings[i].at = binding;
    bindings[i].real = *binding;
    binding->CreateChild = create_child;
    binding->DestroyChild = destroy_child;
}

static EFI_STATUS end(struct token *token, EFI_STATUS status)
{
    token->status = status;
    return REAL->BootServices->SignalEvent(token->event);
}

static EFI_STATUS EFIAPI get_data(struct config *this, UINT32 type, UINTN *bytes, void *data)
{
    if (type == DATA_DNS && lie_acts(&lies.no_server))
        return EFI_NOT_FOUND;
    return real_get_data(this, type, bytes, data);
}

static EFI_STATUS EFIAPI request(struct http *this, struct token *token)
{
    if (lie_acts(&lies.http))
        return end(token, EFIERR(lies.http.value));
    if (lie_acts(&lies.http_call))
        return EFIERR(lies.http_call.value);
    return real_request(this, token);
}

static EFI_STATUS EFIAPI host_name_to_ip(struct dns *this, CHAR16 *name, struct dns_token *token)
{
    EFI_BOOT_SERVICES *services = REAL->BootServices;

    if (lie_acts(&lies.dns))
        return end(&token->head, EFIERR(lies.dns.value));
    if (!lie_acts(&lies.dns_host))
        return real_host_name_to_ip(this, name, token);
    services->AllocatePool(EfiBootServicesData, sizeof(*token->found), (void **)&token->found);
    services->AllocatePool(EfiBootServicesData, sizeof(EFI_IPv4_ADDRESS),
                           (void **)&token->found->address);
    token->found->count = 1;
    token->found->address[0] = (EFI_IPv4_ADDRESS){{10, 0, 2, 2}};
    return end(&token->head, EFI_SUCCESS);
}

void *lie_of_net(const EFI_GUID *guid, void *interface)
{
    if (same_guid(guid, &HTTP_BINDING_GUID) && lie_acts(&lies.no_http))
        return 0;
    if (same_guid(guid, &DNS_BINDING_GUID) && lie_acts(&lies.no_dns))
        return 0;
    if (same_guid(guid, &HTTP_BINDING_GUID) || same_guid(guid, &DNS_BINDING_GUID))
        count_children(interface);
    if (same_guid(guid, &CONFIG_GUID)) {
        struct config *config = interface;

        if (config->get_data != get_data)
            real_get_data = config->get_data;
        config->get_data = get_data;
    } else if (same_guid(guid, &HTTP_GUID)) {
        struct http *http = interface;

        if (http->request != request)
            real_request = http->request;
        http->request = request;
    } else if (same_guid(guid, &DNS_GUID)) {
        struct dns *dns = interface;

        if (dns->host_name_to_ip != host_name_to_ip)
            real_host_name_to_ip = dns->host_name_to_ip;
        dns->host_name_to_ip = host_name_to_ip;
    }
    return interface;
}
