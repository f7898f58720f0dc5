/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP (RFC 9110) with EFI_HTTP_PROTOCOL: UEFI specification 2.10, section 29.6. */
#include "boot/net/nics.h"
#include "pmu/base/out.h"
#include "pmu/base/text.h"

#define NAME_BYTES  128u
#define WHOLE_BYTES (URL_TEXT_BYTES + NAME_BYTES)
#define SEND_BYTES  65536u /* sent by one Request(), so that each wait is short */
#define HEADERS_MAX 4u

static EFI_GUID binding_guid = {
    0xbdc8e6af, 0xd9bc, 0x4379, {0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c}};
static EFI_GUID http_guid = {
    0x7a59b29b, 0x910b, 0x4171, {0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b}};

enum http_method { METHOD_GET = 0, METHOD_HEAD = 5, METHOD_PUT = 6 };
#define HTTP_VERSION_11 1u
#define EFI_HTTP_FAILED EFIERR(35) /* EFI_HTTP_ERROR: the answer has an error status */

struct http_access_point {
    BOOLEAN use_default_address;
    EFI_IPv4_ADDRESS address, subnet;
    UINT16 port;
};

struct http_config {
    UINT32 version;
    UINT32 timeout_ms;
    BOOLEAN is_ipv6;
    struct http_access_point *access_point;
};

struct http_request {
    UINT32 method;
    CHAR16 *url;
};

struct http_header {
    CHAR8 *name, *value;
};

struct http_message {
    union {
        struct http_request *request;
        UINT32 *status; /* an index into CODES */
    } data;
    UINTN headers;
    struct http_header *header;
    UINTN body_bytes;
    VOID *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

typedef struct http HTTP;
typedef EFI_STATUS(EFIAPI *http_call)(HTTP *, struct http_token *);

struct http {
    EFI_STATUS(EFIAPI *get_mode_data)(HTTP *, struct http_config *);
    EFI_STATUS(EFIAPI *configure)(HTTP *, struct http_config *);
    http_call request, cancel, response;
    EFI_STATUS(EFIAPI *poll)(HTTP *);
};

/* CODES[i] is the HTTP status for the value i of EFI_HTTP_STATUS_CODE; value 0 has no status. */
static const uint16_t CODES[] = {
    0,   100, 101, 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303,
    304, 305, 307, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410,
    411, 412, 413, 414, 415, 416, 417, 500, 501, 502, 503, 504, 505, 308,
};

/* A status that is not in this table means NET_REFUSED. */
static const struct {
    uint16_t code;
    enum net_result result;
    const char *words;
} ANSWERS[] = {
    {200, NET_OK, ""},
    {201, NET_OK, ""},
    {202, NET_OK, ""},
    {204, NET_OK, ""},
    {301, NET_REFUSED, "Moved; give the new address"},
    {302, NET_REFUSED, "Found elsewhere; give the new address"},
    {307, NET_REFUSED, "Temporary Redirect; give the new address"},
    {308, NET_REFUSED, "Permanent Redirect; give the new address"},
    {400, NET_REFUSED, "Bad Request"},
    {401, NET_REFUSED, "Unauthorized; the folder must not require a password"},
    {403, NET_REFUSED, "Forbidden; let the server write to its folder"},
    {404, NET_ABSENT, "Not Found; check the folder's path"},
    {405, NET_REFUSED, "Method Not Allowed; the server must accept PUT there"},
    {409, NET_REFUSED, "Conflict; make the folder on the server"},
    {410, NET_ABSENT, "Gone; check the folder's path"},
    {411, NET_REFUSED, "Length Required"},
    {412, NET_EXISTS, "Precondition Failed; a file of this name exists"},
    {413, NET_REFUSED, "Content Too Large; raise the server's limit on file sizes"},
    {500, NET_REFUSED, "Internal Server Error; see the server's log"},
    {501, NET_REFUSED, "Not Implemented; the server must accept PUT"},
    {503, NET_REFUSED, "Service Unavailable; try again later"},
};

static struct net_child child;
static struct url at; /* the server's URL, with its IP address in place of its name */

struct exchange {
    enum http_method method;
    const struct net_file *file;
    const char *bytes; /* data to send */
    size_t count, sent;
    void (*progress)(size_t sent);
    char *to; /* for the answer's body */
    size_t room, received;
    bool has_length;
    uint64_t length; /* from Content-Length */
    UINT32 status;
};

static void poll_http(void *http)
{
    ((HTTP *)http)->poll(http);
}

static enum net_result call(http_call function, struct http_message *message, const char *what)
{
    HTTP *http = child.protocol;
    volatile bool done;
    struct http_token token = {.event = net_event(&done), .message = message};
    enum net_result result;
    EFI_STATUS status;

    if (!token.event)
        return net_fail(NET_SILENT, "%s: the firmware cannot create an event", what);
    status = function(http, &token);
    if (status == EFI_SUCCESS) {
        result = net_wait(&done, poll_http, http, NET_ANSWER_US, what);
        if (result != NET_OK)
            http->cancel(http, &token);
        else if (token.status != EFI_SUCCESS && token.status != EFI_HTTP_FAILED)
            result = net_fail_status(what, token.status);
    } else {
        result = net_fail_status(what, status);
    }
    efi_close(token.event);
    return result;
}

static enum net_result configure(void)
{
    struct http_access_point point = {.use_default_address = TRUE};
    struct http_config config = {
        .version = HTTP_VERSION_11, .timeout_ms = NET_ANSWER_US / 1000, .access_point = &point};
    HTTP *http = child.protocol;
    EFI_STATUS status;

    http->configure(http, 0); /* drops the old connection */
    status = http->configure(http, &config);
    if (status == EFI_SUCCESS)
        return NET_OK;
    return net_fail_status("HTTP", status);
}

static void widen(const char *from, CHAR16 *to)
{
    while ((*to++ = (CHAR16)(unsigned char)*from++) != 0)
        ;
}

static enum net_result send_request(struct exchange *x)
{
    const struct url *url = x->file->folder;
    char whole[WHOLE_BYTES], host[URL_HOST_BYTES + 8], length[24];
    struct out whole_out = out_buffer(whole, sizeof(whole));
    CHAR16 wide[WHOLE_BYTES];
    struct http_request request = {.method = x->method, .url = wide};
    struct http_header header[HEADERS_MAX] = {
        {(CHAR8 *)"Host", (CHAR8 *)host},
        {(CHAR8 *)"Content-Length", (CHAR8 *)length},
        {(CHAR8 *)"If-None-Match", (CHAR8 *)"*"},
        {(CHAR8 *)"Content-Type", (CHAR8 *)"application/octet-stream"}};
    struct http_message message = {
        .data.request = &request, .headers = x->method == METHOD_PUT ? 4 : 1, .header = header};

    url_put(&at, x->file->name, &whole_out);
    widen(out_end(&whole_out), wide);
    out_put(host, sizeof(host), "%s:%u", url->host, url->port);
    out_put(length, sizeof(length), "%llu", (unsigned long long)x->count);
    do {
        size_t left = x->count - x->sent;
        enum net_result result;

        message.body_bytes = left < SEND_BYTES ? left : SEND_BYTES;
        message.body = message.body_bytes ? (VOID *)(uintptr_t)(x->bytes + x->sent) : 0;
        result = call(((HTTP *)child.protocol)->request, &message, "HTTP");
        if (result != NET_OK)
            return result;
        x->sent += message.body_bytes;
        if (x->progress)
            x->progress(x->sent);
        message = (struct http_message){.headers = 0};
    } while (x->sent < x->count);
    return NET_OK;
}

static void free_headers(const struct http_message *message, struct exchange *x)
{
    for (UINTN i = 0; i < message->headers; i++) {
        struct http_header *header = &message->header[i];
        const char *name = (const char *)header->name, *value = (const char *)header->value;

        if (piece_is_any_case(piece_of(name), "content-length"))
            x->has_length = piece_number(piece_trim(piece_of(value)), &x->length);
        efi_free(header->name);
        efi_free(header->value);
    }
    efi_free(message->header);
}

static enum net_result receive_body(struct exchange *x)
{
    if (!x->has_length)
        return net_fail(NET_REFUSED, "the server does not say how long the file is");
    if (x->length > x->room)
        return net_fail(NET_REFUSED, "the file is too large: %llu bytes, expected at most %llu",
                        (unsigned long long)x->length, (unsigned long long)x->room);
    while (x->received < x->length) {
        struct http_message message = {.body_bytes = x->length - x->received,
                                       .body = x->to + x->received};
        enum net_result result = call(((HTTP *)child.protocol)->response, &message, "HTTP");

        if (result != NET_OK)
            return result;
        if (message.body_bytes == 0)
            return net_fail(NET_SILENT, "HTTP: the server ended the file too early");
        x->received += message.body_bytes;
    }
    return NET_OK;
}

static enum net_result judge(const struct exchange *x)
{
    unsigned code = x->status < sizeof(CODES) / sizeof(CODES[0]) ? CODES[x->status] : 0;

    for (unsigned i = 0; i < sizeof(ANSWERS) / sizeof(ANSWERS[0]); i++)
        if (ANSWERS[i].code == code)
            return net_fail(ANSWERS[i].result, "HTTP %u %s", code, ANSWERS[i].words);
    return net_fail(NET_REFUSED, "HTTP %u; see the server's log", code);
}

static enum net_result exchange(struct exchange *x)
{
    struct http_message message = {.data.status = &x->status};
    enum net_result result = configure(), sent;

    if (result != NET_OK)
        return result;
    sent = send_request(x);
    if (sent != NET_OK && x->sent == 0)
        return sent;
    /* A server that refuses a file may answer before it has received the whole file. */
    result = call(((HTTP *)child.protocol)->response, &message, "HTTP");
    free_headers(&message, x);
    if (result != NET_OK)
        return result;
    result = judge(x);
    if (result == NET_OK && sent != NET_OK)
        result = net_fail(NET_SILENT, "HTTP: the connection broke");
    if (result == NET_OK && x->method == METHOD_GET)
        result = receive_body(x);
    return result;
}

static enum net_result http_open(EFI_HANDLE nic, const struct url *server)
{
    enum net_result result;

    at = *server;
    result = at.has_address ? NET_OK : net_resolve(nic, &at);
    if (result == NET_OK)
        result = net_reach(nic, &at);
    if (result != NET_OK)
        return result;
    return net_child_open(&child, nic, &binding_guid, &http_guid, "HTTP") ? NET_OK : NET_SILENT;
}

static void http_close(void)
{
    if (child.protocol)
        ((HTTP *)child.protocol)->configure(child.protocol, 0);
    net_child_close(&child);
}

static enum net_result http_look(const struct net_file *file)
{
    struct exchange x = {.method = METHOD_HEAD, .file = file};

    return exchange(&x);
}

static enum net_result http_fetch(const struct net_file *file, void *to, size_t room, size_t *count)
{
    struct exchange x = {.method = METHOD_GET, .file = file, .to = to, .room = room};
    enum net_result result = exchange(&x);

    *count = x.received;
    return result;
}

static enum net_result http_send(const struct net_file *file, const void *bytes, size_t count,
                                 void (*progress)(size_t sent))
{
    struct exchange x = {
        .method = METHOD_PUT, .file = file, .bytes = bytes, .count = count, .progress = progress};

    return exchange(&x);
}

const struct net_scheme NET_HTTP = {http_open, http_close, http_look, http_fetch, http_send};
