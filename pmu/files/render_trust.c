/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the trust maps of a run, and writes trust.csv: a line for each event on each counter. */
#include "pmu/base/csv.h"
#include "pmu/counters/unit.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/trusted.h"

#define REMEMBERED_TYPES_MAX 4u /* of cores */

/* Other programs rely on these columns; new ones are appended. */
#define TRUST_HEADER                                                                               \
    "cpu,core_type,event,encoding,counter,kind,kernel,param,n,expected_low,expected_high,min,max," \
    "reason,run,machine\r\n"

void render_trust_ready(const struct render *render, struct reading *whole)
{
    *whole = reading_start(render);
    while (reading_next_result(whole))
        ;
}

/*
 * In serial mode, a CPU's records end where those of another CPU begin, so kernels that run on
 * several CPUs are left out.
 */
static bool is_of_cpu(const struct reading *reading, uint32_t cpu)
{
    return reading->view.run->parallel || (reading->view.cpu && reading->view.cpu->cpu == cpu);
}

const struct trust *render_trust(const struct reading *whole, uint32_t cpu)
{
    static struct trust trust;
    static struct reading reading; /* outlives the map */
    bool is_begun = false;

    if (whole->view.cpu_at[cpu] == 0)
        return 0;
    reading = *whole;
    reading.cursor.at = whole->view.cpu_at[cpu];
    reading.cursor.sequence =
        ((const struct journal_head *)(whole->cursor.bytes + reading.cursor.at))->sequence;
    while (reading_next(&reading) && is_of_cpu(&reading, cpu)) {
        if (!reading.result || reading.result->cpu != cpu)
            continue;
        if (!is_begun)
            trust_start(&trust, &reading.view);
        is_begun = true;
        trust_add(&trust, reading_rows(&reading, reading.result));
    }
    if (is_begun && whole->is_cut_off && whole->cut_off.cpu == cpu)
        trust_add(&trust, reading_rows(whole, &whole->cut_off));
    if (!is_begun)
        return 0;
    trust_judge(&trust);
    return &trust;
}

bool render_has_trust(const struct render *render)
{
    const struct beginning first = render_beginning(render);

    return first.run && first.run->plan_flags & RUN_EACH_COUNTER;
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

    out_printf(out, "%u,%s,", cpu, caps_core_type_name(&trust->cpu->caps));
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

static bool has_judged(const struct trust *trust)
{
    for (unsigned i = 0; trust && i < trust->events; i++)
        if (is_judged(&trust->pair[i]))
            return true;
    return false;
}

bool render_trust_name(const struct render *render, struct out *out)
{
    static struct reading whole;

    if (!render_has_trust(render))
        return false;
    render_trust_ready(render, &whole);
    if (!whole.view.end || whole.view.end->stopped != STOPPED_NOT)
        return false;
    for (uint32_t cpu = 0; cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = render_trust(&whole, cpu);

        if (has_judged(trust)) {
            trusted_name(trust->cpu->caps.signature, trust->cpu->microcode, out);
            return true;
        }
    }
    return false;
}

static void put_remembered(const struct reading *whole, const struct trust *trust,
                           const struct trust_pair *pair, struct out *out)
{
    out_printf(out, "%u,%s,", trust->cpu->cpu, caps_core_type_name(&trust->cpu->caps));
    trusted_key(pair->event, &pair->slot, out);
    render_run_id(whole->view.run, whole->cursor.run_id, out);
    out_printf(out, ",%s,", trust_is_wrong(pair->kind) ? "wrong" : "right");
    trust_words(trust, pair, out);
    out_char(out, '\n');
}

bool render_trust_map(const struct render *render, struct out *out)
{
    static struct reading whole;
    struct cores {
        uint8_t type;
        uint32_t crc;
    } first[REMEMBERED_TYPES_MAX];
    unsigned types = 0;

    render_trust_ready(render, &whole);
    out_text(out, TRUSTED_FORMAT "\n");
    for (uint32_t cpu = 0; cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = render_trust(&whole, cpu);
        struct cores cores;
        unsigned i = 0;

        if (!has_judged(trust))
            continue;
        cores = (struct cores){trust->cpu->caps.core_type, trust_crc(trust)};
        while (i < types && first[i].type != cores.type)
            i++;
        if (i < types && first[i].crc == cores.crc)
            continue; /* trusted_open() uses the lines of the first CPU of this type */
        if (i == types && types < REMEMBERED_TYPES_MAX)
            first[types++] = cores;
        for (unsigned e = 0; e < trust->events; e++)
            if (is_judged(&trust->pair[e]))
                put_remembered(&whole, trust, &trust->pair[e], out);
    }
    out_text(out, TRUSTED_END "\n");
    return out_flush(out);
}

bool render_trust_csv(const struct render *render, struct out *out)
{
    static struct reading whole;

    render_trust_ready(render, &whole);
    out_text(out, TRUST_HEADER);
    for (uint32_t cpu = 0; cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = render_trust(&whole, cpu);

        for (unsigned i = 0; trust && i < trust->events; i++)
            if (trust->pair[i].kind != TRUST_NOTHING)
                put_pair(&whole, trust, cpu, &trust->pair[i], out);
    }
    return out_flush(out);
}
