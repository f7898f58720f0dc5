/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a run, a line for each kernel of the first CPU of each kind. */
#include "boot/console.h"
#include "boot/report.h"
#include "pmu/text.h"

#define NAME_WIDTH     18
#define US_PER_S       1000000u
#define FAILURES_SHOWN 4u /* of a kernel, equal ones taken together; all are in results.csv */

/* The columns of the table: the event whose median each shows. */
static const struct {
    const char *heading;
    const char *event;
    int width;
} COLUMNS[] = {
    {"instr", "INST_RETIRED.ANY_P", 9},           {"branches", "BR_INST_RETIRED.ALL_BRANCHES", 9},
    {"taken", "BR_INST_RETIRED.NEAR_TAKEN", 8},   {"loads", "MEM_INST_RETIRED.ALL_LOADS", 8},
    {"stores", "MEM_INST_RETIRED.ALL_STORES", 8}, {"cycles", "CPU_CLK_UNHALTED.THREAD_P", 9},
};
#define COLUMNS_COUNT (sizeof(COLUMNS) / sizeof(COLUMNS[0]))

/* What has been shown of the present CPU. */
static struct {
    bool as_table;
    uint32_t types_shown[4]; /* core types that had their table */
    unsigned types;
    unsigned kernels;
    struct tally tally;
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

void report_cpu(const struct run *run, const struct view *view)
{
    const struct cpu_record *cpu = view->cpu;

    if (run->done == 0)
        shown.types = 0;
    shown.as_table = is_first_of_its_kind(cpu->caps.core_type);
    shown.kernels = 0;
    shown.tally = (struct tally){0};
    console_progress_end();
    if (cpu->flags & CPU_WAS_IN_USE)
        say("! CPU %u: counters had been left running; they are stopped now and put back after\n"
            "  each kernel\n",
            cpu->cpu);
    if (!shown.as_table)
        return;
    say("\nCPU %u%s%s, medians of %u runs\n", cpu->cpu,
        cpu->flags & CPU_IS_BOOT ? ", boot CPU" : "",
        cpu->caps.core_type == CORE_TYPE_ATOM ? ", efficiency core" : "", run->plan.runs);
    say("%*s", -NAME_WIDTH, "kernel");
    for (unsigned i = 0; i < COLUMNS_COUNT; i++)
        say("%*s", COLUMNS[i].width, COLUMNS[i].heading);
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

    row_make(view, result, index, &row);
    if (!verdict_fails(row.verdict) || row.counter_off)
        return false;
    for (unsigned i = 0; i < rows_count(view); i++) {
        row_make(view, result, i, &other);
        if (other.verdict != row.verdict || !text_same(other.reason, row.reason))
            continue;
        if (i < index)
            return false;
        alike++;
    }
    say("  ! CPU %u %s %s", result->cpu, view->kernel[result->kernel]->name,
        row.event ? row.event->name : "TSC");
    if (alike > 1)
        say(" and %u more", alike - 1);
    say(": %s\n    %s\n", verdict_name(row.verdict), row.reason);
    return true;
}

void report_calibration(const struct view *view)
{
    struct row row;

    for (unsigned i = 0; i < view->run->events; i++)
        if (!row_counter(view, i, &row) && view->baseline.samples[row.pass] > 0)
            say("! CPU %u %s: %s in every row\n    %s\n", view->cpu->cpu, row.event->name,
                verdict_name(row.verdict), row.reason);
}

static void say_columns(const struct view *view, const struct result *result)
{
    struct row row;

    for (unsigned c = 0; c < COLUMNS_COUNT; c++)
        for (unsigned i = 0; i < view->run->events; i++) {
            if (!text_same(view->run->event[i].name, COLUMNS[c].event))
                continue;
            row_make(view, result, i, &row);
            say_value(&row, COLUMNS[c].width);
        }
}

void report_result(struct run *run, const struct view *view, const struct result *result)
{
    struct tally tally = {0};
    struct row row;
    unsigned failures = 0;

    console_progress_end();
    for (unsigned i = 0; i < rows_count(view); i++) {
        row_make(view, result, i, &row);
        tally_add(&tally, &row);
        tally_add(&shown.tally, &row);
        tally_add(&run->tally, &row);
    }
    shown.kernels++;
    if (shown.as_table) {
        say("%*s", -NAME_WIDTH, view->kernel[result->kernel]->name);
        say_columns(view, result);
        say("  %s\n", kernel_verdict(&tally));
    }
    for (unsigned i = 0; i < rows_count(view) && failures < FAILURES_SHOWN; i++)
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

void report_cpu_end(const struct run *run)
{
    console_progress_end();
    if (shown.as_table)
        return;
    say("CPU %u: %u kernels; rows: ", run->cpu_now, shown.kernels);
    report_verdicts(&shown.tally);
}

void report_progress(const struct run *run, unsigned cpu, const char *what)
{
    uint64_t us = session_us(run->session) - run->started_us, left_us;

    left_us = run->done > 0 ? us * (run_units(run) - run->done) / run->done : run->expected_us;
    console_progress("CPU %u  %s  %u of %u, about %llu s left", cpu, what, run->done + 1,
                     run_units(run), (unsigned long long)(left_us / US_PER_S + 1));
}
