/* SPDX-License-Identifier: BSD-2-Clause */
#include "evidence.h"
#include "reading.h"

/* design: "Results", the columns that other programs rely on; later ones are added at the end. */
#define RESULTS_HEADER                                                                             \
    "cpu,apic_id,core_type,kernel,param,event,encoding,runs,rejected,min,median,mean,max,stddev,"  \
    "per_iteration,expected,verdict,ring,mode,counter,pass,partner,scope,unit,n,q1,q3,modes,"      \
    "reason\r\n"
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

static void put_milli(struct out *out, bool present, int64_t thousandths)
{
    if (present)
        out_milli(out, thousandths);
    out_char(out, ',');
}

/* Of an MSR, its one value. */
static void put_quartiles(struct out *out, const struct row *row)
{
    unsigned long long value = row->msr ? row->msr->value : 0;

    if (row->msr && row->accepted > 0) {
        out_printf(out, "%llu,%llu,", value, value);
        return;
    }
    put_milli(out, row->accepted > 0, row->stats.q1_milli);
    put_milli(out, row->accepted > 0, row->stats.q3_milli);
}

static void put_statistics(struct out *out, const struct row *row, uint64_t n)
{
    const struct stats *s = &row->stats;
    bool present = row->accepted > 0;

    out_printf(out, "%u,%u,", row->accepted, row->rejected);
    put_milli(out, present, s->min * 1000);
    put_milli(out, present, s->median_milli);
    put_milli(out, present, s->mean_milli);
    put_milli(out, present, s->max * 1000);
    put_milli(out, present, s->stddev_milli);
    put_milli(out, present, s->mean_milli / (int64_t)n);
    if (row->expect.kind != EXPECT_NOTHING)
        out_printf(out, "%lld", (long long)row->expect.low);
    if (row->expect.kind == EXPECT_RANGE)
        out_printf(out, "..%lld", (long long)row->expect.high);
    out_char(out, ',');
}

/* The one value of an MSR, from "runs" to "expected". */
static void put_value(struct out *out, const struct msr_result *msr)
{
    unsigned long long value = msr->value;

    if (msr->fault)
        out_text(out, "0,0,,,,,,,,");
    else
        out_printf(out, "1,0,%llu,%llu,%llu,%llu,0,,,", value, value, value, value);
}

/* As perf takes it: the fields of IA32_PERFEVTSELx that say what is counted. */
static void put_encoding(const struct row *row, struct out *out)
{
    static const char *const INSTRUCTIONS[MSR_OPS] = {
        [MSR_OP_READ] = "rdmsr", [MSR_OP_WRITE] = "wrmsr", [MSR_OP_RDTSC] = "rdtsc"};
    const struct event *event = row->event;

    if (!event)
        out_text(out, INSTRUCTIONS[row->msr ? row->msr->kind : MSR_OP_RDTSC]);
    else
        out_printf(out, "r%04llx", (unsigned long long)event->select);
    if (event && event->extra_msr)
        out_printf(out, ":0x%x=0x%llx", event->extra_msr, (unsigned long long)event->extra);
}

/* The ring that a row is about: that of its counter, or of the kernel for the time stamp. */
static const char *ring_name(const struct view *view, const struct event *event)
{
    static const char *const NAMES[] = {
        [0] = "", [RING_OS] = "os", [RING_USR] = "usr", [RING_OS | RING_USR] = "both"};

    return NAMES[(event ? event->rings : view->run->kernel_ring) & (RING_OS | RING_USR)];
}

static const char *unit_name(const struct row *row)
{
    if (row->event)
        return event_unit_name(row->event);
    return row->msr && row->msr->kind != MSR_OP_RDTSC ? "value" : "tsc ticks";
}

static void put_row(const struct view *view, const struct result *result, const struct row *row,
                    struct out *out)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];
    const struct cpu_caps *caps = &view->cpu->caps;
    char text[EVENT_NAME_BYTES];
    struct out name = out_buffer(text, sizeof(text));

    out_printf(out, "%u,%u,%s,", result->cpu, caps->x2apic_id, caps_core_type_name(caps));
    render_field(out, kernel->name);
    out_char(out, ',');
    render_field(out, kernel->param);
    out_char(out, ',');
    row_name(row, &name);
    render_field(out, out_end(&name));
    out_char(out, ',');
    put_encoding(row, out);
    out_char(out, ',');
    if (row->msr)
        put_value(out, row->msr);
    else
        put_statistics(out, row, kernel->n);
    out_printf(out, "%s,%s,%s,", verdict_name(row->verdict), ring_name(view, row->event),
               view->run->parallel ? "parallel" : "serial");
    render_counter(row, out);
    out_char(out, ',');
    if (row->has_slot || (!row->event && !row->msr))
        out_printf(out, "%u", row->pass);
    out_printf(out, ",,thread,%s,%llu,", unit_name(row), (unsigned long long)kernel->n);
    put_quartiles(out, row);
    out_char(out, ',');
    render_field(out, row->reason);
    out_text(out, "\r\n");
}

bool render_results_csv(const struct render *render, struct out *out)
{
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct result *result;
    struct row row;

    out_text(out, RESULTS_HEADER);
    while ((result = reading_next_result(&reading)))
        for (unsigned i = 0; i < rows_count(view, result); i++) {
            row_make(view, result, i, &row);
            put_row(view, result, &row, out);
        }
    return out_flush(out);
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
