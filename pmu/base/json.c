/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JSON as a stream. */
#include "pmu/base/json.h"
#include "pmu/base/text.h"

#define INDENT 2u

static void put_quoted(struct out *out, const char *text, size_t size)
{
    out_char(out, '"');
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '"' || c == '\\') {
            out_char(out, '\\');
            out_char(out, (char)c);
        } else if (c == '\n') {
            out_text(out, "\\n");
        } else if (c < 0x20 || c > 0x7e) {
            out_printf(out, "\\u%04x", c); /* Latin-1 */
        } else {
            out_char(out, (char)c);
        }
    }
    out_char(out, '"');
}

static void start_item(struct json *json, const char *key)
{
    struct out *out = json->out;
    bool flat = json->flat[json->depth];

    if (json->has_items[json->depth])
        out_text(out, flat ? ", " : ",");
    json->has_items[json->depth] = true;
    if (json->depth > 0 && !flat)
        out_printf(out, "\n%*s", (int)(INDENT * json->depth), "");
    if (key) {
        put_quoted(out, key, text_length(key));
        out_text(out, ": ");
    }
}

static void open(struct json *json, const char *key, char bracket, bool flat)
{
    start_item(json, key);
    out_char(json->out, bracket);
    flat |= json->flat[json->depth];
    json->depth++;
    json->has_items[json->depth] = false;
    json->flat[json->depth] = flat;
}

void json_object(struct json *json, const char *key)
{
    open(json, key, '{', false);
}

void json_array(struct json *json, const char *key)
{
    open(json, key, '[', false);
}

void json_flat_object(struct json *json, const char *key)
{
    open(json, key, '{', true);
}

void json_end(struct json *json, char bracket)
{
    bool has_items = json->has_items[json->depth], flat = json->flat[json->depth];

    json->depth--;
    if (has_items && !flat)
        out_printf(json->out, "\n%*s", (int)(INDENT * json->depth), "");
    out_char(json->out, bracket);
    if (json->depth == 0)
        out_char(json->out, '\n');
}

void json_number(struct json *json, const char *key, uint64_t value)
{
    start_item(json, key);
    out_printf(json->out, "%llu", (unsigned long long)value);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
    start_item(json, key);
    out_printf(json->out, "%lld", (long long)value);
}

void json_milli(struct json *json, const char *key, int64_t thousandths)
{
    start_item(json, key);
    out_milli(json->out, thousandths);
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
    start_item(json, key);
    out_printf(json->out, "\"0x%llx\"", (unsigned long long)value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    start_item(json, key);
    out_text(json->out, value ? "true" : "false");
}

void json_bytes(struct json *json, const char *key, const char *text, size_t size)
{
    start_item(json, key);
    put_quoted(json->out, text, size);
}

void json_text(struct json *json, const char *key, const char *text)
{
    json_bytes(json, key, text, text_length(text));
}
