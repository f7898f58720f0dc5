/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a run, a line for each kernel of the first CPU of each kind. */
#include "boot/efi/console.h"
#include "boot/screen/table.h"
#include "boot/screen/cpu.h"
#include "boot/screen/pairs.h"
#include "pmu/files/uncore_line.h"
#include "pmu/files/param.h"
#include "pmu/base/text.h"

#define NAME_WIDTH     18
#define US_PER_S       1000000u
#define FAILURES_SHOWN 4u /* of a kernel, equal ones taken together; all are in results.csv */
#define COLUMNS_MAX    6u
#define COLUMN_WIDTH   9
#define NO_CPU         0xffffffffu
#define LINE_BYTES     4096u /* of what is counted outside the cores, for a kernel */

/* What some events are called above their column. */
static const struct {
    const char *heading;
    const char *event;
} HEADINGS[] = {
    {"instr", "INST_RETIRED.ANY_P"},           {"branches", "BR_INST_RETIRED.ALL_BRANCHES"},
    {"taken", "BR_INST_RETIRED.NEAR_TAKEN"},   {"loads", "MEM_INST_RETIRED.ALL_LOADS"},
    {"stores", "MEM_INST_RETIRED.ALL_STORES"}, {"cycles", "CPU_CLK_UNHALTED.THREAD_P"},
};
#define HEADINGS_COUNT (sizeof(HEADINGS) / sizeof(HEADINGS[0]))

/* What has been shown of the run. */
static struct {
    unsigned table_cpu;      /* whose kernels are shown as a table */
    uint32_t types_shown[4]; /* core types that had their table */
    unsigned types;
    unsigned column[COLUMNS_MAX]; /* events that have one */
    unsigned columns;
    struct tally tally[CPUS_MAX];
    unsigned kernels[CPUS_MAX];
} shown;

static bool is_first_of_its_kind(uint32_t core_type)
{
    for (unsigned i = 0; i < shown.types; i++)
        if (shown.types_shown[i] == core_type)
            return false;
    if (shown.types < sizeof(shown.types_shown) / sizeof(shown.types_shown[0]))
        shown.types_shown[shown.types++] = core_type;
    return true;
}

static void add_column(unsigned event)
{
    if (shown.columns < COLUMNS_MAX)
        shown.column[shown.columns++] = event;
}

/* Of the built-in events those that have a heading; of a plan's own the first that are counted. */
static void choose_columns(const struct run *run, const struct view *view)
{
    shown.columns = 0;
    for (unsigned h = 0; run->plan.default_events && h < HEADINGS_COUNT; h++)
        for (unsigned i = 0; i < view->events; i++)
            if (text_same(view->event[i].name, HEADINGS[h].event))
                add_column(i);
    for (unsigned i = run->events.anchors; !run->plan.default_events && i < view->events; i++)
        if (view->event[i].status == STATUS_OK && view->event[i].scope == SCOPE_CPU)
            add_column(i);
}

/* Its own word where there is one, a short name, or its number in the list of counters. */
static void say_heading(const struct view *view, unsigned event)
{
    const char *name = view->event[event].name;
    char number[12];
    struct out out = out_buffer(number, sizeof(number));

    out_printf(&out, "#%u", event);
    for (unsigned h = 0; h < HEADINGS_COUNT; h++)
        if (text_same(name, HEADINGS[h].event))
            name = HEADINGS[h].heading;
    say("%*s", COLUMN_WIDTH, text_length(name) < COLUMN_WIDTH ? name : out_end(&out));
}

void report_start(void)
{
    report_state_start();
    shown.types = 0;
    shown.table_cpu = NO_CPU;
    report_cycles_start();
}

/* Whether the CPU counts for its package. */
static bool has_package(const struct view *view)
{
    for (unsigned i = 0; i < view->events; i++)
        if (view->event[i].scope == SCOPE_PACKAGE && view->event[i].status == STATUS_OK)
            return true;
    return false;
}

void report_cpu(const struct run *run, const struct view *view)
{
    const struct cpu_record *cpu = view->cpu;
    bool together = run->plan.mode == MODE_PARALLEL;

    shown.kernels[cpu->cpu] = 0;
    shown.tally[cpu->cpu] = (struct tally){0};
    console_progress_end();
    report_use(cpu);
    report_clock_start(cpu->cpu);
    if (together && shown.table_cpu != NO_CPU)
        return;
    shown.table_cpu = is_first_of_its_kind(cpu->caps.core_type) ? cpu->cpu : NO_CPU;
    if (shown.table_cpu == NO_CPU)
        return;
    say("\nCPU %u%s%s counts", cpu->cpu, cpu->flags & CPU_IS_BOOT ? ", boot CPU," : "",
        cpu->caps.core_type == CORE_TYPE_ATOM ? ", efficiency core," : "");
    say(view->schedule->passes > 1 ? ", on counter/pass:\n" : ":\n");
    report_events(view);
    choose_columns(run, view);
    say("\nMedians of %u runs", run->plan.runs);
    if (together)
        say(" of CPU %u, while the kernel runs on %u CPUs", cpu->cpu, run->cpus);
    if (has_package(view))
        say("\nBelow each, means of what its package counted outside the cores (GB/s, W)");
    say("\n%*s", -NAME_WIDTH, "kernel");
    for (unsigned i = 0; i < shown.columns; i++)
        say_heading(view, shown.column[i]);
    say("  verdict\n");
}

static void say_value(const struct row *row, int width)
{
    char text[24];
    struct out out = out_buffer(text, sizeof(text));
    int64_t value = row->stats.median_milli / 1000;

    if (row->accepted == 0)
        out_char(&out, '-');
    else if (row->counter_off)
        out_text(&out, "off");
    else if (value < 10000000)
        out_printf(&out, "%lld", (long long)value);
    else
        out_printf(&out, "%lldM", (long long)(value / 1000000));
    say("%*s", width, out_end(&out));
}

/* The row that stands for a kernel: the worst, but for what the machine does not offer. */
static const char *kernel_verdict(const struct tally *tally)
{
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (v != VERDICT_UNAVAILABLE && tally->of[v] > 0 && v != VERDICT_MEASURED)
            return verdict_name(v);
    return verdict_name(tally->counted > 0 ? VERDICT_MEASURED : VERDICT_UNAVAILABLE);
}

/* One line for all rows that failed for the same reason; true when this is the first of them. */
static bool say_failure(const struct view *view, const struct result *result, unsigned index)
{
    struct row row, other;
    unsigned alike = 0;
    char text[EVENT_NAME_BYTES];
    struct out name = out_buffer(text, sizeof(text));

    row_make(view, result, index, &row);
    if (!verdict_fails(row.verdict) || row.counter_off)
        return false;
    for (unsigned i = 0; i < rows_count(view, result); i++) {
        row_make(view, result, i, &other);
        if (other.verdict != row.verdict || !text_same(other.reason, row.reason))
            continue;
        if (i < index)
            return false;
        alike++;
    }
    row_name(&row, &name);
    say("  ! CPU %u %s %s", result->cpu, view->kernel[result->kernel]->name, out_end(&name));
    if (alike > 1)
        say(" and %u more", alike - 1);
    say(": %s\n    %s\n", verdict_name(row.verdict), row.reason);
    return true;
}

void report_calibration(const struct view *view)
{
    struct row row;

    for (unsigned i = 0; i < view->events; i++)
        if (!row_counter(view, i, &row) &&
            view_baseline(view, row.pass, row.slot_index).samples > 0)
            say("! CPU %u %s: %s in every row\n    %s\n", view->cpu->cpu, row.event->name,
                verdict_name(row.verdict), row.reason);
}

/* A kernel with its parameters; a line of its own when the columns would not stand below theirs. */
static void say_kernel(const struct known_kernel *kernel)
{
    char text[CONSOLE_COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));

    param_say(kernel, &out);
    out_end(&out);
    say("%*s", -NAME_WIDTH, text);
    if (text_length(text) > NAME_WIDTH)
        say("\n%*s", -NAME_WIDTH, "");
}

/* What the plan's MSR scripts gave. */
static void say_msrs(const struct view *view, const struct result *result)
{
    struct row row;

    for (unsigned i = view->events + 1; i < rows_count(view, result); i++) {
        char text[EVENT_NAME_BYTES];
        struct out name = out_buffer(text, sizeof(text));

        row_make(view, result, i, &row);
        row_name(&row, &name);
        if (row.verdict == VERDICT_MEASURED)
            say("  %s = 0x%llx\n", out_end(&name), (unsigned long long)row.msr->value);
        else
            say("  %s: %s\n", out_end(&name), row.reason);
    }
}

/* What is outside the cores has no columns, as its names and numbers are long. */
static void say_package(const struct view *view, const struct result *result)
{
    static char text[LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    package_line(view, result, CONSOLE_COLUMNS, &line);
    say("%s", out_end(&line));
}

void report_result(struct run *run, const struct view *view, const struct result *result)
{
    struct tally tally = {0};
    struct row row;
    unsigned failures = 0;

    console_progress_end();
    for (unsigned i = 0; i < rows_count(view, result); i++) {
        row_make(view, result, i, &row);
        tally_add(&tally, &row);
        tally_add(&shown.tally[result->cpu % CPUS_MAX], &row);
        tally_add(&run->tally, &row);
        report_cycles_add(view, result, &row);
    }
    shown.kernels[result->cpu % CPUS_MAX]++;
    report_clock_add(view, result);
    if (view->kernel[result->kernel]->flags & (KERNEL_PAIR | KERNEL_CROWD)) {
        report_pairs_add(view, result);
    } else if (shown.table_cpu == result->cpu) {
        say_kernel(view->kernel[result->kernel]);
        for (unsigned i = 0; i < shown.columns; i++) {
            row_make(view, result, shown.column[i], &row);
            say_value(&row, COLUMN_WIDTH);
        }
        say("  %s\n", kernel_verdict(&tally));
        say_package(view, result);
        say_msrs(view, result);
    }
    for (unsigned i = 0; i < rows_count(view, result) && failures < FAILURES_SHOWN; i++)
        failures += say_failure(view, result, i);
}

void report_verdicts(const struct tally *tally)
{
    bool first = true;

    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        if (tally->of[v] == 0)
            continue;
        say("%s%u %s", first ? "" : ", ", tally->of[v], verdict_name(v));
        first = false;
    }
    say("\n");
}

void report_cpu_end(const struct run *run, const struct noise noise[2])
{
    bool has_table = shown.table_cpu == run->cpu_now;

    console_progress_end();
    if (has_table) {
        report_clock(run);
    } else {
        say("CPU %u: %u kernels; rows: ", run->cpu_now, shown.kernels[run->cpu_now]);
        report_verdicts(&shown.tally[run->cpu_now]);
    }
    report_noise(run, noise, has_table);
}

void report_progress(const struct run *run, unsigned cpu, const char *what)
{
    uint64_t us = machine_us(run->machine) - run->started_us, left_us;

    left_us = run->done > 0 ? us * (run_units(run) - run->done) / run->done : run->expected_us;
    console_progress("CPU %u  %s  %u of %u, about %llu s left", cpu, what, run->done + 1,
                     run_units(run), (unsigned long long)(left_us / US_PER_S + 1));
}
