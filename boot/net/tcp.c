/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests whether a TCP port answers: UEFI specification 2.10, section 28.1 "EFI_TCP4_PROTOCOL". The
 * firmware's HTTP would wait for a silent port for up to a minute, and could not be stopped.
 */
#include "boot/net/nics.h"

#include <efitcp.h>

#define CONNECT_US   5000000u
#define TIME_TO_LIVE 64u

/* UEFI specification, appendix "Status Codes"; gnu-efi 3.0.15 lacks them. */
#define CONNECTION_RESET   EFIERR(105)
#define CONNECTION_REFUSED EFIERR(106)

static EFI_GUID binding_guid = EFI_TCP4_SERVICE_BINDING_PROTOCOL;
static EFI_GUID tcp_guid = EFI_TCP4_PROTOCOL;

/* A closed port answers with a reset (RFC 9293, section 3.5.2). */
static enum net_result judge(EFI_STATUS status, const struct url *server)
{
    if (status == EFI_SUCCESS)
        return NET_OK;
    if (status == CONNECTION_RESET || status == CONNECTION_REFUSED)
        return net_fail(NET_SILENT,
                        "port %u of the server refuses connections: check the port, and that "
                        "the server runs",
                        server->port);
    return net_fail_status("TCP", status);
}

static void poll_tcp(void *tcp)
{
    ((EFI_TCP4 *)tcp)->Poll(tcp);
}

static enum net_result connect(EFI_TCP4 *tcp, const struct url *server)
{
    volatile bool done;
    EFI_TCP4_CONNECTION_TOKEN token = {.CompletionToken.Event = net_event(&done)};
    enum net_result result;
    EFI_STATUS status;

    if (!token.CompletionToken.Event)
        return net_fail(NET_SILENT, "TCP: the firmware cannot create an event");
    status = tcp->Connect(tcp, &token);
    if (status == EFI_SUCCESS) {
        result = net_wait(&done, poll_tcp, tcp, CONNECT_US, "TCP");
        if (result == NET_SILENT)
            net_fail(NET_SILENT,
                     "TCP: no answer in %u s: check the server's address, and that the "
                     "server is up",
                     CONNECT_US / 1000000);
        else if (result == NET_OK)
            result = judge(token.CompletionToken.Status, server);
    } else {
        result = net_fail_status("TCP", status);
    }
    tcp->Configure(tcp, 0); /* closes the connection and completes a pending token */
    efi_close(token.CompletionToken.Event);
    return result;
}

enum net_result net_reach(EFI_HANDLE nic, const struct url *server)
{
    EFI_TCP4_CONFIG_DATA config = {.TimeToLive = TIME_TO_LIVE,
                                   .AccessPoint = {.UseDefaultAddress = TRUE, .ActiveFlag = TRUE}};
    struct net_child child;
    enum net_result result;
    EFI_STATUS status;

    if (!net_child_open(&child, nic, &binding_guid, &tcp_guid, "TCP"))
        return NET_SILENT;
    for (unsigned i = 0; i < 4; i++)
        config.AccessPoint.RemoteAddress.Addr[i] = server->address[i];
    config.AccessPoint.RemotePort = server->port;
    status = ((EFI_TCP4 *)child.protocol)->Configure(child.protocol, &config);
    result =
        status == EFI_SUCCESS ? connect(child.protocol, server) : net_fail_status("TCP", status);
    net_child_close(&child);
    return result;
}
