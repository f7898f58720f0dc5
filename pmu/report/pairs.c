/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports kernels that run on several CPUs: a matrix of pairs, or one line with all CPUs. */
#include "pmu/report/parts.h"

#define NUMBER_WIDTH 7
#define HEAD_WIDTH   8

void report_pairs_start(struct report *report)
{
    struct report_pairs *pairs = &report->pairs;

    pairs->is_cycles = pairs->has_any = false;
    pairs->status = STATUS_STOPPED;
    for (unsigned i = 0; i < REPORT_PAIR_CPUS; i++)
        for (unsigned j = 0; j < REPORT_PAIR_CPUS; j++)
            pairs->milli[i][j] = 0;
}

/* REPORT_PAIR_CPUS if the CPU has no column. */
static unsigned place_of(const struct report_pairs *pairs, uint32_t cpu)
{
    unsigned i = 0;

    while (i < pairs->cpus && pairs->cpu[i] != cpu)
        i++;
    return i < pairs->cpus ? i : REPORT_PAIR_CPUS;
}

void report_add_pair(struct report *report, const struct rows *rows)
{
    const struct result *result = rows->result;
    struct report_pairs *pairs = &report->pairs;
    unsigned i = place_of(pairs, result->cpu);
    unsigned j = result->partner == CPU_NONE ? 0 : place_of(pairs, result->partner);
    const struct row *row = table_time(rows);

    pairs->status = (enum status)result->status;
    if (i == REPORT_PAIR_CPUS || j == REPORT_PAIR_CPUS || !row)
        return;
    pairs->has_any = true;
    pairs->is_cycles = row->event != 0;
    pairs->milli[i][j] = (uint64_t)row->stats.median_milli / rows->view->kernel[result->kernel]->n;
}

static void put_milli(uint64_t milli, struct out *out)
{
    char text[24];
    struct out number = out_buffer(text, sizeof(text));

    if (milli == 0)
        out_char(&number, '-');
    else if (milli < 1000000)
        out_printf(&number, "%llu.%llu", (unsigned long long)(milli / 1000),
                   (unsigned long long)(milli % 1000 / 100));
    else
        out_printf(&number, "%llu", (unsigned long long)(milli / 1000));
    out_printf(out, "%*s", NUMBER_WIDTH, out_end(&number));
}

static void put_matrix(const struct report_pairs *pairs, bool is_pair, struct out *out)
{
    out_printf(out, "%*s", HEAD_WIDTH, "CPU");
    for (unsigned i = 0; i < pairs->cpus; i++)
        out_printf(out, "%*u", NUMBER_WIDTH, pairs->cpu[i]);
    out_char(out, '\n');
    for (unsigned i = 0; i < (is_pair ? pairs->cpus : 1); i++) {
        if (is_pair)
            out_printf(out, "%*u", HEAD_WIDTH, pairs->cpu[i]);
        else
            out_printf(out, "%*s", HEAD_WIDTH, "");
        for (unsigned j = 0; j < pairs->cpus; j++)
            put_milli(is_pair ? pairs->milli[i][j] : pairs->milli[j][0], out);
        out_char(out, '\n');
    }
}

void report_pairs_end(struct report *report, const struct known_kernel *kernel)
{
    const struct report_pairs *pairs = &report->pairs;
    const bool is_pair = kernel->flags & KNOWN_PAIR;
    struct out *out = report->out;

    if (pairs->has_any) {
        out_printf(out, "\n%s: %s for each n, medians%s\n", kernel->name,
                   pairs->is_cycles ? "cycles" : "TSC ticks",
                   is_pair ? ": row's CPU with column's CPU" : "");
        put_matrix(pairs, is_pair, out);
        if (pairs->cpus < report->cpus)
            out_printf(out, "Further CPUs: %u; see results.csv\n", report->cpus - pairs->cpus);
    } else {
        out_printf(out, "%s: %s\n", kernel->name, status_text(pairs->status));
    }
    out_flush(out);
}
