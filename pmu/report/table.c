/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports tables of kernels; pmu/report/report.h says for which CPUs. */
#include "pmu/base/text.h"
#include "pmu/events/emulation.h"
#include "pmu/files/param.h"
#include "pmu/report/parts.h"

#define NAME_WIDTH   18
#define COLUMN_WIDTH 9
#define LEGEND_BYTES (EVENT_NAME_BYTES + TABLE_CELL_BYTES)

void report_start(struct report *report, struct out *out, unsigned cpus)
{
    report->out = out;
    report->cpus = cpus;
    report->table_cpu = REPORT_NO_CPU;
    report->types = report->states = report->pairs.cpus = 0;
    report->cycles = report->cycles_stable = report->passes_differ = report->cpus_differ = 0;
    report->has_sums = false;
    report->errata_told = 0;
    for (unsigned i = 0; i <= ERRATA_MAX; i++)
        report->errata[i] = (struct report_erratum){0};
    report->failed.count = report->failed.more = 0;
    report->missing.count = report->missing.more = 0;
    differs_start(&report->differs);
}

static bool is_first_of_its_kind(struct report *report, uint32_t core)
{
    for (unsigned i = 0; i < report->types; i++)
        if (report->type[i] == core)
            return false;
    if (report->types < REPORT_CORE_TYPES)
        report->type[report->types++] = core;
    return true;
}

static void put_cell(const char *text, struct out *out)
{
    out_printf(out, "%*s", COLUMN_WIDTH, text);
}

static bool counts_uncore(const struct view *view)
{
    for (unsigned i = 0; i < view->events; i++)
        if (view->event[i].scope == SCOPE_UNCORE && view->event[i].status == STATUS_OK)
            return true;
    return false;
}

/* The whole heading, or else the part after its first '.' or ':'. Null if neither fits. */
static const char *fitting_heading(const struct view *view, unsigned event)
{
    const char *heading = table_heading(view, event), *part = heading;

    if (text_length(heading) < COLUMN_WIDTH)
        return heading;
    while (*part && *part != '.' && *part != ':')
        part++;
    return *part && part[1] && text_length(part + 1) < COLUMN_WIDTH ? part + 1 : 0;
}

/* The event's number is the heading if no other heading fits, or if two headings are equal. */
static const char *column_heading(const struct table_columns *columns, const struct view *view,
                                  unsigned column, char text[TABLE_CELL_BYTES])
{
    const char *heading = fitting_heading(view, columns->event[column]);
    bool is_unique = heading;

    for (unsigned i = 0; i < columns->count && is_unique; i++) {
        const char *other = fitting_heading(view, columns->event[i]);

        is_unique = i == column || !other || !text_same(heading, other);
    }
    if (is_unique)
        return out_put(text, TABLE_CELL_BYTES, "%s", heading);
    return out_put(text, TABLE_CELL_BYTES, "#%u", columns->event[column]);
}

/* The full names of shortened headings are written above the headings. */
static void put_headings(const struct table_columns *columns, const struct view *view,
                         struct out *out)
{
    char heading[TABLE_CELL_BYTES], line[LEGEND_BYTES];

    for (unsigned i = 0; i < columns->count; i++) {
        const char *whole = table_heading(view, columns->event[i]);

        column_heading(columns, view, i, heading);
        if (!text_same(heading, whole))
            report_wrapped(out_put(line, sizeof(line), "%s: %s", heading, whole), 2, out);
    }
    out_printf(out, "%*s%*s", -NAME_WIDTH, "kernel", COLUMN_WIDTH, table_copy_heading(columns));
    for (unsigned i = 0; i < columns->count; i++)
        put_cell(column_heading(columns, view, i, heading), out);
    out_text(out, "  verdict\n");
}

static void start_table(struct report *report, const struct view *view)
{
    const struct cpu_record *cpu = view->cpu;
    struct out *out = report->out;
    char number[COUNTED_BYTES];

    table_choose(view, &report->columns);
    out_printf(out, "\nCPU %u%s%s counts", cpu->cpu, cpu->flags & CPU_IS_BOOT ? ", boot CPU," : "",
               core_type_is_efficient(caps_hybrid_type(&cpu->caps)) ? ", efficiency core," : "");
    if (report->columns.is_time)
        out_text(out, " no core events.\n");
    else
        out_text(out, view->schedule->passes > 1 ? ", on counter/pass:\n" : ":\n");
    report_events(view, &report->errata_told, out);
    if (view->run->emulated)
        out_text(out, "\n" EMULATION_NOTE);
    out_printf(out, "\nMedians of %s", counted(view->run->runs, "run", number));
    if (view->run->parallel)
        out_printf(out, " of CPU %u, while the kernel runs on %s", cpu->cpu,
                   counted(report->cpus, "CPU", number));
    if (counts_uncore(view))
        out_text(out, "\nBelow each kernel, means of the package's uncore counts (GB/s, W)");
    out_printf(out, "\n%s: %s per copy of what its title names; ~: samples not stable\n",
               table_copy_heading(&report->columns), table_copy_words(&report->columns));
    put_headings(&report->columns, view, out);
}

void report_cpu(struct report *report, const struct view *view)
{
    const struct cpu_record *cpu = view->cpu;
    bool has_table = view->run->parallel && report->table_cpu != REPORT_NO_CPU;

    report->cpu[cpu->cpu % PLAN_CPUS_MAX] = (struct report_cpu){.kernels = 0};
    if (report->pairs.cpus < REPORT_PAIR_CPUS)
        report->pairs.cpu[report->pairs.cpus++] = cpu->cpu;
    report_use(cpu, report->out);
    report_find_sums(report, view);
    if (!has_table) {
        bool is_first = is_first_of_its_kind(report, caps_core(&cpu->caps));

        report->table_cpu = is_first ? cpu->cpu : REPORT_NO_CPU;
        if (is_first)
            start_table(report, view);
    }
    out_flush(report->out);
}

static void put_microcode(const struct report *report, const struct view *view)
{
    unsigned pass, slot;

    for (unsigned i = 0; i < view->events; i++) {
        int64_t more =
            schedule_find(view->schedule, i, &pass, &slot) ? view_microcode(view, pass, slot) : 0;

        if (more > 0)
            out_printf(
                report->out,
                "- CPU %u %s: each window counts %lld more than its own code causes,\n"
                "    both with one empty call and with two. The excess is attributed to WRMSR's\n"
                "    microcode and subtracted\n",
                view->cpu->cpu, view->event[i].name, (long long)more);
    }
}

void report_calibration(struct report *report, const struct view *view)
{
    struct row row;

    for (unsigned i = 0; i < view->events; i++)
        if (!row_counter(view, i, &row) && row_fails(&row) &&
            view_baseline(view, row.pass, row.slot_index).samples > 0)
            out_printf(report->out, "! CPU %u %s: %s in every row\n    %s\n", view->cpu->cpu,
                       row.event->name, verdict_name(row.verdict), row.reason);
    if (view->iret_usr)
        out_printf(report->out,
                   "- CPU %u: IRETQ, which enters a kernel, counts at CPL 3 and not at CPL 0:"
                   "\n    the window's cost is computed accordingly\n",
                   view->cpu->cpu);
    put_microcode(report, view);
    out_flush(report->out);
}

/* A long text is on a separate line, so that columns align. */
static void put_kernel(const struct view *view, const struct known_kernel *kernel, struct out *out)
{
    char text[REPORT_COLUMNS + 1];
    struct out name = out_buffer(text, sizeof(text));

    param_say(kernel, &name);
    if (view_is_cold(view, kernel))
        out_text(&name, " cold");
    out_end(&name);
    out_printf(out, "%*s", -NAME_WIDTH, text);
    if (text_length(text) > NAME_WIDTH)
        out_printf(out, "\n%*s", -NAME_WIDTH, "");
}

static void put_msrs(const struct rows *rows, struct out *out)
{
    for (unsigned i = rows->view->events + 1; i < rows->count; i++)
        table_msr(&rows->row[i], out);
}

static void put_line(const struct report *report, const struct rows *rows)
{
    struct out *out = report->out;
    char text[TABLE_CELL_BYTES];

    put_kernel(rows->view, rows->view->kernel[rows->result->kernel], out);
    put_cell(table_per_copy(&report->columns, rows, text), out);
    for (unsigned i = 0; i < report->columns.count; i++)
        put_cell(table_value(&rows->row[report->columns.event[i]], text), out);
    out_printf(out, "  %s\n", table_verdict(rows));
    table_uncore(rows, REPORT_COLUMNS, out);
    put_msrs(rows, out);
}

void report_result(struct report *report, const struct rows *rows)
{
    const struct result *result = rows->result;
    struct report_cpu *told = &report->cpu[result->cpu % PLAN_CPUS_MAX];

    tally_rows(&told->tally, rows);
    told->kernels++;
    report_add_clock(report, rows);
    if (rows->view->kernel[result->kernel]->flags & (KNOWN_PAIR | KNOWN_CROWD))
        report_add_pair(report, rows);
    else if (report->table_cpu == result->cpu)
        put_line(report, rows);
    report_add_failures(report, rows);
    report_add_errata(report, rows);
    out_flush(report->out);
}

void report_rows(struct report *report, const struct tally *tally)
{
    char rows[COUNTED_BYTES];

    report_failures(report);
    out_text(report->out, "\nRows      ");
    tally_words(tally, report->out);
    out_char(report->out, '\n');
    if (report->cycles > 0)
        out_printf(report->out, "Cycles    stable in %u of %s; passes differ in %u, CPUs in %u\n",
                   report->cycles_stable, counted(report->cycles, "row", rows),
                   report->passes_differ, report->cpus_differ);
    report_errata(report);
    out_flush(report->out);
}
