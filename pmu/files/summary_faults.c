/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists in summary.html what failed or could not be counted, one line per fault. */
#include "pmu/files/param.h"
#include "pmu/files/summary_parts.h"

#define FAILED_UP_TO_KIB  60u
#define MISSING_UP_TO_KIB 80u

void summary_add_faults(struct summary *summary, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        if (row_fails(row))
            faults_add(&summary->failed, rows, row);
        else if (row->verdict == VERDICT_UNAVAILABLE || row->noisy_by)
            faults_add(&summary->missing, rows, row);
    }
}

/*
 * Writes "INST_RETIRED.ANY_P of load 4K and 3 more rows, and of other kernels", or for a wrong
 * counter "INST_RETIRED.ANY_P in all its rows (12)".
 */
static void put_what(const struct fault *fault, struct out *out)
{
    char text[sizeof(fault->kernel->name) + sizeof(fault->kernel->param) + 64];
    char rows[COUNTED_BYTES];
    struct out kernel = out_buffer(text, sizeof(text));

    html_escape(out, fault->name);
    if (fault->is_of_counter) {
        out_printf(out, " in all its rows (%u)", fault->rows);
        return;
    }
    param_say(fault->kernel, &kernel);
    out_text(out, " of ");
    html_escape(out, out_end(&kernel));
    if (fault->rows > 1)
        out_printf(out, " and %s", counted(fault->rows - 1, "more row", rows));
    if (fault->has_other_kernels)
        out_text(out, ", and of other kernels");
}

static void put_fault(struct summary *summary, const struct fault *fault, const char *class)
{
    struct out *out = html_piece(&summary->html);

    out_printf(out, "<li><b class=\"%s\">%s</b> ", class, verdict_name(fault->verdict));
    faults_cpus(fault->cpus, summary->cpus, out);
    out_text(out, ": ");
    put_what(fault, out);
    out_text(out, "<br>");
    html_escape(out, fault->reason);
    if (fault->numbers_differ)
        out_text(out, " <i>(numbers of the first row; other rows have other numbers)</i>");
    out_text(out, "</li>\n");
    html_put(&summary->html);
}

static void put_list(struct summary *summary, const struct faults *faults, const char *class)
{
    struct html *html = &summary->html;
    char rows[COUNTED_BYTES];
    struct out *out;

    html_write(html, "<ul>\n");
    for (unsigned i = 0; i < faults->count; i++)
        put_fault(summary, &faults->fault[i], class);
    html_write(html, "</ul>\n");
    html_put_left_out(&summary->html, "line", "results.csv");
    if (faults->more == 0)
        return;
    out = html_piece(html);
    out_printf(out, "<p>%s: see results.csv.</p>\n", counted(faults->more, "more row", rows));
    html_put(html);
}

void summary_put_faults(struct summary *summary)
{
    html_write(&summary->html, "<h2>What failed</h2>\n");
    html_limit(&summary->html, FAILED_UP_TO_KIB << 10);
    if (summary->failed.count == 0)
        html_write(&summary->html, "<p>Nothing.</p>\n");
    else
        put_list(summary, &summary->failed, "bad");
    if (summary->missing.count == 0)
        return;
    html_write(&summary->html, "<h2>What could not be counted</h2>\n");
    html_limit(&summary->html, MISSING_UP_TO_KIB << 10);
    put_list(summary, &summary->missing, "none");
}
