/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfers files to and from an HTTP or TFTP server over IPv4. Runs only on the boot CPU, and
 * never while anything is measured. The keys Esc and Q end any wait.
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
    NET_ABSENT, /* no such file */
    NET_EXISTS, /* the existing file stays */
    NET_REFUSED,
    NET_SILENT,  /* no answer, a broken connection, or a failure of the NIC or firmware */
    NET_STOPPED, /* ended by a key */
};

/* `folder` is the URL given to net_use(), and `name` is a path below that folder. */
struct net_file {
    const struct url *folder;
    const char *name;
};

/*
 * Finds NICs and connects drivers to them. Returns the number of NICs; if it is 0, net_error() says
 * why.
 */
unsigned net_start(void);
/* This also disconnects the drivers that net_start() has connected. */
void net_stop(void);

/* The NIC's hardware address. */
const char *net_name(unsigned nic);

/*
 * Prepares a NIC, and gets an address by DHCP if the NIC has none. With HTTP, also resolves the
 * server's name and checks that its TCP port accepts connections. The NIC is in use until
 * net_leave(). Only one NIC can be in use at a time.
 */
enum net_result net_use(unsigned nic, const struct url *server);
void net_leave(void);

/* NET_OK: the file is there; NET_ABSENT: the file is not there; any other result: unknown. */
enum net_result net_look(const struct net_file *file);

/* After NET_OK, *count is the file's size. NET_REFUSED if the file is larger than `room`. */
enum net_result net_fetch(const struct net_file *file, void *to, size_t room, size_t *count);

/*
 * Sends a file and calls progress(sent) now and then. An HTTP server is asked not to replace an
 * existing file; a TFTP server may replace it.
 */
enum net_result net_send(const struct net_file *file, const void *bytes, size_t count,
                         void (*progress)(size_t sent));

/* The last error and what to do, as part of a sentence: "HTTP 403 Forbidden; ...". */
const char *net_error(void);

/*
 * Stores the URL of the program's file after a network boot, and ends PXE's use of the NIC. False
 * if there is no such URL. A URL that cannot be used (https or IPv6, for instance) is reported as
 * an error.
 */
bool net_source(struct url *url);

#endif
