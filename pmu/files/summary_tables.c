/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the tables of summary.html (medians, pairs of CPUs), and its list of CPUs. */
#include "pmu/base/text.h"
#include "pmu/files/param.h"
#include "pmu/files/summary_parts.h"

#define MEDIANS_UP_TO_KIB 268u
#define PAIRS_UP_TO_KIB   280u
#define CPUS_UP_TO_KIB    292u
#define NAME_BYTES        240u
#define UNCORE_BYTES      2048u
#define NO_COLUMNS        1000u /* lines rarely wrap */

static void put_name(const struct view *view, const struct known_kernel *kernel, struct out *out)
{
    char text[NAME_BYTES];
    struct out name = out_buffer(text, sizeof(text));

    param_say(kernel, &name);
    if (view_is_cold(view, kernel))
        out_text(&name, " cold");
    html_escape(out, out_end(&name));
}

static void put_heading(const struct view *view, unsigned event, struct out *out)
{
    const char *heading = table_heading(view, event);

    out_text(out, "<th>");
    for (char c[2] = {0}; (c[0] = *heading); heading++) {
        html_escape(out, c);
        out_text(out, *heading == '.' || *heading == '_' ? "<wbr>" : "");
    }
    out_text(out, "</th>");
}

static void put_caption(struct summary *summary, const struct summary_type *type,
                        const struct table_columns *columns)
{
    const struct run_record *run = summary->run;
    struct out *out = html_piece(&summary->html);
    char text[COUNTED_BYTES];

    out_printf(out, "<p>CPU %u", type->first);
    if (type->name[0])
        out_printf(out, ", the first %s core", type->name);
    out_printf(out, "; medians of %s", counted(run->runs, "run", text));
    if (run->parallel)
        out_printf(out, ", while each kernel runs on %s", counted(run->cpus_planned, "CPU", text));
    out_printf(out,
               ". %s: %s per copy of what the kernel's title names, from n and 2n; ~: samples not "
               "stable.</p>\n",
               table_copy_heading(columns), table_copy_words(columns));
    html_put(&summary->html);
}

static void put_head(struct summary *summary, const struct view *view,
                     const struct summary_type *type, const struct table_columns *columns)
{
    struct out *out = html_piece(&summary->html);

    out_printf(out, "<div class=\"wide\"><table>\n<thead><tr><th>kernel</th><th>%s</th>",
               table_copy_heading(columns));
    for (unsigned i = 0; i < columns->count; i++)
        put_heading(view, columns->event[i], out);
    out_text(out, "<th>verdict</th>");
    if (type->cpus > 1)
        out_printf(out, "<th>%s on %u CPUs</th>", columns->is_time ? "ticks" : "cycles",
                   type->cpus);
    out_text(out, "</tr></thead>\n<tbody>\n");
    html_write(&summary->html, out_end(out));
}

/* Writes "2015" or "2010 (CPU 3) to 2051 (CPU 17)", and how many CPUs have a failed row. */
static void put_others(const struct summary_cell *cell, struct out *out)
{
    out_text(out, "<td>");
    if (cell->low_cpu == SUMMARY_NO_CPU)
        out_char(out, '-');
    else
        out_milli(out, cell->low);
    if (cell->low_cpu != SUMMARY_NO_CPU && cell->high > cell->low) {
        out_printf(out, " (CPU %u) to ", cell->low_cpu);
        out_milli(out, cell->high);
        out_printf(out, " (CPU %u)", cell->high_cpu);
    }
    if (cell->failing > 0)
        out_printf(out, " <b class=\"bad\">failed on %u</b>", cell->failing);
    out_text(out, "</td>");
}

static bool is_bad(const char *verdict)
{
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (verdict_fails(v) && text_same(verdict, verdict_name(v)))
            return true;
    return false;
}

static void put_more(struct summary *summary, const struct rows *rows, unsigned columns)
{
    static char text[UNCORE_BYTES];
    struct out more = out_buffer(text, sizeof(text));
    struct out *out = html_piece(&summary->html);

    table_uncore(rows, NO_COLUMNS, &more);
    for (unsigned i = rows->view->events + 1; i < rows->count; i++)
        table_msr(&rows->row[i], &more);
    out_end(&more);
    if (text[0] == 0)
        return;
    out_printf(out, "<tr class=\"more\"><td colspan=\"%u\">", columns);
    html_escape(out, text);
    out_text(out, "</td></tr>\n");
    html_put(&summary->html);
}

static void put_line(struct summary *summary, const struct rows *rows,
                     const struct summary_type *type, const struct table_columns *columns)
{
    const struct view *view = rows->view;
    const unsigned index = rows->result->kernel;
    struct out *out = html_piece(&summary->html);
    char text[TABLE_CELL_BYTES];
    const char *verdict = table_verdict(rows);

    out_text(out, "<tr><td>");
    put_name(view, view->kernel[index], out);
    out_printf(out, "</td><td>%s</td>", table_per_copy(columns, rows, text));
    for (unsigned i = 0; i < columns->count; i++)
        out_printf(out, "<td>%s</td>", table_value(&rows->row[columns->event[i]], text));
    out_printf(out, "<td%s>%s</td>", is_bad(verdict) ? " class=\"bad\"" : "", verdict);
    if (type->cpus > 1)
        put_others(&summary->cell[type - summary->type][index], out);
    out_text(out, "</tr>\n");
    if (html_put(&summary->html))
        put_more(summary, rows, columns->count + 3 + (type->cpus > 1));
}

static void put_type(struct summary *summary, const struct summary_type *type)
{
    struct reading *reading = &summary->reading;
    const struct result *result;
    struct table_columns columns = {.count = 0};
    bool has_head = false;

    *reading = reading_start(summary->render);
    while ((result = reading_next_result(reading))) {
        const struct known_kernel *kernel = reading->view.kernel[result->kernel];

        if (result->cpu != type->first || summary_is_shared(kernel))
            continue;
        if (!has_head) {
            table_choose(&reading->view, &columns);
            put_caption(summary, type, &columns);
            put_head(summary, &reading->view, type, &columns);
        }
        has_head = true;
        put_line(summary, reading_rows(reading, result), type, &columns);
    }
    if (has_head)
        html_write(&summary->html, "</tbody></table></div>\n");
    html_put_left_out(&summary->html, "line", "results.csv");
}

void summary_put_medians(struct summary *summary)
{
    const unsigned end = MEDIANS_UP_TO_KIB << 10;

    html_write(&summary->html, "<h2>Medians</h2>\n");
    for (unsigned i = 0; i < summary->types; i++) {
        uint64_t bytes = summary->html.bytes, left = bytes < end ? end - bytes : 0;

        html_limit(&summary->html, bytes + left / (summary->types - i));
        put_type(summary, &summary->type[i]);
    }
}

/*
 * Medians divided by n, in thousandths of a cycle or tick. If the kernel runs on all CPUs at once,
 * only the first column is used.
 */
struct pairs {
    unsigned cpus;
    uint32_t cpu[SUMMARY_PAIR_CPUS];
    uint64_t milli[SUMMARY_PAIR_CPUS][SUMMARY_PAIR_CPUS];
    bool is_ticks, has_more;
    uint32_t results;
    uint64_t low, high;
    enum status status; /* status of the last result */
};

static unsigned place_of(struct pairs *pairs, uint32_t cpu)
{
    unsigned i = 0;

    while (i < pairs->cpus && pairs->cpu[i] != cpu)
        i++;
    if (i == pairs->cpus && i < SUMMARY_PAIR_CPUS)
        pairs->cpu[pairs->cpus++] = cpu;
    return i;
}

static void add_pair(struct pairs *pairs, const struct rows *rows)
{
    const struct result *result = rows->result;
    const struct row *row = table_time(rows);
    uint64_t milli;
    unsigned i = place_of(pairs, result->cpu), j = 0;

    if (result->partner != CPU_NONE)
        j = place_of(pairs, result->partner);
    pairs->has_more |= i == SUMMARY_PAIR_CPUS || j == SUMMARY_PAIR_CPUS;
    pairs->status = (enum status)result->status;
    if (!row || row->stats.median_milli < 0)
        return;
    milli = (uint64_t)row->stats.median_milli / rows->view->kernel[result->kernel]->n;
    pairs->is_ticks |= row->event == 0;
    pairs->low = pairs->results == 0 || milli < pairs->low ? milli : pairs->low;
    pairs->high = milli > pairs->high ? milli : pairs->high;
    pairs->results++;
    if (i < SUMMARY_PAIR_CPUS && j < SUMMARY_PAIR_CPUS)
        pairs->milli[i][j] = milli;
}

static void put_tenths(uint64_t milli, struct out *out)
{
    out_printf(out, "%llu.%llu", (unsigned long long)(milli / 1000),
               (unsigned long long)(milli % 1000 / 100));
}

static void put_matrix(struct summary *summary, const struct pairs *pairs, bool is_pair)
{
    struct out *out = html_piece(&summary->html);

    out_text(out, "<div class=\"wide\"><table><tr><th>CPU</th>");
    for (unsigned i = 0; i < pairs->cpus; i++)
        out_printf(out, "<th>%u</th>", pairs->cpu[i]);
    out_text(out, "</tr>\n");
    for (unsigned i = 0; i < (is_pair ? pairs->cpus : 1); i++) {
        if (is_pair)
            out_printf(out, "<tr><th>%u</th>", pairs->cpu[i]);
        else
            out_text(out, "<tr><th></th>");
        for (unsigned j = 0; j < pairs->cpus; j++) {
            uint64_t milli = is_pair ? pairs->milli[i][j] : pairs->milli[j][0];

            out_text(out, "<td>");
            if (milli > 0)
                put_tenths(milli, out);
            out_text(out, "</td>");
        }
        out_text(out, "</tr>\n");
    }
    out_text(out, "</table></div>\n");
    html_put(&summary->html);
}

static void put_pairs_of(struct summary *summary, unsigned index)
{
    static struct pairs pairs;
    const struct known_kernel *kernel = summary->kernel[index];
    const bool is_pair = kernel->flags & KNOWN_PAIR;
    struct reading *reading = &summary->reading;
    const struct result *result;
    struct out *out;

    pairs = (struct pairs){.status = STATUS_STOPPED};
    *reading = reading_start(summary->render);
    while ((result = reading_next_result(reading)))
        if (result->kernel == index)
            add_pair(&pairs, reading_rows(reading, result));
    out = html_piece(&summary->html);
    out_text(out, "<p><b>");
    html_escape(out, kernel->name);
    out_text(out, "</b>: ");
    if (pairs.results == 0) {
        html_escape(out, status_text(pairs.status));
    } else {
        put_tenths(pairs.low, out);
        out_text(out, " to ");
        put_tenths(pairs.high, out);
        out_printf(out, " %s for each n, medians%s%s",
                   pairs.is_ticks ? "ticks of the time stamp" : "cycles",
                   is_pair ? ": the row's CPU with the column's CPU" : "",
                   pairs.has_more ? "; further CPUs are in results.csv" : "");
    }
    out_text(out, "</p>\n");
    if (html_put(&summary->html) && pairs.results > 0)
        put_matrix(summary, &pairs, is_pair);
}

void summary_put_pairs(struct summary *summary)
{
    bool has_any = false;

    html_limit(&summary->html, PAIRS_UP_TO_KIB << 10);
    for (unsigned i = 0; i < summary->kernels; i++) {
        if (!summary->kernel[i] || !summary_is_shared(summary->kernel[i]))
            continue;
        if (!has_any)
            html_write(&summary->html, "<h2>Between CPUs</h2>\n");
        has_any = true;
        put_pairs_of(summary, i);
    }
    html_put_left_out(&summary->html, "table", "results.csv");
}

static bool is_same_tally(const struct summary_cpu *a, const struct summary_cpu *b)
{
    bool same = a->kernels == b->kernels && a->type == b->type;

    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        same = same && a->tally.of[v] == b->tally.of[v];
    return same;
}

static void put_mhz(uint64_t khz, struct out *out)
{
    out_printf(out, "%llu.%llu", (unsigned long long)((khz + 50) / 1000),
               (unsigned long long)((khz + 50) % 1000 / 100));
}

/*
 * CPUs of one core type that have equal numbers of kernels, and equal numbers of rows with each
 * verdict.
 */
struct alike {
    uint8_t cpus[VIEW_CPUS_MAX / 8];
    uint64_t low_khz, high_khz;
};

static void find_alike(const struct summary *summary, unsigned first, struct alike *alike)
{
    *alike = (struct alike){.low_khz = UINT64_MAX};
    for (unsigned i = first; i < VIEW_CPUS_MAX; i++) {
        const struct summary_cpu *cpu = &summary->cpu[i];
        uint64_t khz;

        if (!cpu->is_seen || !is_same_tally(cpu, &summary->cpu[first]))
            continue;
        alike->cpus[i / 8] |= (uint8_t)(1u << i % 8);
        khz = clock_run_khz(&cpu->clock, summary->run);
        alike->low_khz = khz < alike->low_khz ? khz : alike->low_khz;
        alike->high_khz = khz > alike->high_khz ? khz : alike->high_khz;
    }
}

static void put_alike(struct summary *summary, unsigned first, const struct alike *alike)
{
    const struct summary_cpu *cpu = &summary->cpu[first];
    struct out *out = html_piece(&summary->html);
    char kernels[COUNTED_BYTES];

    out_text(out, "<li>");
    faults_cpus(alike->cpus, summary->cpus, out);
    out_printf(out, ": %s; rows: ", counted(cpu->kernels, "kernel", kernels));
    tally_words(&cpu->tally, out);
    if (alike->low_khz > 0) {
        out_text(out, "; ran at ");
        put_mhz(alike->low_khz, out);
        if (alike->high_khz > alike->low_khz) {
            out_text(out, " to ");
            put_mhz(alike->high_khz, out);
        }
        out_text(out, " MHz");
    }
    out_text(out, "</li>\n");
    html_put(&summary->html);
}

void summary_put_cpus(struct summary *summary)
{
    uint8_t told[VIEW_CPUS_MAX / 8] = {0};
    struct alike alike;

    html_write(&summary->html, "<h2>CPUs</h2>\n<ul>\n");
    html_limit(&summary->html, CPUS_UP_TO_KIB << 10);
    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++) {
        if (!summary->cpu[i].is_seen || told[i / 8] >> i % 8 & 1)
            continue;
        find_alike(summary, i, &alike);
        for (unsigned b = 0; b < sizeof(told); b++)
            told[b] |= alike.cpus[b];
        put_alike(summary, i, &alike);
    }
    html_write(&summary->html, "</ul>\n");
    html_put_left_out(&summary->html, "line", "results.csv");
}
