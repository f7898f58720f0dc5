/* SPDX-License-Identifier: BSD-2-Clause */
#include "evidence.h"
#include "reading.h"

#define SAMPLES_HEADER                                                                             \
    "cpu,kernel,param,n,event,pass,attempt,accepted,evidence,smis,nmis,tsc,raw,"                   \
    "overflowed\r\n"

void render_field(struct out *out, const char *text)
{
    bool quotes = false;

    for (const char *at = text; *at; at++)
        quotes |= *at == ',' || *at == '"' || *at == '\r' || *at == '\n';
    if (quotes)
        out_char(out, '"');
    for (const char *at = text; *at; at++) {
        if (*at == '"')
            out_char(out, '"');
        out_char(out, *at);
    }
    if (quotes)
        out_char(out, '"');
}

void render_counter(const struct row *row, struct out *out)
{
    if (row->has_slot)
        counter_name(row->slot.fixed, row->slot.counter, out);
}

/* One sample: a line for each counter of its pass, or one for the time stamp where it has none. */
static void put_sample(const struct view *view, const struct result *result,
                       const struct sample *sample, struct out *out)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];
    const struct pass *pass = &view->schedule->pass[sample->pass];
    unsigned slot = 0;

    do {
        bool counted = slot < pass->slots;

        out_printf(out, "%u,", result->cpu);
        render_field(out, kernel->name);
        out_char(out, ',');
        render_field(out, kernel->param);
        out_printf(out, ",%llu,",
                   (unsigned long long)(sample->kind == SAMPLE_2N ? 2 * kernel->n : kernel->n));
        render_field(out, counted ? view->event[pass->slot[slot].event].name : "TSC");
        out_printf(out, ",%u,%u,%u,", sample->pass, sample->attempt, sample->evidence == 0);
        evidence_words(sample->evidence, out);
        out_char(out, ',');
        if (sample->smis != SMIS_UNKNOWN)
            out_printf(out, "%u", sample->smis);
        out_printf(out, ",%u,%llu,%lld,", sample->nmis, (unsigned long long)sample->tsc,
                   (long long)(counted ? sample->raw[slot] : sample->tsc));
        if (counted && view_tells_overflow(view))
            out_printf(out, "%u", sample->overflowed >> slot & 1);
        out_text(out, "\r\n");
    } while (++slot < pass->slots);
}

bool render_samples_csv(const struct render *render, struct out *out)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct result *result;

    out_text(out, SAMPLES_HEADER);
    while ((result = reading_next_result(&reading)))
        for (uint32_t i = 0; i < result->samples; i++)
            if (result_sample(result, i)->pass < view->schedule->passes)
                put_sample(view, result, result_sample(result, i), out);
    return out_flush(out);
}

bool render_tally(const struct render *render, struct tally *tally)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct result *result;
    struct row row;

    *tally = (struct tally){0};
    while ((result = reading_next_result(&reading)))
        for (unsigned i = 0; i < rows_count(view, result); i++) {
            row_make(view, result, i, &row);
            tally_add(tally, &row);
        }
    return view->run != 0;
}

bool render_end(const struct render *render, struct end_record *end)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;

    while (reading_next(&reading))
        ;
    if (view->end)
        *end = *view->end;
    return view->end != 0;
}

bool render_index_line(const struct render *render, struct out *out)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    struct tally tally;
    char line[80];
    struct out verdict = out_buffer(line, sizeof(line));

    while (reading_next(&reading))
        ;
    if (!view->run || !render_tally(render, &tally))
        return false;
    tally_line(&tally, &verdict);
    out_printf(out, "%04u,", view->run->number);
    render_field(out, view->run->label);
    out_char(out, ',');
    render_field(out, view->run->started);
    out_char(out, ',');
    render_field(out, view->cpu ? view->cpu->caps.brand : "");
    out_char(out, ',');
    render_field(out, view->run->uuid);
    out_char(out, ',');
    render_field(out, view->end ? out_end(&verdict) : "INTERRUPTED");
    out_text(out, "\r\n");
    return out_flush(out);
}
