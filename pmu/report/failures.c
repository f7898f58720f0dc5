/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports, at the end of a run, what failed and what could not be counted. */
#include "pmu/files/param.h"
#include "pmu/report/parts.h"

#define INDENT 4u

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

void report_fault(const struct fault *fault, struct out *out)
{
    const bool is_whole = fault->rows == fault->of_rows;
    char rows[COUNTED_BYTES];

    param_say(fault->kernel, out);
    if (fault->has_other_kernels)
        out_text(out, " and other kernels");
    if (!is_whole)
        out_printf(out, " %s", fault->name);
    if (!is_whole && fault->events > 1)
        out_printf(out, " and %u more", fault->events - 1);
    out_text(out, " on ");
    faults_cpus(fault->cpus, 0, out);
    out_printf(out, ": %s, %s%s", verdict_name(fault->verdict), is_whole ? "all " : "",
               counted(fault->rows, "row", rows));
}

void report_fault_reason(const struct fault *fault, struct out *out)
{
    out_printf(out, "%s%s", fault->reason, fault->numbers_differ ? " (numbers differ)" : "");
}

static void put_fault(const struct fault *fault, char mark, struct out *out)
{
    char text[REPORT_FAULT_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    out_printf(&line, "%c ", mark);
    report_fault(fault, &line);
    report_wrapped(out_end(&line), INDENT, out);
    line = out_buffer(text, sizeof(text));
    report_fault_reason(fault, &line);
    out_printf(out, "%*s", (int)INDENT, "");
    report_wrapped(out_end(&line), INDENT, out);
}

/* `what` describes the rows that are not listed. faults->more is the number of these rows. */
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
