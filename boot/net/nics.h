/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the network protocols. Boot CPU only. */
#ifndef BARECOUNT_BOOT_NET_NICS_H
#define BARECOUNT_BOOT_NET_NICS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/border.h"
#include "boot/net/net.h"

#define NET_ANSWER_US 10000000u /* limit for a server's answer */

/* An instance of a protocol, made by the NIC's service binding protocol. */
struct net_child {
    EFI_SERVICE_BINDING *binding;
    EFI_HANDLE handle;
    void *protocol; /* null: not open */
};

/* False if the NIC lacks the protocol or the firmware fails; net_error() then says why. */
bool net_child_open(struct net_child *child, EFI_HANDLE nic, EFI_GUID *binding, EFI_GUID *protocol,
                    const char *name);
void net_child_close(struct net_child *child);

/* Creates an event that sets *done; close it with efi_close(). Null: creation failed. */
EFI_EVENT net_event(volatile bool *done);

/*
 * Calls poll(context) until *done is true. Returns NET_SILENT after bound_us or if there is no
 * timer, and NET_STOPPED if Esc or Q is pressed; net_error() says why.
 */
enum net_result net_wait(const volatile bool *done, void (*poll)(void *context), void *context,
                         uint64_t bound_us, const char *what);

/* Sets the text of net_error() and returns `result`. */
enum net_result net_fail(enum net_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the text of net_error() for an EFI status and returns NET_SILENT. */
enum net_result net_fail_status(const char *what, EFI_STATUS status);

/* Whether the firmware reports that no cable is connected. */
bool net_has_no_link(EFI_HANDLE nic);

/*
 * Gets an address by DHCP unless the NIC has one. net_address_give_back() restores the NIC's
 * address policy.
 */
enum net_result net_address_take(EFI_HANDLE nic);
void net_address_give_back(void);
/* False if EFI_IP4_CONFIG2_PROTOCOL does not provide the address. */
bool net_hardware_address(EFI_HANDLE nic, char name[NET_NAME_BYTES]);

/* Stores at most `room` DNS servers of the NIC in use, and returns their number. */
unsigned net_dns_servers(EFI_IPv4_ADDRESS *server, unsigned room);
/* Resolves the server's name by DNS and stores the address in *server. */
enum net_result net_resolve(EFI_HANDLE nic, struct url *server);

/* Checks that the server accepts a connection at its address and TCP port. */
enum net_result net_reach(EFI_HANDLE nic, const struct url *server);

/* The functions of a URL scheme (pmu/base/url.h). */
struct net_scheme {
    enum net_result (*open)(EFI_HANDLE nic, const struct url *server);
    void (*close)(void);
    enum net_result (*look)(const struct net_file *file);
    enum net_result (*fetch)(const struct net_file *file, void *to, size_t room, size_t *count);
    enum net_result (*send)(const struct net_file *file, const void *bytes, size_t count,
                            void (*progress)(size_t sent));
};

extern const struct net_scheme NET_HTTP, NET_TFTP;

/* The hardware address of the NIC that the program was booted from; "" if there is none. */
void net_source_name(char name[NET_NAME_BYTES]);

#endif
