/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a run: a line for each kernel of the first CPU of each kind. */
#include "pmu/base/text.h"
#include "pmu/events/emulation.h"
#include "pmu/files/param.h"
#include "pmu/report/parts.h"

#define NAME_WIDTH   18
#define COLUMN_WIDTH 9
#define MANY         10000000
#define PER_COPY     "cyc/copy"

/* What some events are called above their column. */
static const struct {
    const char *heading;
    const char *event;
} HEADINGS[] = {
    {"instr", "INST_RETIRED.ANY_P"},         {"branches", "BR_INST_RETIRED.ALL_BRANCHES"},
    {"loads", "MEM_INST_RETIRED.ALL_LOADS"}, {"stores", "MEM_INST_RETIRED.ALL_STORES"},
    {"cycles", "CPU_CLK_UNHALTED.THREAD_P"},
};
#define HEADINGS_COUNT (sizeof(HEADINGS) / sizeof(HEADINGS[0]))

void report_start(struct report *report, struct out *out, const struct plan *plan, unsigned cpus)
{
    report->out = out;
    report->plan = plan;
    report->cpus = cpus;
    report->table_cpu = REPORT_NO_CPU;
    report->types = report->states = report->pairs.cpus = 0;
    report->cycles = report->cycles_stable = report->passes_differ = report->cpus_differ = 0;
    report->has_sums = false;
    report->failures = report->rows_untold = 0;
    differs_start(&report->differs);
}

static bool is_first_of_its_kind(struct report *report, uint32_t core_type)
{
    for (unsigned i = 0; i < report->types; i++)
        if (report->type[i] == core_type)
            return false;
    if (report->types < REPORT_CORE_TYPES)
        report->type[report->types++] = core_type;
    return true;
}

static void add_column(struct report *report, unsigned event)
{
    if (report->columns < REPORT_TABLE_COLUMNS)
        report->column[report->columns++] = event;
}

/* Of the built-in events those that have a heading; of a plan's own the first that are counted. */
static void choose_columns(struct report *report, const struct view *view, unsigned anchors)
{
    bool built_in = report->plan->default_events;

    report->columns = 0;
    for (unsigned h = 0; built_in && h < HEADINGS_COUNT; h++)
        for (unsigned i = 0; i < view->events; i++)
            if (text_same(view->event[i].name, HEADINGS[h].event))
                add_column(report, i);
    for (unsigned i = anchors; !built_in && i < view->events; i++)
        if (view->event[i].status == STATUS_OK && view->event[i].scope == SCOPE_CPU)
            add_column(report, i);
}

/* Its own word where there is one, a short name, or its number in the list of counters. */
static void put_heading(const struct view *view, unsigned event, struct out *out)
{
    const char *name = view->event[event].name;
    char text[12];

    out_put(text, sizeof(text), "#%u", event);
    for (unsigned h = 0; h < HEADINGS_COUNT; h++)
        if (text_same(name, HEADINGS[h].event))
            name = HEADINGS[h].heading;
    out_printf(out, "%*s", COLUMN_WIDTH, text_length(name) < COLUMN_WIDTH ? name : text);
}

/* Whether the CPU counts for its package. */
static bool counts_uncore(const struct view *view)
{
    for (unsigned i = 0; i < view->events; i++)
        if (view->event[i].scope == SCOPE_UNCORE && view->event[i].status == STATUS_OK)
            return true;
    return false;
}

/* What each column counts, and the heading. */
static void start_table(struct report *report, const struct view *view, unsigned anchors)
{
    const struct cpu_record *cpu = view->cpu;
    struct out *out = report->out;

    out_printf(out, "\nCPU %u%s%s counts", cpu->cpu, cpu->flags & CPU_IS_BOOT ? ", boot CPU," : "",
               cpu->caps.core_type == CORE_TYPE_ATOM ? ", efficiency core," : "");
    out_text(out, view->schedule->passes > 1 ? ", on counter/pass:\n" : ":\n");
    report_events(view, out);
    choose_columns(report, view, anchors);
    if (view->run->emulated)
        out_text(out, "\nCycles and times are " EMULATION_WORDS);
    out_printf(out, "\nMedians of %u runs", report->plan->runs);
    if (report->plan->mode == MODE_PARALLEL)
        out_printf(out, " of CPU %u, while the kernel runs on %u CPUs", cpu->cpu, report->cpus);
    if (counts_uncore(view))
        out_text(out,
                 "\nBelow each, means of what its package counted outside the cores (GB/s, W)");
    out_text(out, "\n" PER_COPY ": core cycles of one copy of what its title names, from n and 2n");
    out_printf(out, "\n%*s%*s", -NAME_WIDTH, "kernel", COLUMN_WIDTH, PER_COPY);
    for (unsigned i = 0; i < report->columns; i++)
        put_heading(view, report->column[i], out);
    out_text(out, "  verdict\n");
}

void report_cpu(struct report *report, const struct view *view, unsigned anchors)
{
    const struct cpu_record *cpu = view->cpu;
    bool has_table = report->plan->mode == MODE_PARALLEL && report->table_cpu != REPORT_NO_CPU;

    report->cpu[cpu->cpu % PLAN_CPUS_MAX] = (struct report_cpu){.kernels = 0};
    if (report->pairs.cpus < REPORT_PAIR_CPUS)
        report->pairs.cpu[report->pairs.cpus++] = cpu->cpu;
    report_use(cpu, report->out);
    report_find_sums(report, view);
    if (!has_table) {
        bool is_first = is_first_of_its_kind(report, cpu->caps.core_type);

        report->table_cpu = is_first ? cpu->cpu : REPORT_NO_CPU;
        if (is_first)
            start_table(report, view, anchors);
    }
    out_flush(report->out);
}

static void put_value(const struct row *row, struct out *out)
{
    char text[24];
    struct out value = out_buffer(text, sizeof(text));
    int64_t median = row->stats.median_milli / 1000;

    if (row->accepted == 0)
        out_char(&value, '-');
    else if (row->counter_off)
        out_text(&value, "off");
    else if (median < MANY)
        out_printf(&value, "%lld", (long long)median);
    else
        out_printf(&value, "%lldM", (long long)(median / 1000000));
    out_printf(out, "%*s", COLUMN_WIDTH, out_end(&value));
}

/* The answer: 3.00 for a chain of multiplications; '-' where it is not known. */
static void put_per_copy(const struct rows *rows, struct out *out)
{
    const struct known_kernel *kernel = rows->view->kernel[rows->result->kernel];
    char text[24] = "-";
    unsigned i = 0;

    while (i < rows->count && !(row_is_cycles(&rows->row[i]) && rows->row[i].accepted > 0 &&
                                !rows->row[i].counter_off))
        i++;
    if (i < rows->count && kernel->copies > 0 && rows->row[i].twice.count > 0) {
        int64_t milli = row_per_copy_milli(kernel, &rows->row[i], rows->row[i].twice.median_milli);
        uint64_t hundredths = (uint64_t)((milli < 0 ? -milli : milli) + 5) / 10;

        out_put(text, sizeof(text), "%s%llu.%02llu", milli <= -5 ? "-" : "",
                (unsigned long long)(hundredths / 100), (unsigned long long)(hundredths % 100));
    }
    out_printf(out, "%*s", COLUMN_WIDTH, text);
}

/* The row that stands for a kernel: the worst, but for what the machine does not offer. */
static const char *kernel_verdict(const struct rows *rows)
{
    struct tally tally = {0};

    tally_rows(&tally, rows);
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (v != VERDICT_UNAVAILABLE && tally.of[v] > 0 && v != VERDICT_MEASURED)
            return verdict_name(v);
    return verdict_name(tally.counted > 0 ? VERDICT_MEASURED : VERDICT_UNAVAILABLE);
}

void report_calibration(struct report *report, const struct view *view)
{
    struct row row;

    for (unsigned i = 0; i < view->events; i++)
        if (!row_counter(view, i, &row) &&
            view_baseline(view, row.pass, row.slot_index).samples > 0)
            out_printf(report->out, "! CPU %u %s: %s in every row\n    %s\n", view->cpu->cpu,
                       row.event->name, verdict_name(row.verdict), row.reason);
    out_flush(report->out);
}

/* A kernel with its parameters; a line of its own when the columns would not stand below theirs. */
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

/* What the plan's MSR scripts gave. */
static void put_msrs(const struct rows *rows, struct out *out)
{
    for (unsigned i = rows->view->events + 1; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        out_text(out, "  ");
        row_name(row, out);
        if (row->verdict == VERDICT_MEASURED)
            out_printf(out, " = 0x%llx\n", (unsigned long long)row->msr->value);
        else
            out_printf(out, ": %s\n", row->reason);
    }
}

static void put_line(const struct report *report, const struct rows *rows)
{
    struct out *out = report->out;

    put_kernel(rows->view, rows->view->kernel[rows->result->kernel], out);
    put_per_copy(rows, out);
    for (unsigned i = 0; i < report->columns; i++)
        put_value(&rows->row[report->column[i]], out);
    out_printf(out, "  %s\n", kernel_verdict(rows));
    report_uncore(rows, REPORT_COLUMNS, out);
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
    out_flush(report->out);
}

void report_rows(struct report *report, const struct tally *tally)
{
    report_failures(report);
    out_text(report->out, "\nRows      ");
    report_verdicts(tally, report->out);
    if (report->cycles > 0)
        out_printf(
            report->out, "Cycles    stable in %u of %u rows; passes differ in %u, CPUs in %u\n",
            report->cycles_stable, report->cycles, report->passes_differ, report->cpus_differ);
    out_flush(report->out);
}
