/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the server that the program was booted from. After a PXE boot, the program reads the
 * server's address from an answer of the PXE, proxy or DHCP server (UEFI specification 2.10,
 * section 24.3; RFC 2132). After an HTTP boot, the device path contains the URI of the program's
 * file (section 10.3.4.22).
 */
#include "boot/efi/early_notes.h"
#include "boot/net/nics.h"
#include "boot/efi/volume.h"
#include "pmu/base/text.h"

#include <efipxebc.h>

#define NODE_MESSAGING   3u
#define NODE_MAC         11u
#define NODE_URI         24u
#define NODE_BYTES       4u /* type, subtype, length */
#define MAC_BYTES        6u
#define DHCP_MAGIC       0x63538263u /* 99.130.83.99 as a little-endian number */
#define OPTION_PAD       0u
#define OPTION_SERVER    54u /* server identifier, an address */
#define OPTION_TFTP_NAME 66u
#define OPTION_BOOT_FILE 67u
#define OPTION_END       255u
#define OPTIONS_AT       __builtin_offsetof(EFI_PXE_BASE_CODE_DHCPV4_PACKET, DhcpOptions)
#define ADDRESS_BYTES    4u
#define BOOT_FILE_BYTES  128u
#define WHY_BYTES        144u

static EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
static EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL;
static EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;

static const uint8_t *path_of(EFI_HANDLE handle)
{
    return handle ? efi_interface(handle, &path_guid) : 0;
}

void net_source_name(char name[NET_NAME_BYTES])
{
    struct out out = out_buffer(name, NET_NAME_BYTES);
    uint32_t bytes;
    const uint8_t *mac =
        efi_path_node(path_of(volume_of_program()), NODE_MESSAGING, NODE_MAC, &bytes);

    for (unsigned i = 0; mac && i < MAC_BYTES && NODE_BYTES + i < bytes; i++)
        out_printf(&out, "%s%02x", i > 0 ? ":" : "", mac[NODE_BYTES + i]);
    out_end(&out);
}

/*
 * Reports an error if the program cannot fetch from the URI, for instance because its scheme is
 * https.
 */
static bool take_uri(const uint8_t *path, struct url *url)
{
    char why[WHY_BYTES];
    struct out out = out_buffer(why, sizeof(why));
    uint32_t bytes;
    const uint8_t *uri = efi_path_node(path, NODE_MESSAGING, NODE_URI, &bytes);
    struct piece text;

    if (!uri)
        return false;
    text = (struct piece){(const char *)uri + NODE_BYTES, bytes - NODE_BYTES};
    text.size = piece_find(text, 0); /* some firmware ends the URI with a zero */
    if (url_parse(text, url, &out))
        return true;
    early_error("cannot fetch plan, events and kernels from the server that the program was loaded "
                "from: %s",
                out_end(&out));
    return false;
}

/* Returns a piece of size 0 if there is no such option. */
static struct piece option_of(const EFI_PXE_BASE_CODE_PACKET *packet, uint8_t wanted)
{
    const uint8_t *raw = packet->Raw;
    uint32_t at = OPTIONS_AT;

    while (packet->Dhcpv4.DhcpMagik == DHCP_MAGIC && at + 1 < sizeof(packet->Raw) &&
           raw[at] != OPTION_END) {
        if (raw[at] == OPTION_PAD) {
            at++;
            continue;
        }
        if (raw[at] == wanted && at + 2 + raw[at + 1] <= sizeof(packet->Raw))
            return (struct piece){(const char *)raw + at + 2, raw[at + 1]};
        at += 2u + raw[at + 1];
    }
    return (struct piece){0};
}

static struct piece boot_file_of(const EFI_PXE_BASE_CODE_PACKET *packet)
{
    struct piece file = option_of(packet, OPTION_BOOT_FILE);

    if (file.size == 0)
        file = (struct piece){(const char *)packet->Dhcpv4.BootpBootFile, BOOT_FILE_BYTES};
    file.size = piece_find(file, 0);
    return file;
}

/*
 * Takes the server's address from BootpSiAddr; if BootpSiAddr is zero, from option 66; if option 66
 * is not an address, from option 54.
 */
static bool server_of(const EFI_PXE_BASE_CODE_PACKET *packet, uint8_t address[ADDRESS_BYTES])
{
    const uint8_t *next = packet->Dhcpv4.BootpSiAddr;
    struct piece option = option_of(packet, OPTION_TFTP_NAME);
    bool has_next = (next[0] | next[1] | next[2] | next[3]) != 0;

    if (!has_next && url_ipv4((struct piece){option.at, piece_find(option, 0)}, address))
        return true;
    option = option_of(packet, OPTION_SERVER);
    if (!has_next && option.size != ADDRESS_BYTES)
        return false;
    for (unsigned i = 0; i < ADDRESS_BYTES; i++)
        address[i] = has_next ? next[i] : (uint8_t)option.at[i];
    return true;
}

/*
 * The URL's path is '/' followed by the file's path, even if the file's path already begins with
 * '/' (RFC 3617).
 */
static bool take_packet(const EFI_PXE_BASE_CODE_PACKET *packet, struct url *url)
{
    struct piece file = boot_file_of(packet);
    struct out path = out_buffer(url->path, sizeof(url->path));

    if (file.size == 0 || !server_of(packet, url->address))
        return false;
    url->scheme = URL_TFTP;
    url->port = 69;
    url_put_address(url);
    out_char(&path, '/');
    for (size_t i = 0; i < file.size; i++)
        out_char(&path, file.at[i] == '\\' ? '/' : file.at[i]);
    out_end(&path);
    return !path.failed;
}

static bool take_pxe(EFI_HANDLE nic, struct url *url)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe = nic ? efi_interface(nic, &pxe_guid) : 0;
    const EFI_PXE_BASE_CODE_MODE *mode;
    bool found;

    if (!pxe)
        return false;
    mode = pxe->Mode;
    if (!mode || !mode->Started)
        return false;
    if (mode->UsingIpv6)
        early_error(
            "cannot fetch plan, events and kernels from the PXE server: the program was loaded "
            "over IPv6, and supports only IPv4");
    found =
        !mode->UsingIpv6 && ((mode->PxeReplyReceived && take_packet(&mode->PxeReply, url)) ||
                             (mode->ProxyOfferReceived && take_packet(&mode->ProxyOffer, url)) ||
                             (mode->DhcpAckReceived && take_packet(&mode->DhcpAck, url)));
    pxe->Stop(pxe); /* releases PXE's address, and stops the NIC */
    return found;
}

bool net_source(struct url *url)
{
    EFI_LOADED_IMAGE *image = efi_interface(EFI_IMAGE, &image_guid);

    *url = (struct url){.scheme = URL_HTTP};
    if (!image)
        return false;
    return take_uri(path_of(image->DeviceHandle), url) ||
           take_uri((const uint8_t *)image->FilePath, url) || take_pxe(image->DeviceHandle, url);
}
