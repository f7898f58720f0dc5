/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files to and from a server of HTTP or TFTP, over IPv4. Boot CPU only, and never while anything is
 * measured. An interface of the network ("NIC") is used from net_use() to net_leave(); a key, Esc
 * or Q, ends any wait.
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
    NET_EXISTS,  /* the server has such a file already, and keeps it */
    NET_REFUSED, /* the server answers that it does not do this */
    NET_SILENT,  /* no answer, or the connection broke */
    NET_STOPPED, /* by a key */
};

/* A file of the server in use: its name behind the folder's path, both as net_use() has it. */
struct net_file {
    const struct url *folder;
    const char *name;
};

/* Finds all NICs, also those that the firmware has left alone. How many; 0: net_error() says why.
 */
unsigned net_start(void);
/* Everything as it was found. */
void net_stop(void);

/* The NIC's hardware address. */
const char *net_name(unsigned nic);

/*
 * Makes a NIC ready: a link, an address (by DHCP where it has none), a server that answers. One at
 * a time. Not NET_OK: net_error() says why.
 */
enum net_result net_use(unsigned nic, const struct url *server);
void net_leave(void);

/* Whether the server has a file: NET_OK or NET_ABSENT, or why that is not known. */
enum net_result net_look(const struct net_file *file);

/* Fetches a whole file; *count is its size. One that is larger than `room` is NET_REFUSED. */
enum net_result net_fetch(const struct net_file *file, void *to, size_t room, size_t *count);

/*
 * Sends a file. With HTTP the server is asked to refuse when there is one of that name; TFTP knows
 * no such wish. progress(sent) is called now and then.
 */
enum net_result net_send(const struct net_file *file, const void *bytes, size_t count,
                         void (*progress)(size_t sent));

/* What went wrong last and what to do, as words of a sentence: "HTTP 403, Forbidden; ...". */
const char *net_error(void);

/*
 * Where the program came from when it was booted over the network: the address of its file. False:
 * it was not, or nothing can be fetched from there, which is an error. Asked once, it ends the
 * firmware's own use of that NIC by PXE.
 */
bool net_source(struct url *url);

#endif
