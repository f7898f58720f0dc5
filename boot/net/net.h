/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfers files to and from an HTTP or TFTP server over IPv4. Runs only on the boot CPU, and
 * never while anything is measured. A network interface (NIC) is in use from net_use() to
 * net_leave(); the keys Esc and Q end any wait.
 */
#ifndef BARECOUNT_BOOT_NET_NET_H
#define BARECOUNT_BOOT_NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/base/url.h"

#define NET_NAME_BYTES 24u /* "52:54:00:12:34:56" */

enum net_result {
    NET_OK,
    NET_ABSENT,  /* the server has no such file */
    NET_EXISTS,  /* the server already has such a file and does not replace it */
    NET_REFUSED, /* the server refuses the request */
    NET_SILENT,  /* no answer, a broken connection, or a failure of the NIC or firmware */
    NET_STOPPED, /* ended by a key */
};

/*
 * A file on the server: the URL of a folder, as given to net_use(), and the path below that folder.
 */
struct net_file {
    const struct url *folder;
    const char *name;
};

/*
 * Finds NICs, and connects drivers to those without one. Returns the number of NICs; if it is 0,
 * net_error() says why.
 */
unsigned net_start(void);
/* Ends the use of a NIC, and disconnects the drivers that net_start() has connected. */
void net_stop(void);

/* Returns the NIC's hardware address. */
const char *net_name(unsigned nic);

/*
 * Prepares a NIC: gets an address by DHCP if the NIC has none. With HTTP, also resolves the name of
 * the server and checks that its TCP port accepts connections. Only one NIC can be in use at a
 * time. If the result is not NET_OK, net_error() says why.
 */
enum net_result net_use(unsigned nic, const struct url *server);
void net_leave(void);

/*
 * Looks for a file on the server. NET_OK: the file is there; NET_ABSENT: the file is not there; any
 * other result: unknown.
 */
enum net_result net_look(const struct net_file *file);

/* Fetches a whole file; *count is its size in bytes. NET_REFUSED if the size exceeds `room`. */
enum net_result net_fetch(const struct net_file *file, void *to, size_t room, size_t *count);

/*
 * Sends a file and calls progress(sent) now and then. With HTTP, the request says that a file of
 * that name must not be replaced; TFTP has no such request.
 */
enum net_result net_send(const struct net_file *file, const void *bytes, size_t count,
                         void (*progress)(size_t sent));

/* The last error and what to do, as part of a sentence: "HTTP 403 Forbidden; ...". */
const char *net_error(void);

/*
 * Stores the URL of the program's file if the program was booted over the network. False if the
 * program was booted in another way, or if the PXE packets name no file or server. Also false, and
 * reported as an error, if the URL cannot be used (https, for instance) or PXE used IPv6. Ends
 * PXE's use of the NIC.
 */
bool net_source(struct url *url);

#endif
