/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/files/render_uncore.h"
#include "pmu/uncore/words.h"
#include "pmu/base/scale.h"
#include "pmu/base/status.h"

#define WORDS_BYTES 200u
#define STEP_ONE    (1ull << 32) /* of energy: 1 uJ */

static void put_group(struct json *json, const struct uncore_record_group *group,
                      const struct uncore_error *error)
{
    char text[WORDS_BYTES], status[WORDS_BYTES];
    struct out fault = out_buffer(text, sizeof(text)), why = out_buffer(status, sizeof(status));

    json_flat_object(json, 0);
    json_text(json, "kind", uncore_kind_name(group->kind));
    if (error->status != STATUS_OK)
        uncore_error_words(error, &why);
    else
        out_text(&why, status_text(group->status));
    json_text(json, "status", out_end(&why));
    json_number(json, "units", group->units);
    json_number(json, "counters", group->counters);
    json_number(json, "width_bits", group->width_bits);
    if (uncore_group_fails(group))
        uncore_fault_words(group, &fault);
    else
        out_text(&fault, uncore_fault_text(group->fault));
    json_text(json, "test", out_end(&fault));
    json_end(json, '}');
}

/* In uJ, of the registers that there are. */
static void put_steps(struct json *json, const uint64_t step[ENERGIES])
{
    static const char *const KEYS[ENERGIES] = {[ENERGY_PACKAGE] = "package",
                                               [ENERGY_DRAM] = "dram",
                                               [ENERGY_CORE] = "core",
                                               [ENERGY_GRAPHICS] = "graphics"};

    json_flat_object(json, "energy_step_uj");
    for (unsigned i = 0; i < ENERGIES; i++)
        if (step[i] != 0)
            json_milli(json, KEYS[i], (int64_t)scale(step[i], 1000, STEP_ONE));
    json_end(json, '}');
}

void render_json_uncore(struct json *json, const struct uncore_record *uncore)
{
    char text[WORDS_BYTES];
    struct out first = out_buffer(text, sizeof(text));
    uint32_t failed = 0;

    while (failed < uncore->groups && uncore->error[failed].status == STATUS_OK)
        failed++;
    json_object(json, 0);
    json_number(json, "cpu", uncore->cpu);
    json_number(json, "package", uncore->package);
    json_text(json, "model", uncore->model);
    json_text(json, "status", status_text(uncore->status));
    if (failed < uncore->groups) {
        uncore_error_words(&uncore->error[failed], &first);
        json_text(json, "error", out_end(&first));
    }
    json_number(json, "left_running", uncore->left_running);
    put_steps(json, uncore->energy_step);
    json_array(json, "groups");
    for (uint32_t i = 0; i < uncore->groups; i++)
        put_group(json, &uncore->group[i], &uncore->error[i]);
    json_end(json, ']');
    json_end(json, '}');
}
