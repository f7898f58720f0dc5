/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TFTP (RFC 1350 and 2348) with EFI_MTFTP4_PROTOCOL, which gnu-efi 3.0.15 lacks: UEFI specification
 * 2.10, section 30.3.
 */
#include "boot/net/nics.h"
#include "pmu/base/out.h"
#include "pmu/base/text.h"

#define TRIES          3u
#define TRY_S          2u
#define SAY_BYTES      65536u /* sent between two calls of progress() */
#define BLOCK_BYTES    "1428" /* RFC 2348; with the longest IP header, it fills an Ethernet frame */
#define OPCODE_DATA    3u
#define OPCODE_ERROR   5u
#define ERROR_NO_FILE  1u
#define ERROR_ACCESS   2u
#define ERROR_FULL     3u
#define ERROR_EXISTS   6u
#define MESSAGE_BYTES  48u
#define HEADER_BYTES   4u /* before the message */
#define NAME_BYTES_MAX (URL_PATH_BYTES + 128u)

static EFI_GUID binding_guid = {
    0x2fe800be, 0x8f01, 0x4aa6, {0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f}};
static EFI_GUID mtftp_guid = {
    0x78247c57, 0x63db, 0x4708, {0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b}};

struct mtftp_config {
    BOOLEAN use_default_setting;
    EFI_IPv4_ADDRESS station, subnet;
    UINT16 local_port;
    EFI_IPv4_ADDRESS gateway, server;
    UINT16 server_port, tries, timeout_s;
};

struct mtftp_option {
    const CHAR8 *name, *value;
};

typedef struct mtftp MTFTP;
struct mtftp_token;

struct mtftp_token {
    EFI_STATUS status;
    EFI_EVENT event;
    void *override;
    CHAR8 *file, *mode; /* mode null: octet */
    UINT32 options;
    struct mtftp_option *option;
    UINT64 bytes;
    VOID *buffer;
    void *context;
    EFI_STATUS(EFIAPI *check_packet)(MTFTP *, struct mtftp_token *, UINT16 bytes, UINT8 *packet);
    EFI_STATUS(EFIAPI *timed_out)(MTFTP *, struct mtftp_token *);
    EFI_STATUS(EFIAPI *packet_needed)(MTFTP *, struct mtftp_token *, UINT16 *bytes, VOID **packet);
};

typedef EFI_STATUS(EFIAPI *mtftp_call)(MTFTP *, struct mtftp_token *);

struct mtftp {
    void *get_mode_data;
    EFI_STATUS(EFIAPI *configure)(MTFTP *, struct mtftp_config *);
    void *get_info, *parse_options;
    mtftp_call read_file, write_file, read_directory;
    EFI_STATUS(EFIAPI *poll)(MTFTP *);
};

static struct net_child child;
static struct url server;

/* The transfer in progress; the firmware's callbacks fill it in. */
static struct {
    bool only_looks; /* stops after one packet */
    bool is_there;
    bool answered_error;
    unsigned code;
    char message[MESSAGE_BYTES];
    const char *bytes; /* data to send */
    size_t count, sent, said;
    void (*progress)(size_t sent);
    uint64_t moved; /* number of packets so far */
} way;

static void poll_mtftp(void *mtftp)
{
    ((MTFTP *)mtftp)->poll(mtftp);
    if (way.progress && way.sent - way.said >= SAY_BYTES) {
        way.said = way.sent;
        way.progress(way.sent);
    }
}

/* The firmware calls this for each received packet. A packet's numbers are big-endian. */
static EFI_STATUS EFIAPI check_packet(MTFTP *mtftp, struct mtftp_token *token, UINT16 bytes,
                                      UINT8 *packet)
{
    (void)mtftp, (void)token;
    way.moved++;
    if (bytes >= HEADER_BYTES && packet[1] == OPCODE_ERROR) {
        struct out out = out_buffer(way.message, sizeof(way.message));

        way.answered_error = true;
        way.code = (unsigned)packet[2] << 8 | packet[3];
        for (unsigned i = HEADER_BYTES; i < bytes && packet[i]; i++)
            out_char(&out, text_printable(packet[i]));
        out_end(&out);
    }
    if (bytes >= HEADER_BYTES && packet[1] == OPCODE_DATA)
        way.is_there = true;
    return way.only_looks && way.is_there ? EFI_ABORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI packet_needed(MTFTP *mtftp, struct mtftp_token *token, UINT16 *bytes,
                                       VOID **packet)
{
    size_t left = way.count - way.sent;

    (void)mtftp, (void)token;
    if (left < *bytes)
        *bytes = (UINT16)left;
    *packet = (VOID *)(uintptr_t)(way.bytes + way.sent);
    way.sent += *bytes;
    way.moved++;
    return EFI_SUCCESS;
}

static enum net_result judge(EFI_STATUS status)
{
    static const struct {
        unsigned code;
        enum net_result result;
        const char *advice;
    } ANSWERS[] = {
        {ERROR_NO_FILE, NET_ABSENT, "check the path; many servers write only to files that exist"},
        {ERROR_ACCESS, NET_REFUSED, "let the server write to its folder, and create files there"},
        {ERROR_FULL, NET_REFUSED, "make room on the server"},
        {ERROR_EXISTS, NET_EXISTS, "a file of this name exists"},
    };

    if (way.only_looks && way.is_there)
        return NET_OK;
    if (!way.answered_error)
        return status == EFI_SUCCESS ? NET_OK : net_fail_status("TFTP", status);
    for (unsigned i = 0; i < sizeof(ANSWERS) / sizeof(ANSWERS[0]); i++)
        if (ANSWERS[i].code == way.code)
            return net_fail(ANSWERS[i].result, "TFTP error %u, %s; %s", way.code, way.message,
                            ANSWERS[i].advice);
    return net_fail(NET_REFUSED, "TFTP error %u, %s; see the server's log", way.code, way.message);
}

/* Gives up if Esc or Q is pressed, or if no packet comes for NET_ANSWER_US. */
static enum net_result wait_for(const volatile bool *done, MTFTP *mtftp)
{
    enum net_result result;
    uint64_t moved;

    do {
        moved = way.moved;
        result = net_wait(done, poll_mtftp, mtftp, NET_ANSWER_US, "TFTP");
    } while (result == NET_SILENT && way.moved != moved);
    return result;
}

static enum net_result configure(MTFTP *mtftp)
{
    struct mtftp_config config = {.use_default_setting = TRUE,
                                  .server_port = server.port,
                                  .tries = TRIES,
                                  .timeout_s = TRY_S};
    EFI_STATUS status;

    for (unsigned i = 0; i < 4; i++)
        config.server.Addr[i] = server.address[i];
    mtftp->configure(mtftp, 0);
    status = mtftp->configure(mtftp, &config);
    return status == EFI_SUCCESS ? NET_OK : net_fail_status("TFTP", status);
}

/* Sets *count to the number of bytes received. */
static enum net_result transfer(mtftp_call function, const struct net_file *file,
                                struct mtftp_token *token, size_t *count)
{
    struct mtftp_option size = {(const CHAR8 *)"blksize", (const CHAR8 *)BLOCK_BYTES};
    MTFTP *mtftp = child.protocol;
    char name[NAME_BYTES_MAX];
    enum net_result result = configure(mtftp);
    volatile bool done;
    EFI_STATUS status;

    if (result != NET_OK)
        return result;
    token->event = net_event(&done);
    if (!token->event)
        return net_fail(NET_SILENT, "TFTP: the firmware cannot create an event");
    /* the URL's path without its leading '/' (RFC 3617) */
    out_put(name, sizeof(name), "%s%s", file->folder->path + 1, file->name);
    token->file = (CHAR8 *)name;
    token->options = way.only_looks ? 0 : 1;
    token->option = &size;
    token->check_packet = check_packet;
    status = function(mtftp, token);
    if (status == EFI_SUCCESS) {
        result = wait_for(&done, mtftp);
        status = token->status;
    }
    mtftp->configure(mtftp, 0);
    efi_close(token->event);
    *count = (size_t)token->bytes;
    return result == NET_OK ? judge(status) : result;
}

static enum net_result tftp_open(EFI_HANDLE nic, const struct url *at)
{
    server = *at;
    return net_child_open(&child, nic, &binding_guid, &mtftp_guid, "TFTP") ? NET_OK : NET_SILENT;
}

static void tftp_close(void)
{
    net_child_close(&child);
}

static enum net_result tftp_look(const struct net_file *file)
{
    struct mtftp_token token = {.status = EFI_SUCCESS};
    size_t count;

    __builtin_memset(&way, 0, sizeof(way));
    way.only_looks = true;
    return transfer(((MTFTP *)child.protocol)->read_file, file, &token, &count);
}

static enum net_result tftp_fetch(const struct net_file *file, void *to, size_t room, size_t *count)
{
    struct mtftp_token token = {.bytes = room, .buffer = to};
    enum net_result result;

    __builtin_memset(&way, 0, sizeof(way));
    result = transfer(((MTFTP *)child.protocol)->read_file, file, &token, count);
    if (result == NET_SILENT && token.status == EFI_BUFFER_TOO_SMALL)
        return net_fail(NET_REFUSED, "the file is too large: expected at most %llu bytes",
                        (unsigned long long)room);
    return result;
}

static enum net_result tftp_send(const struct net_file *file, const void *bytes, size_t count,
                                 void (*progress)(size_t sent))
{
    struct mtftp_token token = {.packet_needed = packet_needed};
    size_t taken;

    __builtin_memset(&way, 0, sizeof(way));
    way.bytes = bytes;
    way.count = count;
    way.progress = progress;
    return transfer(((MTFTP *)child.protocol)->write_file, file, &token, &taken);
}

const struct net_scheme NET_TFTP = {tftp_open, tftp_close, tftp_look, tftp_fetch, tftp_send};
