/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the sums that must hold in a run, and writes them into run.json. */
#include "pmu/files/param.h"
#include "pmu/files/render_parts.h"

#define SHOWN_MAX 8u /* results shown for each sum in run.json */

/* Finds a sum's entry, or adds it. Null if there is no room. */
static struct run_sum *entry_of(struct run_sums *sums, const struct sum *sum)
{
    unsigned i = 0;

    while (i < sums->count && !sum_same(&sums->of[i].sum, sum))
        i++;
    if (i == SUMS_MAX)
        return 0;
    if (i == sums->count)
        sums->of[sums->count++] = (struct run_sum){.sum = *sum};
    return &sums->of[i];
}

static void add(struct run_sums *sums, const struct view *view, const struct result *result,
                const struct sum *sum)
{
    struct sum_values values;
    struct run_sum *entry;

    if (!sum_make(view, result, sum, &values))
        return;
    entry = entry_of(sums, sum);
    sums->more |= !entry;
    if (!entry)
        return;
    if (sum_agrees(sum, &values)) {
        entry->agrees++;
        return;
    }
    if (entry->differs++ > 0)
        return;
    entry->kernel = view->kernel[result->kernel];
    entry->cpu = result->cpu;
    entry->values = values;
}

void render_sums(const struct render *render, struct run_sums *sums)
{
    struct reading reading = reading_start(render);
    struct sums here = {.count = 0};
    const struct result *result;

    sums->count = 0;
    sums->more = false;
    while ((result = reading_next_result(&reading))) {
        sums_find(&here, &reading.view);
        sums->more |= here.more;
        for (unsigned i = 0; i < here.count; i++)
            add(sums, &reading.view, result, &here.sum[i]);
    }
}

void render_sum_words(const struct run_sum *sum, struct out *out)
{
    char times[COUNTED_BYTES];

    sum_words(&sum->sum, out);
    counted(sum->agrees + sum->differs, "time", times);
    if (sum->differs == 0) {
        out_printf(out, ": agrees %s", times);
        return;
    }
    out_printf(out, ": differs %u of %s: CPU %u ", sum->differs, times, sum->cpu);
    param_say(sum->kernel, out);
    out_char(out, ' ');
    sum_verdict(&sum->sum, &sum->values, out);
}

static void put_difference(struct json *json, const struct view *view, const struct result *result,
                           const struct sum *sum, const struct sum_values *values)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];
    char text[64];
    struct out out = out_buffer(text, sizeof(text));

    sum_verdict(sum, values, &out);
    json_flat_object(json, 0);
    json_number(json, "cpu", result->cpu);
    json_text(json, "kernel", kernel->name);
    json_text(json, "param", kernel->param);
    json_number(json, "n", kernel->n);
    json_signed(json, "sum", values->sum);
    json_signed(json, "total", values->total);
    json_signed(json, "tolerance", values->tolerance);
    json_text(json, "verdict", out_end(&out));
    json_end(json, '}');
}

static void put_differences(const struct render *render, struct json *json, const struct sum *sum)
{
    struct reading reading = reading_start(render);
    struct sums here = {.count = 0};
    struct sum_values values;
    const struct result *result;
    unsigned shown = 0;

    while (shown < SHOWN_MAX && (result = reading_next_result(&reading))) {
        sums_find(&here, &reading.view);
        for (unsigned i = 0; i < here.count; i++)
            if (sum_same(&here.sum[i], sum) &&
                sum_make(&reading.view, result, &here.sum[i], &values) &&
                !sum_agrees(sum, &values)) {
                put_difference(json, &reading.view, result, sum, &values);
                shown++;
            }
    }
}

void render_json_sums(const struct render *render, struct json *json)
{
    char text[SUM_WORDS_BYTES];
    struct run_sums sums;

    render_sums(render, &sums);
    json_array(json, "sums");
    for (unsigned i = 0; i < sums.count; i++) {
        struct out what = out_buffer(text, sizeof(text));

        sum_words(&sums.of[i].sum, &what);
        json_object(json, 0);
        json_text(json, "what", out_end(&what));
        json_number(json, "agrees", sums.of[i].agrees);
        json_number(json, "differs", sums.of[i].differs);
        json_array(json, "differences");
        if (sums.of[i].differs > 0)
            put_differences(render, json, &sums.of[i].sum);
        json_end(json, ']');
        json_end(json, '}');
    }
    json_end(json, ']');
    if (sums.more)
        json_bool(json, "sums_left_out", true);
}
