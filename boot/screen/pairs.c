/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/screen/pairs.h"
#include "pmu/verdicts/differs.h"

#define SHOWN_MAX    10u /* CPUs: what fits a line of the console */
#define NUMBER_WIDTH 7
#define HEAD_WIDTH   8

/* Thousandths of a cycle, or tick, for each n; 0: nothing. */
static struct {
    unsigned cpu[SHOWN_MAX];
    unsigned cpus;
    uint64_t milli[SHOWN_MAX][SHOWN_MAX];
    bool is_cycles; /* or ticks of the time stamp: then of all */
    bool has_any;
    enum status status; /* why there is nothing, of the last result */
} matrix;

void report_pairs_start(const struct run *run, unsigned kernel)
{
    (void)kernel;
    matrix.cpus = 0;
    matrix.is_cycles = matrix.has_any = false;
    matrix.status = STATUS_STOPPED;
    for (unsigned i = 0; i < run->machine->cpus.count && matrix.cpus < SHOWN_MAX; i++)
        if (run_has_cpu(run, i))
            matrix.cpu[matrix.cpus++] = i;
    for (unsigned i = 0; i < SHOWN_MAX; i++)
        for (unsigned j = 0; j < SHOWN_MAX; j++)
            matrix.milli[i][j] = 0;
}

/* SHOWN_MAX: it has no column. */
static unsigned place_of(uint32_t cpu)
{
    unsigned i = 0;

    while (i < matrix.cpus && matrix.cpu[i] != cpu)
        i++;
    return i < matrix.cpus ? i : SHOWN_MAX;
}

/* The first event of core cycles that was counted, else the time stamp. */
static bool find_row(const struct view *view, const struct result *result, struct row *row)
{
    for (unsigned i = 0; i < view->events; i++) {
        row_make(view, result, i, row);
        if (row_is_cycles(row) && row->accepted > 0 && !row->counter_off)
            return true;
    }
    row_make(view, result, view->events, row);
    return row->accepted > 0;
}

void report_pairs_add(const struct view *view, const struct result *result)
{
    unsigned i = place_of(result->cpu), j = place_of(result->partner);
    struct row row;

    matrix.status = (enum status)result->status;
    if (result->partner == CPU_NONE)
        j = 0;
    if (i == SHOWN_MAX || j == SHOWN_MAX || !find_row(view, result, &row))
        return;
    matrix.has_any = true;
    matrix.is_cycles = row.event != 0;
    matrix.milli[i][j] = (uint64_t)row.stats.median_milli / view->kernel[result->kernel]->n;
}

static void say_milli(uint64_t milli)
{
    char text[24];
    struct out out = out_buffer(text, sizeof(text));

    if (milli == 0)
        out_char(&out, '-');
    else if (milli < 1000000)
        out_printf(&out, "%llu.%llu", (unsigned long long)(milli / 1000),
                   (unsigned long long)(milli % 1000 / 100));
    else
        out_printf(&out, "%llu", (unsigned long long)(milli / 1000));
    say("%*s", NUMBER_WIDTH, out_end(&out));
}

static void say_heads(void)
{
    say("%*s", HEAD_WIDTH, "CPU");
    for (unsigned i = 0; i < matrix.cpus; i++)
        say("%*u", NUMBER_WIDTH, matrix.cpu[i]);
    say("\n");
}

void report_pairs_end(const struct run *run, unsigned kernel)
{
    const struct kernel_record *record = run->kernel[kernel].record;
    bool pairs = record->flags & KERNEL_PAIR;

    console_progress_end();
    if (!matrix.has_any) {
        say("%s: %s\n", record->name, status_text(matrix.status));
        return;
    }
    say("\n%s: %s for each n, medians%s\n", record->name, matrix.is_cycles ? "cycles" : "TSC ticks",
        pairs ? ": CPU of the line with that of the column" : "");
    say_heads();
    for (unsigned i = 0; i < (pairs ? matrix.cpus : 1); i++) {
        if (pairs)
            say("%*u", HEAD_WIDTH, matrix.cpu[i]);
        else
            say("%*s", HEAD_WIDTH, "");
        for (unsigned j = 0; j < matrix.cpus; j++)
            say_milli(pairs ? matrix.milli[i][j] : matrix.milli[j][0]);
        say("\n");
    }
    if (matrix.cpus < run->cpus)
        say("Further CPUs: %u; results.csv has them\n", run->cpus - matrix.cpus);
}
