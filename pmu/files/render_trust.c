/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the trust maps of a run, and writes trust.csv: a line for each event on each counter. */
#include "pmu/base/bytes.h"
#include "pmu/base/csv.h"
#include "pmu/base/text.h"
#include "pmu/counters/check.h"
#include "pmu/files/render_parts.h"
#include "pmu/files/trusted.h"

#define REMEMBERED_TYPES_MAX 4u /* of cores */
#define REMEMBERED_BYTES     (TRUST_WORDS_BYTES + 200u)

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

/* In serial mode, a CPU's records end where those of another CPU begin. */
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

/* Later runs count several events at a time, and start at 0. */
static bool is_remembered(const struct trust_pair *pair)
{
    return pair->kind < TRUST_UNKNOWN && pair->has_slot &&
           event_condition(pair->event) == CONDITION_NONE;
}

static bool has_judged(const struct trust *trust)
{
    for (unsigned i = 0; trust && i < trust->events; i++)
        if (is_remembered(&trust->pair[i]))
            return true;
    return false;
}

/* The first CPU with a judged pair; VIEW_CPUS_MAX: none. */
static uint32_t first_judged(const struct reading *whole)
{
    uint32_t cpu = 0;

    while (cpu < VIEW_CPUS_MAX && !has_judged(render_trust(whole, cpu)))
        cpu++;
    return cpu;
}

bool render_trust_name(const struct render *render, struct out *out)
{
    static struct reading whole;
    const struct cpu_record *cpu;
    uint32_t first;

    if (!render_has_trust(render))
        return false;
    render_trust_ready(render, &whole);
    first = whole.view.end && whole.view.end->stopped == STOPPED_NOT ? first_judged(&whole)
                                                                     : VIEW_CPUS_MAX;
    if (first == VIEW_CPUS_MAX)
        return false;
    cpu = render_trust(&whole, first)->cpu;
    trusted_name(cpu->caps.signature, cpu->microcode, out);
    return true;
}

static void put_line(const char *line, uint32_t *crc, struct out *out)
{
    *crc = crc32_ieee(*crc, line, text_length(line));
    out_text(out, line);
}

static void put_remembered(const struct reading *whole, const struct trust *trust, uint32_t *crc,
                           struct out *out)
{
    for (unsigned i = 0; i < trust->events; i++) {
        const struct trust_pair *pair = &trust->pair[i];
        char text[REMEMBERED_BYTES];
        struct out line = out_buffer(text, sizeof(text));

        if (!is_remembered(pair))
            continue;
        out_printf(&line, "%u,%s,", trust->cpu->cpu, caps_core_type_name(&trust->cpu->caps));
        trusted_key(pair->event, &pair->slot, &line);
        render_run_id(whole->view.run, whole->cursor.run_id, &line);
        out_printf(&line, ",%s,", trust_is_wrong(pair->kind) ? "wrong" : "right");
        trust_words(trust, pair, &line);
        out_char(&line, '\n');
        put_line(out_end(&line), crc, out);
    }
}

struct types {
    unsigned count;
    uint32_t type[REMEMBERED_TYPES_MAX], crc[REMEMBERED_TYPES_MAX];
};

/* If the types are equal, trusted_open() finds the lines of the type's first CPU. */
static bool is_as_the_first(struct types *types, const struct trust *trust)
{
    const uint32_t type = caps_hybrid_type(&trust->cpu->caps), crc = trust_crc(trust);

    for (unsigned i = 0; i < types->count; i++)
        if (types->type[i] == type)
            return types->crc[i] == crc;
    if (types->count < REMEMBERED_TYPES_MAX) {
        types->type[types->count] = type;
        types->crc[types->count++] = crc;
    }
    return false;
}

bool render_trust_map(const struct render *render, struct out *out)
{
    static struct reading whole;
    struct types types = {.count = 0};
    uint32_t crc = 0, signature = 0, microcode = 0;

    render_trust_ready(render, &whole);
    put_line(TRUSTED_FORMAT "\n", &crc, out);
    for (uint32_t cpu = first_judged(&whole); cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = render_trust(&whole, cpu);

        if (!has_judged(trust))
            continue;
        if (types.count == 0) {
            signature = trust->cpu->caps.signature;
            microcode = trust->cpu->microcode;
        }
        if (trust->cpu->caps.signature == signature && trust->cpu->microcode == microcode &&
            !is_as_the_first(&types, trust))
            put_remembered(&whole, trust, &crc, out);
    }
    trusted_end(crc, out);
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
