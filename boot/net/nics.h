/* SPDX-License-Identifier: BSD-2-Clause */
/* What the protocols and NICs share. Boot CPU only. */
#ifndef BARECOUNT_BOOT_NET_NICS_H
#define BARECOUNT_BOOT_NET_NICS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/border.h"
#include "boot/net/net.h"

#define NET_ANSWER_US 10000000u /* for a server's next answer, when nothing else happens */

/* A protocol's instance of our own, by the service binding protocol of a NIC. */
struct net_child {
    EFI_SERVICE_BINDING *binding;
    EFI_HANDLE handle;
    void *protocol; /* null: there is none */
};

/* False: the NIC does not have the protocol, or the firmware fails, which net_error() says. */
bool net_child_open(struct net_child *child, EFI_HANDLE nic, EFI_GUID *binding, EFI_GUID *protocol,
                    const char *name);
void net_child_close(struct net_child *child);

/* An event that sets *done; null: the firmware has none. To be closed by CloseEvent(). */
EFI_EVENT net_event(volatile bool *done);

/*
 * Calls poll(context) until *done. NET_SILENT: it was not set within the time; NET_STOPPED: a key
 * was pressed. Either is said by net_error().
 */
enum net_result net_wait(const volatile bool *done, void (*poll)(void *context), void *context,
                         uint64_t bound_us, const char *what);

/* Sets what net_error() says; returns `result`. */
enum net_result net_fail(enum net_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A failure of the firmware's: its name, and the words for those that a network makes. */
enum net_result net_fail_status(const char *what, EFI_STATUS status);

/* Whether the firmware says that nothing is plugged in. */
bool net_has_no_link(EFI_HANDLE nic);

/* A NIC's address by EFI_IP4_CONFIG2_PROTOCOL, for as long as it is in use. */
enum net_result net_address_take(EFI_HANDLE nic);
void net_address_give_back(void);
/* The hardware address in words; false: the NIC has no such protocol. */
bool net_hardware_address(EFI_HANDLE nic, char name[NET_NAME_BYTES]);

/* The DNS servers that a NIC in use was told of: how many, at most `room`. */
unsigned net_dns_servers(EFI_IPv4_ADDRESS *server, unsigned room);
/* Puts an address in the place of a server's name, by DNS. */
enum net_result net_resolve(EFI_HANDLE nic, struct url *server);

/* Whether a server's TCP port answers, by its address. */
enum net_result net_reach(EFI_HANDLE nic, const struct url *server);

/* What a scheme of pmu/base/url.h does on a NIC. */
struct net_scheme {
    enum net_result (*open)(EFI_HANDLE nic, const struct url *server);
    void (*close)(void);
    enum net_result (*look)(const struct net_file *file);
    enum net_result (*fetch)(const struct net_file *file, void *to, size_t room, size_t *count);
    enum net_result (*send)(const struct net_file *file, const void *bytes, size_t count,
                            void (*progress)(size_t sent));
};

extern const struct net_scheme NET_HTTP, NET_TFTP;

/* The NIC that the program came over, by its device path's hardware address; "" when none. */
void net_source_name(char name[NET_NAME_BYTES]);

#endif
