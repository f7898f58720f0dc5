/* SPDX-License-Identifier: BSD-2-Clause */
/* What failed in a run: a fault of a kernel once, however many rows and CPUs it cost. */
#include "pmu/base/text.h"
#include "pmu/files/param.h"
#include "pmu/report/parts.h"

#define INDENT       4u
#define RANGES_SHOWN 8u /* of CPUs; further CPUs are counted */
#define LINE_BYTES   400u

static bool is_same(const struct report_failure *one, const struct report_failure *other)
{
    return one->kernel == other->kernel && one->verdict == other->verdict &&
           text_same(one->what, other->what) && text_same(one->reason, other->reason);
}

/* The rows that failed as row `index` did; false when an earlier one stands for them. */
static bool gather(const struct rows *rows, unsigned index, struct report_failure *failure)
{
    const struct row *row = &rows->row[index];
    struct out what = out_buffer(failure->what, sizeof(failure->what));

    if (!verdict_fails(row->verdict) || row->counter_off)
        return false;
    failure->kernel = rows->result->kernel;
    failure->verdict = row->verdict;
    failure->rows = 0;
    for (unsigned i = 0; i < rows->count; i++) {
        if (rows->row[i].verdict != row->verdict || !text_same(rows->row[i].reason, row->reason))
            continue;
        if (i < index)
            return false;
        failure->rows++;
    }
    param_say(rows->view->kernel[failure->kernel], &what);
    failure->is_whole = failure->rows > rows->view->events; /* the time stamp's row, too */
    if (!failure->is_whole) {
        out_char(&what, ' ');
        row_name(row, &what);
    }
    if (!failure->is_whole && failure->rows > 1)
        out_printf(&what, " and %u more", failure->rows - 1);
    out_end(&what);
    text_copy(failure->reason, sizeof(failure->reason), row->reason);
    return true;
}

static void add(struct report *report, const struct report_failure *found, uint32_t cpu)
{
    struct report_failure *failure = report->failure;
    const struct report_failure *end = failure + report->failures;

    while (failure < end && !is_same(failure, found))
        failure++;
    if (failure == report->failure + REPORT_FAILURES_MAX) {
        report->rows_untold += found->rows;
        return;
    }
    if (failure == end) {
        *failure = *found;
        failure->rows = 0;
        for (unsigned i = 0; i < sizeof(failure->cpus); i++)
            failure->cpus[i] = 0;
        report->failures++;
    }
    failure->rows += found->rows;
    cpu %= PLAN_CPUS_MAX;
    failure->cpus[cpu / 8] |= (uint8_t)(1u << cpu % 8);
}

void report_add_failures(struct report *report, const struct rows *rows)
{
    struct report_failure found;

    for (unsigned i = 0; i < rows->count; i++)
        if (gather(rows, i, &found))
            add(report, &found, rows->result->cpu);
}

static bool is_on(const struct report_failure *failure, unsigned cpu)
{
    return cpu < PLAN_CPUS_MAX && failure->cpus[cpu / 8] >> cpu % 8 & 1;
}

/* "CPU 3", "CPUs 0-2,5". */
static void put_cpus(const struct report_failure *failure, struct out *out)
{
    char text[128];
    struct out ranges = out_buffer(text, sizeof(text));
    unsigned count = 0, shown = 0, more = 0;

    for (unsigned first = 0, end; first < PLAN_CPUS_MAX; first = end + 1) {
        for (end = first; is_on(failure, end); end++)
            count++;
        if (end == first)
            continue;
        if (shown++ >= RANGES_SHOWN) {
            more += end - first;
            continue;
        }
        out_printf(&ranges, "%s%u", shown > 1 ? "," : "", first);
        if (end - first > 1)
            out_printf(&ranges, "-%u", end - 1);
    }
    out_printf(out, "CPU%s %s", count == 1 ? "" : "s", out_end(&ranges));
    if (more > 0)
        out_printf(out, " and %u more", more);
}

void report_failures(const struct report *report)
{
    struct out *out = report->out;
    char text[LINE_BYTES];

    if (report->failures > 0)
        out_char(out, '\n');
    for (unsigned i = 0; i < report->failures; i++) {
        const struct report_failure *failure = &report->failure[i];
        struct out line = out_buffer(text, sizeof(text));

        out_printf(&line, "! %s on ", failure->what);
        put_cpus(failure, &line);
        out_printf(&line, ": %s, %s%u row%s", verdict_name(failure->verdict),
                   failure->is_whole ? "all " : "", failure->rows, failure->rows == 1 ? "" : "s");
        report_wrapped(out_end(&line), INDENT, out);
        out_printf(out, "%*s", (int)INDENT, "");
        report_wrapped(failure->reason, INDENT, out);
    }
    if (report->rows_untold > 0)
        out_printf(out, "! %u rows more failed: results.csv has them\n", report->rows_untold);
}
