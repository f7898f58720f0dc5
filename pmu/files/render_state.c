/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/files/render_cpu.h"
#include "pmu/base/status.h"

static void put_item(struct json *json, uint32_t cpu, const struct state_item *item)
{
    json_flat_object(json, 0);
    json_number(json, "cpu", cpu);
    json_text(json, "setting", state_name(item->setting));
    if (item->msr) {
        json_hex(json, "register", item->msr);
        json_hex(json, "found", item->found);
    }
    if (item->kept)
        json_text(json, "asked", "keep");
    else if (item->msr)
        json_hex(json, "asked", item->asked);
    if (item->msr) {
        json_bool(json, "set", item->written);
        json_hex(json, "read_back", item->got);
    }
    json_text(json, "status", status_text(item->status));
    json_end(json, '}');
}

void render_json_state(struct json *json, const struct cpu_state *state)
{
    for (uint32_t i = 0; i < state->items; i++)
        put_item(json, state->cpu, &state->item[i]);
}
