/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * http://HOST[:PORT]/PATH and tftp://HOST[:PORT]/PATH (RFC 3986, sections 3.1 to 3.3; RFC 3617),
 * without user, password, query or fragment.
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
    char host[URL_HOST_BYTES]; /* name or IPv4 address */
    bool has_address;          /* `host` is an IPv4 address; always true with tftp */
    uint8_t address[4];
    uint16_t port;             /* by default 80 for HTTP and 69 for TFTP */
    char path[URL_PATH_BYTES]; /* starts with '/' */
};

/*
 * Parses a URL. False after an error; then *why says what was expected and found, and *url is
 * undefined.
 */
bool url_parse(struct piece text, struct url *url, struct out *why);

/* Parses an IPv4 address in dotted decimal; false if the text is not one. */
bool url_ipv4(struct piece text, uint8_t address[4]);

/* Writes url->address to `host` in dotted decimal. */
void url_put_address(struct url *url);

/* Removes what follows the path's last '/'. */
void url_to_folder(struct url *url);

/* Makes a path end in '/'. False if there is no room for the '/'. */
bool url_as_folder(struct url *url);

/* Writes the URL, without a default port, and a file's name, which may be "". */
void url_put(const struct url *url, const char *name, struct out *out);

#endif
