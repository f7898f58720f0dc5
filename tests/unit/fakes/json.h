/* SPDX-License-Identifier: BSD-2-Clause */
/* A strict JSON reader (RFC 8259), independent of the writer that it checks. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_JSON_H
#define BARECOUNT_TESTS_UNIT_FAKES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct json_reader {
    const char *at, *end;
    unsigned depth;
};

static inline bool json_read_value(struct json_reader *r);

static inline void json_skip(struct json_reader *r)
{
    while (r->at < r->end && *r->at && strchr(" \t\r\n", *r->at))
        r->at++;
}

static inline bool json_read(struct json_reader *r, const char *word)
{
    size_t size = strlen(word);

    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

static inline bool json_is_one_of(const struct json_reader *r, const char *set)
{
    return r->at < r->end && *r->at && strchr(set, *r->at);
}

/* `to` has `room` bytes, or is null. A \u above FFH becomes '?'. */
static inline bool json_read_string(struct json_reader *r, char *to, size_t room)
{
    size_t used = 0;

    if (!json_read(r, "\""))
        return false;
    while (r->at < r->end && *r->at != '"') {
        unsigned c = (unsigned char)*r->at++;
        char hex[5] = {0};

        if (c < 0x20 || c > 0x7e) /* the standard allows UTF-8, but the writer promises ASCII */
            return false;
        if (c == '\\' && json_read(r, "u")) {
            for (unsigned i = 0; i < 4; i++) {
                if (!json_is_one_of(r, "0123456789abcdefABCDEF"))
                    return false;
                hex[i] = *r->at++;
            }
            sscanf(hex, "%x", &c);
        } else if (c == '\\') {
            static const char NAMES[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
            if (!json_is_one_of(r, NAMES))
                return false;
            c = (unsigned char)MEANT[strchr(NAMES, *r->at++) - NAMES];
        }
        if (to && used + 1 < room)
            to[used++] = (char)(c <= 0xff ? c : '?');
    }
    if (to)
        to[used] = 0;
    return json_read(r, "\"");
}

static inline bool json_read_digits(struct json_reader *r)
{
    const char *start = r->at;

    while (json_is_one_of(r, "0123456789"))
        r->at++;
    return r->at > start;
}

static inline bool json_read_number(struct json_reader *r)
{
    json_read(r, "-");
    if (!json_read(r, "0") && !json_read_digits(r))
        return false;
    if (json_read(r, ".") && !json_read_digits(r))
        return false;
    if (!json_is_one_of(r, "eE"))
        return true;
    r->at++;
    if (json_is_one_of(r, "+-"))
        r->at++;
    return json_read_digits(r);
}

/* The opening bracket was read before. */
static inline bool json_read_items(struct json_reader *r, char close)
{
    const char bracket[2] = {close, 0};

    json_skip(r);
    if (json_read(r, bracket))
        return true;
    do {
        json_skip(r);
        if (close == '}') {
            if (!json_read_string(r, NULL, 0))
                return false;
            json_skip(r);
            if (!json_read(r, ":"))
                return false;
        }
        if (!json_read_value(r))
            return false;
        json_skip(r);
    } while (json_read(r, ","));
    return json_read(r, bracket);
}

static inline bool json_read_value(struct json_reader *r)
{
    bool right;

    json_skip(r);
    if (json_is_one_of(r, "\""))
        return json_read_string(r, NULL, 0);
    if (json_read(r, "true") || json_read(r, "false") || json_read(r, "null"))
        return true;
    if (!json_is_one_of(r, "{["))
        return json_read_number(r);
    if (++r->depth > 64)
        return false;
    right = json_read_items(r, *r->at++ == '{' ? '}' : ']');
    r->depth--;
    return right;
}

static inline bool json_is_valid(const char *text, size_t size)
{
    struct json_reader r = {.at = text, .end = text + size};

    if (!json_read_value(&r))
        return false;
    json_skip(&r);
    return r.at == r.end;
}

static inline bool json_string_of(const char *text, const char *key, char *to, size_t room)
{
    char quoted[64];
    struct json_reader r = {.at = text, .end = text + strlen(text)};

    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    r.at = strstr(text, quoted);
    if (!r.at)
        return false;
    r.at += strlen(quoted);
    return json_read_string(&r, to, room);
}

#endif
