/* SPDX-License-Identifier: BSD-2-Clause */
/* What failed in a run and what could not be counted: one line for all rows that say the same. */
#include "pmu/base/text.h"
#include "pmu/files/param.h"
#include "pmu/files/summary_parts.h"

#define RANGES_MAX        12u
#define FAILED_UP_TO_KIB  60u
#define MISSING_UP_TO_KIB 80u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether two sentences are the same, whatever numbers stand in them. */
static bool is_alike(const char *a, const char *b)
{
    for (;;) {
        bool number = is_digit(*a) && is_digit(*b);

        while (number && is_digit(*a))
            a++;
        while (number && is_digit(*b))
            b++;
        if (*a != *b)
            return false;
        if (!number && *a++ == 0)
            return true;
        b += !number;
    }
}

/* Whether a row is one more of a fault's. */
static bool is_of(const struct summary_fault *fault, const struct rows *rows, const struct row *row,
                  const char *name)
{
    const struct known_kernel *kernel = rows->view->kernel[rows->result->kernel];

    if (fault->verdict != row->verdict || fault->is_of_counter != row->counter_off ||
        !is_alike(fault->reason, row->reason))
        return false;
    if (row->counter_off)
        return text_same(fault->name, name);
    if (row->verdict == VERDICT_UNAVAILABLE || row->verdict == VERDICT_TIMEOUT)
        return text_same(fault->reason, row->reason);
    return fault->kernel == kernel;
}

static void begin(struct summary_fault *fault, const struct rows *rows, const struct row *row,
                  const char *name)
{
    *fault = (struct summary_fault){.kernel = rows->view->kernel[rows->result->kernel],
                                    .verdict = row->verdict,
                                    .is_of_counter = row->counter_off,
                                    .last_kernel = KERNEL_CALIBRATION};
    text_copy(fault->name, sizeof(fault->name), name);
    text_copy(fault->reason, sizeof(fault->reason), row->reason);
}

static void add(struct summary_faults *faults, const struct rows *rows, const struct row *row)
{
    const struct result *result = rows->result;
    char text[SUMMARY_NAME_BYTES];
    struct out name = out_buffer(text, sizeof(text));
    struct summary_fault *fault = faults->fault, *end = faults->fault + faults->count;

    row_name(row, &name);
    out_end(&name);
    while (fault < end && !is_of(fault, rows, row, text))
        fault++;
    if (fault == faults->fault + SUMMARY_FAULTS) {
        faults->more++;
        return;
    }
    if (fault == end) {
        begin(fault, rows, row, text);
        faults->count++;
    }
    fault->rows++;
    fault->kernels += fault->last_kernel != result->kernel;
    fault->last_kernel = result->kernel;
    fault->numbers_differ |= !text_same(fault->reason, row->reason);
    fault->cpus[result->cpu / 8] |= (uint8_t)(1u << result->cpu % 8);
}

void summary_add_faults(struct summary *summary, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        if (verdict_fails(row->verdict))
            add(&summary->failed, rows, row);
        else if (row->verdict == VERDICT_UNAVAILABLE)
            add(&summary->missing, rows, row);
    }
}

static bool has(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned cpu)
{
    return cpu < VIEW_CPUS_MAX && cpus[cpu / 8] >> cpu % 8 & 1;
}

void summary_cpus_words(const struct summary *summary, const uint8_t cpus[VIEW_CPUS_MAX / 8],
                        struct out *out)
{
    unsigned count = 0, ranges = 0, more = 0;

    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++)
        count += has(cpus, i);
    if (count == summary->cpus && count > 1) {
        out_printf(out, "all %u CPUs", count);
        return;
    }
    out_text(out, count > 1 ? "CPUs " : "CPU ");
    for (unsigned i = 0, end; i < VIEW_CPUS_MAX; i = end) {
        for (end = i; has(cpus, end); end++)
            more += ranges >= RANGES_MAX;
        if (end > i && ranges++ < RANGES_MAX) {
            out_printf(out, "%s%u", ranges > 1 ? ", " : "", i);
            if (end - i > 1)
                out_printf(out, "-%u", end - 1);
        }
        end += end == i;
    }
    if (more > 0)
        out_printf(out, " and %u more", more);
}

/* "off in all rows of its counter"; "off: load 4K, INST_RETIRED.ANY_P and 3 more rows". */
static void put_what(const struct summary_fault *fault, struct out *out)
{
    char text[sizeof(fault->kernel->name) + sizeof(fault->kernel->param) + 64];
    struct out kernel = out_buffer(text, sizeof(text));

    html_escape(out, fault->name);
    if (fault->is_of_counter) {
        out_printf(out, " in all its rows, %u", fault->rows);
        return;
    }
    param_say(fault->kernel, &kernel);
    out_text(out, " of ");
    html_escape(out, out_end(&kernel));
    if (fault->rows > 1)
        out_printf(out, " and %u more row%s", fault->rows - 1, fault->rows > 2 ? "s" : "");
    if (fault->kernels > 1)
        out_text(out, ", of other kernels too");
}

static void put_fault(struct summary *summary, const struct summary_fault *fault)
{
    struct out *out = html_piece(&summary->html);

    out_printf(out, "<li><b class=\"%s\">%s</b> ", verdict_fails(fault->verdict) ? "bad" : "none",
               verdict_name(fault->verdict));
    summary_cpus_words(summary, fault->cpus, out);
    out_text(out, ": ");
    put_what(fault, out);
    out_text(out, "<br>");
    html_escape(out, fault->reason);
    if (fault->numbers_differ)
        out_text(out, " <i>(the first row's numbers; others differ)</i>");
    out_text(out, "</li>\n");
    html_put(&summary->html);
}

static void put_list(struct summary *summary, const struct summary_faults *faults)
{
    struct html *html = &summary->html;
    struct out *out;

    html_write(html, "<ul>\n");
    for (unsigned i = 0; i < faults->count; i++)
        put_fault(summary, &faults->fault[i]);
    html_write(html, "</ul>\n");
    html_put_left_out(&summary->html, "lines", "results.csv");
    if (faults->more == 0)
        return;
    out = html_piece(html);
    out_printf(out, "<p>%u more rows: see results.csv.</p>\n", faults->more);
    html_put(html);
}

void summary_put_faults(struct summary *summary)
{
    html_write(&summary->html, "<h2>What failed</h2>\n");
    html_limit(&summary->html, FAILED_UP_TO_KIB << 10);
    if (summary->failed.count == 0)
        html_write(&summary->html, "<p>Nothing.</p>\n");
    else
        put_list(summary, &summary->failed);
    if (summary->missing.count == 0)
        return;
    html_write(&summary->html, "<h2>What could not be counted</h2>\n");
    html_limit(&summary->html, MISSING_UP_TO_KIB << 10);
    put_list(summary, &summary->missing);
}
