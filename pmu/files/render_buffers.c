/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/files/render_buffers.h"
#include "pmu/files/reading.h"

static void put_buffer(struct json *json, const struct result *result)
{
    char text[24];
    struct out out = out_buffer(text, sizeof(text));

    out_printf(&out, "0x%llx", (unsigned long long)result->buffer);
    json_flat_object(json, 0);
    json_number(json, "cpu", result->cpu);
    if (result->node != NODE_UNKNOWN)
        json_number(json, "node", result->node);
    json_text(json, "address", out_end(&out));
    json_end(json, '}');
}

void render_json_buffers(const struct render *render, struct json *json)
{
    static uint64_t last[VIEW_CPUS_MAX]; /* where each CPU's buffer was */
    struct reading reading = reading_start(render);
    const struct result *result;

    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++)
        last[i] = 0;
    json_array(json, "buffers");
    while ((result = reading_next_result(&reading))) {
        if (result->buffer == 0 || result->cpu >= VIEW_CPUS_MAX ||
            last[result->cpu] == result->buffer)
            continue;
        last[result->cpu] = result->buffer;
        put_buffer(json, result);
    }
    json_end(json, ']');
}
