/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses URLs. */
#include "pmu/base/text.h"
#include "pmu/base/url.h"

#define PORT_MAX 65535u

static const struct {
    const char *name;
    uint16_t port;
} SCHEMES[] = {[URL_HTTP] = {"http", 80}, [URL_TFTP] = {"tftp", 69}};
#define SCHEMES_COUNT (sizeof(SCHEMES) / sizeof(SCHEMES[0]))

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (piece_lower(c) >= 'a' && piece_lower(c) <= 'z');
}

/* RFC 3986: characters of a path, including the '%' of an encoded character. */
static bool is_of_path(char c)
{
    static const char OTHERS[] = "/-._~%!$&'()*+,;=:@";
    unsigned i = 0;

    while (OTHERS[i] && OTHERS[i] != c)
        i++;
    return is_letter_or_digit(c) || OTHERS[i];
}

static bool is_of_host(char c)
{
    return is_letter_or_digit(c) || c == '-' || c == '.';
}

static bool refuse(struct out *why, const char *expected, struct piece found)
{
    char shown[PIECE_SHOW_BYTES];

    out_printf(why, "expected %s, found '%s'", expected, piece_show(found, shown));
    return false;
}

bool url_ipv4(struct piece text, uint8_t address[4])
{
    for (unsigned i = 0; i < 4; i++) {
        struct piece rest, number = {text.at, piece_find(text, '.')};
        uint64_t value = 0;

        rest = (struct piece){text.at + number.size, text.size - number.size};
        if (number.size < 1 || number.size > 3 || (rest.size > 0) != (i < 3))
            return false;
        for (size_t k = 0; k < number.size; k++) {
            if (number.at[k] < '0' || number.at[k] > '9')
                return false;
            value = value * 10 + (uint64_t)(number.at[k] - '0');
        }
        if (value > 255)
            return false;
        address[i] = (uint8_t)value;
        if (rest.size > 0)
            text = (struct piece){rest.at + 1, rest.size - 1};
    }
    return true;
}

/*
 * Whether a host can only be an IPv4 address: digits or nothing follow its last dot. The last label
 * of a name is never all digits (RFC 3696, section 2).
 */
static bool looks_like_address(struct piece host)
{
    size_t label = host.size;

    while (label > 0 && host.at[label - 1] >= '0' && host.at[label - 1] <= '9')
        label--;
    return label > 0 && host.at[label - 1] == '.';
}

static bool take_host(struct piece host, struct url *url, struct out *why)
{
    if (host.size == 0 || host.size >= URL_HOST_BYTES)
        return refuse(why, "a host of 1 to 63 characters", host);
    for (size_t i = 0; i < host.size; i++) {
        if (!is_of_host(host.at[i]))
            return refuse(why, "a name of letters, digits, '-' and '.' or an IPv4 address", host);
        url->host[i] = host.at[i];
    }
    url->host[host.size] = 0;
    url->has_address = url_ipv4(host, url->address);
    if (!url->has_address && (url->scheme == URL_TFTP || looks_like_address(host)))
        return refuse(why, "an IPv4 address such as 192.168.1.1", host);
    return true;
}

static bool take_port(struct piece port, struct url *url, struct out *why)
{
    uint64_t value = 0;

    for (size_t i = 0; i < port.size && value <= PORT_MAX; i++) {
        if (port.at[i] < '0' || port.at[i] > '9')
            return refuse(why, "a port from 1 to 65535", port);
        value = value * 10 + (uint64_t)(port.at[i] - '0');
    }
    if (value < 1 || value > PORT_MAX)
        return refuse(why, "a port from 1 to 65535", port);
    url->port = (uint16_t)value;
    return true;
}

static bool take_path(struct piece path, struct url *url, struct out *why)
{
    size_t used = 0;

    if (path.size >= URL_PATH_BYTES)
        return refuse(why, "a path of at most 127 characters", path);
    if (path.size == 0)
        url->path[used++] = '/';
    for (size_t i = 0; i < path.size; i++) {
        if (!is_of_path(path.at[i]))
            return refuse(why, "a path without '?', blanks and the like",
                          (struct piece){path.at + i, path.size - i});
        url->path[used++] = path.at[i];
    }
    url->path[used] = 0;
    return true;
}

static bool take_scheme(struct piece *text, struct url *url, struct out *why)
{
    struct piece scheme = {text->at, piece_find(*text, ':')};
    struct piece rest = {text->at + scheme.size, text->size - scheme.size};
    unsigned i = 0;

    if (rest.size < 3 || rest.at[1] != '/' || rest.at[2] != '/')
        return refuse(why, "http://HOST/PATH/ or tftp://ADDRESS/PATH/", *text);
    while (i < SCHEMES_COUNT && !piece_is_any_case(scheme, SCHEMES[i].name))
        i++;
    if (i == SCHEMES_COUNT && piece_is_any_case(scheme, "https"))
        return refuse(why,
                      "http:// or tftp:// (the firmware has no certificates to check https with)",
                      *text);
    if (i == SCHEMES_COUNT)
        return refuse(why, "http:// or tftp://", *text);
    url->scheme = (enum url_scheme)i;
    url->port = SCHEMES[i].port;
    *text = (struct piece){rest.at + 3, rest.size - 3};
    return true;
}

bool url_parse(struct piece text, struct url *url, struct out *why)
{
    struct piece authority, path, host;

    *url = (struct url){.scheme = URL_HTTP};
    if (!take_scheme(&text, url, why))
        return false;
    authority = (struct piece){text.at, piece_find(text, '/')};
    path = (struct piece){text.at + authority.size, text.size - authority.size};
    if (piece_find(authority, '@') < authority.size)
        return refuse(why, "an address without a user name", authority);
    if (authority.size > 0 && authority.at[0] == '[')
        return refuse(why, "an IPv4 address (IPv6 is not supported)", authority);
    host = (struct piece){authority.at, piece_find(authority, ':')};
    if (!take_host(host, url, why))
        return false;
    if (host.size < authority.size &&
        !take_port((struct piece){host.at + host.size + 1, authority.size - host.size - 1}, url,
                   why))
        return false;
    return take_path(path, url, why);
}

void url_to_folder(struct url *url)
{
    size_t length = text_length(url->path);

    while (length > 1 && url->path[length - 1] != '/')
        length--;
    url->path[length] = 0;
}

bool url_as_folder(struct url *url)
{
    size_t length = text_length(url->path);

    if (length > 0 && url->path[length - 1] == '/')
        return true;
    if (length + 1 >= URL_PATH_BYTES)
        return false;
    url->path[length] = '/';
    url->path[length + 1] = 0;
    return true;
}

void url_put(const struct url *url, const char *name, struct out *out)
{
    out_printf(out, "%s://%s", SCHEMES[url->scheme].name, url->host);
    if (url->port != SCHEMES[url->scheme].port)
        out_printf(out, ":%u", url->port);
    out_printf(out, "%s%s", url->path, name);
}

void url_put_address(struct url *url)
{
    url->has_address = true;
    out_put(url->host, sizeof(url->host), "%u.%u.%u.%u", url->address[0], url->address[1],
            url->address[2], url->address[3]);
}
