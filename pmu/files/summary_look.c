/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the contents of summary.html by reading the journal once. */
#include "pmu/base/text.h"
#include "pmu/files/summary_parts.h"
#include "pmu/verdicts/differs.h"

#define LINE_BYTES 64u
#define MILLI      1000u

static unsigned type_of(struct summary *summary, const struct view *view, uint32_t cpu)
{
    const struct cpu_caps *caps = &view->cpu->caps;
    unsigned i = 0;

    while (i < summary->types && summary->type[i].core != caps_core(caps))
        i++;
    if (i == SUMMARY_TYPES)
        return i;
    if (i == summary->types)
        summary->type[summary->types++] = (struct summary_type){
            .core = caps_core(caps), .first = cpu, .name = caps_core_type_name(caps)};
    summary->type[i].cpus++;
    return i;
}

static struct summary_cpu *cpu_of(struct summary *summary, const struct view *view, uint32_t number)
{
    struct summary_cpu *cpu = &summary->cpu[number];

    if (!cpu->is_seen) {
        *cpu = (struct summary_cpu){.is_seen = true};
        cpu->type = (uint8_t)type_of(summary, view, number);
        summary->cpus++;
    }
    return cpu;
}

/* The bytes that a kernel of kernels/bandwidth.asm reads, writes or copies per unit of n. */
static uint64_t bytes_of_n(const struct known_kernel *kernel)
{
    bool is_copy = text_starts(kernel->name, "movs");
    uint64_t share = is_copy ? kernel->buffer_bytes / 2 : kernel->buffer_bytes;

    if (!text_find(kernel->name, "_block"))
        return LINE_BYTES;
    share = share / LINE_BYTES * LINE_BYTES;
    return kernel->argument < share ? kernel->argument : share;
}

/*
 * The median time in thousandths of a nanosecond, computed from core cycles. Without core cycles,
 * it is computed from a count at the time stamp's rate; 0 if there is no such count.
 */
static uint64_t ns_milli(const struct rows *rows)
{
    uint64_t of_ticks = 0;

    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        uint64_t khz = render_khz(rows->view, rows->result, row);
        int64_t ns = khz > 0 ? clock_median_ns_milli(row->stats.median_milli, khz) : 0;

        if (ns > 0 && row_is_cycles(row))
            return (uint64_t)ns;
        if (ns > 0 && of_ticks == 0)
            of_ticks = (uint64_t)ns;
    }
    return of_ticks;
}

static uint64_t latency_milli(const struct known_kernel *kernel, const struct row *cycles)
{
    int64_t milli = cycles->stats.median_milli / (int64_t)kernel->n;

    if (kernel->copies > 0 && cycles->twice.count > 0)
        milli = row_per_copy_milli(kernel, cycles, cycles->twice.median_milli);
    return milli > 0 ? (uint64_t)milli : 0;
}

static void add_point(struct summary_cell *cell, const struct rows *rows, const struct row *cycles)
{
    const struct known_kernel *kernel = rows->view->kernel[rows->result->kernel];
    uint64_t ns = ns_milli(rows);

    if (view_is_cold(rows->view, kernel))
        return;
    if (cycles)
        cell->latency = latency_milli(kernel, cycles);
    if (ns > 0)
        cell->rate = scale_rounded(bytes_of_n(kernel) * kernel->n, MILLI * MILLI, ns);
}

static bool has_failed(const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++)
        if (row_fails(&rows->row[i]))
            return true;
    return false;
}

/* The row of cycles or ticks to show. A trusted row that has a column in the table is preferred. */
static const struct row *shown_cycles(const struct rows *rows)
{
    struct table_columns columns;

    table_choose(rows->view, &columns);
    for (unsigned i = 0; i < columns.count; i++) {
        const struct row *row = &rows->row[columns.event[i]];

        if ((columns.is_time || row_is_cycles(row)) && row->accepted > 0 && !row->counter_off)
            return row;
    }
    return table_cycles(rows);
}

static void add_cell(struct summary *summary, unsigned type, const struct rows *rows)
{
    const struct result *result = rows->result;
    struct summary_cell *cell = &summary->cell[type][result->kernel];
    const struct row *cycles = shown_cycles(rows);
    const bool failed = has_failed(rows);

    cell->cpus++;
    cell->failing += failed;
    if (cycles && (cell->low_cpu == SUMMARY_NO_CPU || cycles->stats.median_milli < cell->low)) {
        cell->low = cycles->stats.median_milli;
        cell->low_cpu = result->cpu;
    }
    if (cycles && (cell->high_cpu == SUMMARY_NO_CPU || cycles->stats.median_milli > cell->high)) {
        cell->high = cycles->stats.median_milli;
        cell->high_cpu = result->cpu;
    }
    if (!failed && result->cpu == summary->type[type].first)
        add_point(cell, rows, table_cycles(rows));
}

static void take(struct summary *summary, const struct rows *rows)
{
    const struct result *result = rows->result;
    struct summary_cpu *cpu;

    tally_rows(&summary->tally, rows);
    if (result->cpu >= VIEW_CPUS_MAX)
        return;
    cpu = cpu_of(summary, rows->view, result->cpu);
    cpu->kernels++;
    tally_rows(&cpu->tally, rows);
    summary_add_faults(summary, rows);
    if (cpu->type < SUMMARY_TYPES && !summary_is_shared(rows->view->kernel[result->kernel]))
        add_cell(summary, cpu->type, rows);
    clock_add(&cpu->clock, rows->view, result);
}

static void start(struct summary *summary, const struct render *render)
{
    summary->render = render;
    summary->reading = reading_start(render);
    summary->tally = (struct tally){0};
    summary->types = summary->cpus = 0;
    summary->failed.count = summary->missing.count = 0;
    summary->failed.more = summary->missing.more = 0;
    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++)
        summary->cpu[i].is_seen = false;
    for (unsigned t = 0; t < SUMMARY_TYPES; t++)
        for (unsigned k = 0; k < KERNELS_MAX; k++)
            summary->cell[t][k] =
                (struct summary_cell){.low_cpu = SUMMARY_NO_CPU, .high_cpu = SUMMARY_NO_CPU};
}

bool summary_look(struct summary *summary, const struct render *render)
{
    const struct view *view = &summary->reading.view;
    const struct result *result;

    start(summary, render);
    while ((result = reading_next_result(&summary->reading)))
        take(summary, reading_rows(&summary->reading, result));
    summary->run = view->run;
    summary->kernel = view->kernel;
    summary->kernels = view->kernels;
    if (!view->run)
        return false;
    summary->tally.plan_errors = view->run->plan_errors;
    summary->tally.refused = run_refused(view->run);
    return true;
}
