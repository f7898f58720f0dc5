/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the trust maps of a run, and writes trust.csv: a line for each event on each counter. */
#include "pmu/base/csv.h"
#include "pmu/counters/unit.h"
#include "pmu/files/render_parts.h"
#include "pmu/verdicts/trusted.h"

/* Other programs rely on these columns; new ones are appended. */
#define TRUST_HEADER                                                                               \
    "cpu,core_type,event,encoding,counter,kind,kernel,param,n,expected_low,expected_high,min,max," \
    "reason,run,machine\r\n"

const struct trust *render_trust(const struct render *render, uint32_t cpu)
{
    static struct trust trust;
    struct reading reading = reading_start(render);
    const struct result *result;
    bool is_begun = false;

    while ((result = reading_next_result(&reading))) {
        if (result->cpu != cpu)
            continue;
        if (!is_begun)
            trust_start(&trust, &reading.view);
        is_begun = true;
        trust_add(&trust, reading_rows(&reading, result));
    }
    if (!is_begun)
        return 0;
    trust_judge(&trust);
    return &trust;
}

bool render_has_trust(const struct render *render)
{
    struct reading reading = reading_start(render);
    const struct result *result = reading_next_result(&reading);

    return result && trust_is_wanted(&reading.view);
}

/*
 * Writes the kernel with the largest error, and its expected and measured range. If no kernel has
 * an error, writes only the kernel that `reason` is about.
 */
static void put_point(const struct trust *trust, const struct trust_pair *pair, struct out *out)
{
    const struct trust_point *point = &pair->point;
    const struct known_kernel *kernel = trust->kernel[point->kernel];

    if (trust_is_right(pair->kind) || (pair->error == 0 && !pair->is_lost && !pair->has_failed)) {
        out_text(out, ",,,,,,");
        return;
    }
    csv_write(out, kernel->name);
    out_char(out, ',');
    csv_write(out, kernel->param);
    out_printf(out, ",%llu,", (unsigned long long)kernel->n);
    if (pair->error == 0) {
        out_text(out, ",,,");
        return;
    }
    out_printf(out, "%lld,", (long long)point->expect.low);
    if (point->expect.kind != EXPECT_AT_LEAST)
        out_printf(out, "%lld", (long long)point->expect.high);
    out_printf(out, ",%lld,%lld", (long long)point->least, (long long)point->most);
}

static void put_pair(const struct reading *reading, const struct trust *trust, uint32_t cpu,
                     const struct trust_pair *pair, struct out *out)
{
    const struct run_record *run = reading->view.run;
    char text[TRUST_WORDS_BYTES];
    struct out words = out_buffer(text, sizeof(text));

    out_printf(out, "%u,%s,", cpu, trust->core_type);
    trust_event(pair->event, &words);
    csv_write(out, out_end(&words));
    out_char(out, ',');
    render_encoding(pair->event, out);
    out_char(out, ',');
    if (pair->has_slot)
        counter_name(pair->slot.where == SLOT_FIXED, pair->slot.counter, out);
    out_char(out, ',');
    words = out_buffer(text, sizeof(text));
    trust_words(trust, pair, &words);
    csv_write(out, out_end(&words));
    out_char(out, ',');
    put_point(trust, pair, out);
    out_char(out, ',');
    if (!trust_is_right(pair->kind))
        csv_write(out, pair->reason);
    out_char(out, ',');
    render_run_id(run, reading->cursor.run_id, out);
    out_char(out, ',');
    csv_write(out, run->smbios.uuid);
    out_text(out, "\r\n");
}

static bool is_judged(const struct trust_pair *pair)
{
    return pair->kind < TRUST_UNKNOWN && pair->has_slot;
}

static void put_remembered(const struct reading *reading, const struct trust *trust, uint32_t cpu,
                           const struct trust_pair *pair, struct out *out)
{
    out_printf(out, "%u,%s,", cpu, trust->core_type);
    render_encoding(pair->event, out);
    out_char(out, ',');
    counter_name(pair->slot.where == SLOT_FIXED, pair->slot.counter, out);
    out_char(out, ',');
    render_run_id(reading->view.run, reading->cursor.run_id, out);
    out_char(out, ',');
    trust_words(trust, pair, out);
    out_char(out, '\n');
}

bool render_trust_map(const struct render *render, struct out *out)
{
    struct reading reading = reading_start(render);

    while (reading_next(&reading))
        ;
    out_text(out, TRUSTED_FORMAT "\n");
    for (uint32_t cpu = 0; cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = reading.view.cpu_at[cpu] ? render_trust(render, cpu) : 0;

        for (unsigned i = 0; trust && i < trust->events; i++)
            if (is_judged(&trust->pair[i]))
                put_remembered(&reading, trust, cpu, &trust->pair[i], out);
    }
    return out_flush(out);
}

bool render_trust_csv(const struct render *render, struct out *out)
{
    struct reading reading = reading_start(render);

    while (reading_next(&reading))
        ;
    out_text(out, TRUST_HEADER);
    for (uint32_t cpu = 0; cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = reading.view.cpu_at[cpu] ? render_trust(render, cpu) : 0;

        for (unsigned i = 0; trust && i < trust->events; i++)
            if (trust->pair[i].kind != TRUST_NOTHING)
                put_pair(&reading, trust, cpu, &trust->pair[i], out);
    }
    return out_flush(out);
}
