/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports, at the end of a run, what failed and what could not be counted. */
#include "pmu/files/param.h"
#include "pmu/report/parts.h"

#define INDENT     4u
#define LINE_BYTES 600u

void report_add_failures(struct report *report, const struct rows *rows)
{
    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        if (row->verdict == VERDICT_UNAVAILABLE || row->noisy_by)
            faults_add(&report->missing, rows, row);
        else if (row_fails(row) && !row->counter_off)
            faults_add(&report->failed, rows, row);
    }
}

static void put_fault(const struct fault *fault, char mark, struct out *out)
{
    const bool is_whole = fault->rows == fault->of_rows;
    char text[LINE_BYTES], rows[COUNTED_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    out_printf(&line, "%c ", mark);
    param_say(fault->kernel, &line);
    if (fault->has_other_kernels)
        out_text(&line, " and other kernels");
    if (!is_whole)
        out_printf(&line, " %s", fault->name);
    if (!is_whole && fault->events > 1)
        out_printf(&line, " and %u more", fault->events - 1);
    out_text(&line, " on ");
    faults_cpus(fault->cpus, 0, &line);
    out_printf(&line, ": %s, %s%s", verdict_name(fault->verdict), is_whole ? "all " : "",
               counted(fault->rows, "row", rows));
    report_wrapped(out_end(&line), INDENT, out);
    line = out_buffer(text, sizeof(text));
    out_printf(&line, "%s%s", fault->reason, fault->numbers_differ ? " (numbers differ)" : "");
    out_printf(out, "%*s", (int)INDENT, "");
    report_wrapped(out_end(&line), INDENT, out);
}

/* `mark` begins each line; `what` describes the rows for which the list had no room. */
static void put_faults(const struct faults *faults, char mark, const char *what, struct out *out)
{
    char rows[COUNTED_BYTES];

    if (faults->count > 0)
        out_char(out, '\n');
    for (unsigned i = 0; i < faults->count; i++)
        put_fault(&faults->fault[i], mark, out);
    if (faults->more > 0)
        out_printf(out, "%c %s %s: see results.csv\n", mark,
                   counted(faults->more, "more row", rows), what);
}

void report_failures(const struct report *report)
{
    put_faults(&report->failed, '!', "failed", report->out);
    put_faults(&report->missing, '-', "without a count", report->out);
}
