/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Server addresses: those that are accepted, the error message for each mistake, and how a file's
 * name is added to an address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/url.h"

static struct url url;
static char why[160];

/* Parses a copy of exactly the text's size, so that overruns are caught. */
static bool parse(const char *text)
{
    size_t size = strlen(text);
    char *copy = copy_of(text, size);
    struct out out = out_buffer(why, sizeof(why));
    bool taken;

    memset(&url, 0xa5, sizeof(url));
    taken = url_parse((struct piece){copy, size}, &url, &out);
    out_end(&out);
    free(copy);
    return taken;
}

TEST(what_is_taken)
{
    static const struct {
        const char *text;
        enum url_scheme scheme;
        const char *host;
        uint32_t address; /* 0: the host is a name */
        uint16_t port;
        const char *path;
    } ROWS[] = {
        {"http://192.168.1.1/runs/", URL_HTTP, "192.168.1.1", 0xc0a80101, 80, "/runs/"},
        {"http://192.168.1.1", URL_HTTP, "192.168.1.1", 0xc0a80101, 80, "/"},
        {"HTTP://10.0.2.2:8080/a/b", URL_HTTP, "10.0.2.2", 0x0a000202, 8080, "/a/b"},
        {"http://lab-7.example.org:1/%20~x", URL_HTTP, "lab-7.example.org", 0, 1, "/%20~x"},
        {"http://7up/", URL_HTTP, "7up", 0, 80, "/"},
        {"http://host9/", URL_HTTP, "host9", 0, 80, "/"},
        {"http://a.b9/", URL_HTTP, "a.b9", 0, 80, "/"},
        {"http://3com.host1/", URL_HTTP, "3com.host1", 0, 80, "/"},
        {"tftp://0.0.0.255", URL_TFTP, "0.0.0.255", 0x000000ff, 69, "/"},
        {"tftp://255.255.255.255:65535/in", URL_TFTP, "255.255.255.255", 0xffffffff, 65535, "/in"},
        {"http://h/a@b:c", URL_HTTP, "h", 0, 80, "/a@b:c"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (!parse(ROWS[i].text))
            fail_msg("%s: %s", ROWS[i].text, why);
        assert_string_equal(why, "");
        assert_int_equal(url.scheme, ROWS[i].scheme);
        assert_string_equal(url.host, ROWS[i].host);
        assert_int_equal(url.has_address, ROWS[i].address != 0);
        for (unsigned k = 0; url.has_address && k < 4; k++)
            assert_int_equal(url.address[k], ROWS[i].address >> (24 - 8 * k) & 0xff);
        assert_int_equal(url.port, ROWS[i].port);
        assert_string_equal(url.path, ROWS[i].path);
    }
}

#define FORMS   "expected http://HOST/PATH/ or tftp://ADDRESS/PATH/, found "
#define ADDRESS "expected an IPv4 address such as 192.168.1.1, found "
#define NAME    "expected a name of letters, digits, '-' and '.' or an IPv4 address, found "
#define PORT    "expected a port from 1 to 65535, found "
#define PATH    "expected a path without '?', blanks and the like, found "

TEST(mistakes_one_by_one)
{
    static const struct {
        const char *text, *says;
    } ROWS[] = {
        {"", FORMS "''"},
        {"192.168.1.1", FORMS "'192.168.1.1'"},
        {"http:", FORMS "'http:'"},
        {"http:/", FORMS "'http:/'"},
        {"http:/x/", FORMS "'http:/x/'"},
        {"/runs/", FORMS "'/runs/'"},
        {"ftp://h/", "expected http:// or tftp://, found 'ftp://h/'"},
        {"://h/", "expected http:// or tftp://, found '://h/'"},
        {"https://h/",
         "expected http:// or tftp:// (the firmware has no certificates to check https with), "
         "found 'https://h/'"},
        {"http://", "expected a host of 1 to 63 characters, found ''"},
        {"http:///runs/", "expected a host of 1 to 63 characters, found ''"},
        {"http://:80/", "expected a host of 1 to 63 characters, found ''"},
        {"http://"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
         "expected a host of 1 to 63 characters, found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"},
        {"http://a_b/", NAME "'a_b'"},
        {"http://a b/", NAME "'a b'"},
        {"http://1.2.3/", ADDRESS "'1.2.3'"},
        {"http://1.2.3.4.5/", ADDRESS "'1.2.3.4.5'"},
        {"http://1.2.3.256/", ADDRESS "'1.2.3.256'"},
        {"http://1.2.3.4./", ADDRESS "'1.2.3.4.'"},
        {"http://server.1/", ADDRESS "'server.1'"},
        {"http://1..3.4/", ADDRESS "'1..3.4'"},
        {"http://1.2.3.0004/", ADDRESS "'1.2.3.0004'"},
        {"tftp://server/", ADDRESS "'server'"},
        {"http://me@h/", "expected an address without a user name, found 'me@h'"},
        {"http://[::1]/", "expected an IPv4 address (IPv6 is not supported), found '[::1]'"},
        {"http://h:/", PORT "''"},
        {"http://h:0/", PORT "'0'"},
        {"http://h:65536/", PORT "'65536'"},
        {"http://h:18446744073709551617/", PORT "'18446744073709551617'"},
        {"http://h:8x/", PORT "'8x'"},
        {"http://h:80:81/", PORT "'80:81'"},
        {"http://h/a?b", PATH "'?b'"},
        {"http://h/a b/", PATH "' b/'"},
        {"http://h/a\\b", PATH "'\\b'"},
        {"http://h/\xc3\xa4", PATH "'?"
                                   "?'"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (parse(ROWS[i].text))
            fail_msg("'%s' is accepted", ROWS[i].text);
        assert_string_equal(why, ROWS[i].says);
    }
}

static const char *path_of(unsigned count)
{
    static char text[URL_PATH_BYTES + 32];

    snprintf(text, sizeof(text), "http://h/%0*d", (int)count - 1, 0);
    return text;
}

TEST(the_longest_path)
{
    assert_true(parse(path_of(126)));
    assert_true(url_as_folder(&url));
    assert_int_equal(strlen(url.path), 127);
    assert_true(url_as_folder(&url)); /* it already is a folder's address */
    assert_int_equal(strlen(url.path), 127);
    assert_true(parse(path_of(127)));
    assert_false(url_as_folder(&url));
    assert_false(parse(path_of(128)));
    assert_string_equal(why, "expected a path of at most 127 characters, found "
                             "'/000000000000000000000000000000'");
}

TEST(folders_and_whole_addresses)
{
    static const struct {
        const char *text, *beside, *below; /* URLs of x in the folder of `text`, and below `text` */
    } ROWS[] = {
        {"http://h", "http://h/x", "http://h/x"},
        {"http://h:80/a/b.efi", "http://h/a/x", "http://h/a/b.efi/x"},
        {"http://h:69/a/", "http://h:69/a/x", "http://h:69/a/x"},
        {"tftp://1.2.3.4:69/b.efi", "tftp://1.2.3.4/x", "tftp://1.2.3.4/b.efi/x"},
        {"tftp://1.2.3.4:80/b", "tftp://1.2.3.4:80/x", "tftp://1.2.3.4:80/b/x"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char text[URL_TEXT_BYTES];
        struct out out = out_buffer(text, sizeof(text));

        assert_true(parse(ROWS[i].text));
        url_to_folder(&url);
        url_put(&url, "x", &out);
        assert_string_equal(out_end(&out), ROWS[i].beside);
        assert_true(parse(ROWS[i].text));
        assert_true(url_as_folder(&url));
        out = out_buffer(text, sizeof(text));
        url_put(&url, "x", &out);
        assert_string_equal(out_end(&out), ROWS[i].below);
    }
}
