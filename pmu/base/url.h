/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of servers and of files on them: http://HOST[:PORT]/PATH or tftp://HOST[:PORT]/PATH
 * (RFC 3986, sections 3.1 to 3.3; RFC 3617). No user, password, question or fragment.
 */
#ifndef BARECOUNT_PMU_BASE_URL_H
#define BARECOUNT_PMU_BASE_URL_H

#include "pmu/base/piece.h"

#define URL_HOST_BYTES 64u
#define URL_PATH_BYTES 128u
#define URL_TEXT_BYTES (URL_HOST_BYTES + URL_PATH_BYTES + 16u) /* with scheme and port */

enum url_scheme { URL_HTTP, URL_TFTP };

struct url {
    enum url_scheme scheme;
    char host[URL_HOST_BYTES]; /* as it was written: a name, or an IPv4 address */
    bool has_address;          /* it is an address; with tftp it always is */
    uint8_t address[4];
    uint16_t port;             /* 80 and 69 where none was given */
    char path[URL_PATH_BYTES]; /* starts with '/' */
};

/*
 * Takes an address apart. False: *why says what was expected and found, without a line's end, and
 * *url is not to be used.
 */
bool url_parse(struct piece text, struct url *url, struct out *why);

/* Four numbers from 0 to 255 with dots, and nothing else. */
bool url_ipv4(struct piece text, uint8_t address[4]);

/* Puts the address in the place of the host's name. */
void url_put_address(struct url *url);

/* Cuts the path behind its last '/', so that names of files can follow. */
void url_to_folder(struct url *url);

/* Makes a folder of a path, with a '/' at its end. False: there is no room for it. */
bool url_as_folder(struct url *url);

/*
 * The whole address with a file's name behind it, without a port where it is the usual one. The
 * name may be "".
 */
void url_put(const struct url *url, const char *name, struct out *out);

#endif
