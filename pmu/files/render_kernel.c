/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/files/render_kernel.h"

const char *const RENDER_DECLARED[DECLARED_COUNT] = {
    [DECLARED_INSTRUCTIONS] = "instructions",
    [DECLARED_BRANCHES] = "branches",
    [DECLARED_TAKEN_BRANCHES] = "taken_branches",
    [DECLARED_LOADS] = "loads",
    [DECLARED_STORES] = "stores",
};

static void put_hex(struct json *json, const char *key, uint32_t value)
{
    char text[16];
    struct out out = out_buffer(text, sizeof(text));

    out_printf(&out, "0x%08x", value);
    json_text(json, key, out_end(&out));
}

void render_json_kernel(struct json *json, const struct known_kernel *kernel)
{
    json_flat_object(json, 0);
    json_text(json, "name", kernel->name);
    json_text(json, "title", kernel->title);
    json_text(json, "family", kernel->family);
    json_text(json, "param", kernel->param);
    json_text(json, "file", kernel->file);
    put_hex(json, "crc32", kernel->crc32);
    json_number(json, "n", kernel->n);
    json_number(json, "argument", kernel->argument);
    json_number(json, "buffer_bytes", kernel->buffer_bytes);
    for (unsigned i = 0; i < DECLARED_COUNT; i++) {
        const struct expect *expect = &kernel->expect[i];

        if (expect->kind == EXPECT_EXACT) {
            json_signed(json, RENDER_DECLARED[i], expect->low);
        } else if (expect->kind == EXPECT_RANGE) {
            json_array(json, RENDER_DECLARED[i]);
            json_signed(json, 0, expect->low);
            json_signed(json, 0, expect->high);
            json_end(json, ']');
        }
    }
    json_end(json, '}');
}
