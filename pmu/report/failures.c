/* SPDX-License-Identifier: BSD-2-Clause */
/* Reporting failures at the end of a run. */
#include "pmu/files/param.h"
#include "pmu/report/parts.h"

#define INDENT     4u
#define LINE_BYTES 600u

void report_add_failures(struct report *report, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++)
        if (verdict_fails(rows->row[i].verdict) && !rows->row[i].counter_off)
            faults_add(&report->failed, rows, &rows->row[i]);
}

static void put_failure(const struct fault *failure, struct out *out)
{
    const bool is_whole = failure->rows == failure->of_rows;
    char text[LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    out_text(&line, "! ");
    param_say(failure->kernel, &line);
    if (failure->has_other_kernels)
        out_text(&line, " and other kernels");
    if (!is_whole)
        out_printf(&line, " %s", failure->name);
    if (!is_whole && failure->events > 1)
        out_printf(&line, " and %u more", failure->events - 1);
    out_text(&line, " on ");
    faults_cpus(failure->cpus, 0, &line);
    out_printf(&line, ": %s, %s%u row%s", verdict_name(failure->verdict), is_whole ? "all " : "",
               failure->rows, failure->rows == 1 ? "" : "s");
    report_wrapped(out_end(&line), INDENT, out);
    line = out_buffer(text, sizeof(text));
    out_printf(&line, "%s%s", failure->reason, failure->numbers_differ ? " (numbers differ)" : "");
    out_printf(out, "%*s", (int)INDENT, "");
    report_wrapped(out_end(&line), INDENT, out);
}

void report_failures(const struct report *report)
{
    struct out *out = report->out;

    if (report->failed.count > 0)
        out_char(out, '\n');
    for (unsigned i = 0; i < report->failed.count; i++)
        put_failure(&report->failed.fault[i], out);
    if (report->failed.more > 0)
        out_printf(out, "! %u more rows failed: results.csv has them\n", report->failed.more);
}
