/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JSON (RFC 8259), including commas and indentation. */
#ifndef BARECOUNT_PMU_BASE_JSON_H
#define BARECOUNT_PMU_BASE_JSON_H

#include "pmu/base/out.h"

#define JSON_DEPTH_MAX 12u

struct json {
    struct out *out;
    unsigned depth;
    bool has_items[JSON_DEPTH_MAX];
    bool flat[JSON_DEPTH_MAX]; /* on one line */
};

/* `key` is null for array elements and for the outermost value. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_flat_object(struct json *json, const char *key); /* all on one line */
void json_end(struct json *json, char bracket);            /* '}' or ']' */

void json_number(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_milli(struct json *json, const char *key, int64_t thousandths);
void json_hex(struct json *json, const char *key, uint64_t value); /* as the string "0x1f" */
void json_bool(struct json *json, const char *key, bool value);
void json_text(struct json *json, const char *key, const char *text);
void json_bytes(struct json *json, const char *key, const char *text, size_t size);

#endif
