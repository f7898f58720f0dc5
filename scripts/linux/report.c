/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "pmu/files/param.h"
#include "pmu/counters/select.h"
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"
#include "scripts/linux/report.h"

#define NAME_WIDTH     18
#define COLUMN_WIDTH   9
#define COLUMNS_MAX    6u
#define FAILURES_SHOWN 4u /* of a kernel; all are in results.csv */
#define US_PER_S       1000000u
#define MANY           10000000

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

static struct {
    bool has_table;
    unsigned table_cpu;
    unsigned column[COLUMNS_MAX];
    unsigned columns;
    struct shown_cpu {
        struct tally tally;
        unsigned kernels;
    } cpu[PLAN_CPUS_MAX];
} shown;

static void say_pmu(const struct cpu_caps *caps)
{
    if (caps->vendor != VENDOR_INTEL)
        printf("PMU       %s: %s\n", caps_vendor_name(caps), status_text(STATUS_VENDOR));
    else if (caps->pmu_version == 0)
        printf("PMU       none: %s\n", status_text(STATUS_NO_PMU));
    else
        printf("PMU       version %u: %u counters of %u bits, %u fixed ones of %u bits\n",
               caps->pmu_version, caps->gp_count, caps->gp_width_bits,
               (unsigned)__builtin_popcount(caps->fixed_map), caps->fixed_width_bits);
}

static void say_linux(const struct linux_run *run)
{
    const struct linux_record *is = &run->host->machine.linux_host;
    char paranoid[16] = "unknown";

    if (is->perf_event_paranoid != PARANOID_UNKNOWN)
        snprintf(paranoid, sizeof(paranoid), "%d", is->perf_event_paranoid);
    printf("Linux     %s; perf_event_paranoid %s, NMI watchdog %s%s%s\n", is->kernel, paranoid,
           is->nmi_watchdog ? "on" : "off", is->isolated_cpus[0] ? "; isolated CPUs " : "",
           is->isolated_cpus);
    if (is->nmi_watchdog)
        printf("! Linux   the NMI watchdog holds a counter of each CPU, so that passes have one "
               "less;\n          sysctl kernel.nmi_watchdog=0 gives it back\n");
}

void report_start(const struct linux_run *run, const char *folder)
{
    const struct run_record *machine = &run->host->machine;
    const struct plan *plan = &run->plan;
    const struct cpu_caps *caps;
    const char *brand;
    unsigned first = 0;

    while (!run->measured[first])
        first++;
    caps = &run->host->cpu[first].caps;
    brand = caps->brand + strspn(caps->brand, " ");
    printf("barecount-linux %s: hardware counters through perf_event_open\n\n", BARECOUNT_VERSION);
    printf("Machine   %s %s\n", machine->smbios.maker, machine->smbios.product);
    say_linux(run);
    printf("CPU       %s\n", brand[0] ? brand : caps->vendor_id);
    printf("          %s, family %u, model %u, stepping %u; CPUs: %u, usable: %u\n",
           caps_vendor_name(caps), caps->family, caps->model, caps->stepping, run->host->cpus,
           run->host->usable);
    printf("TSC       %llu.%03llu MHz, %s\n", (unsigned long long)(machine->tsc_hz / 1000000),
           (unsigned long long)(machine->tsc_hz / 1000 % 1000),
           tsc_source_name(machine->tsc_source));
    say_pmu(caps);
    printf("Plan      %s: %u CPUs, %u kernels, %u runs\n",
           run->plan_path ? run->plan_path : "built in", run->cpus, run->kernels, plan->runs);
    if (folder)
        printf("Results   %s\n", folder);
}

void report_errors(const struct linux_run *run)
{
    const struct plan *plan = &run->plan;
    char place[PLACE_BYTES];

    for (unsigned i = 0; i < complaint_count; i++)
        printf("! %s\n", complaint_text[i]);
    for (unsigned i = 0; i < plan->errors && i < PLAN_ERRORS_MAX; i++)
        printf("! %s%s\n", run_place(run, &plan->error[i], place), plan->error[i].text);
    if (plan->errors > 0)
        printf("! lines of the plan that are not as expected: %u; the rest holds\n", plan->errors);
}

static void add_column(unsigned event)
{
    if (shown.columns < COLUMNS_MAX)
        shown.column[shown.columns++] = event;
}

/* Of the built-in events those that have a heading; of a plan's own the first that are counted. */
static void choose_columns(const struct linux_run *run)
{
    const struct view *view = &run->view;

    shown.columns = 0;
    for (unsigned h = 0; run->plan.default_events && h < HEADINGS_COUNT; h++)
        for (unsigned i = 0; i < view->events; i++)
            if (text_same(view->event[i].name, HEADINGS[h].event))
                add_column(i);
    for (unsigned i = run->events.anchors; !run->plan.default_events && i < view->events; i++)
        if (view->event[i].status == STATUS_OK)
            add_column(i);
}

static void say_headings(const struct view *view)
{
    printf("%*s", -NAME_WIDTH, "kernel");
    for (unsigned c = 0; c < shown.columns; c++) {
        const char *name = view->event[shown.column[c]].name;
        char number[12];

        snprintf(number, sizeof(number), "#%u", shown.column[c]);
        for (unsigned h = 0; h < HEADINGS_COUNT; h++)
            if (text_same(name, HEADINGS[h].event))
                name = HEADINGS[h].heading;
        printf("%*s", COLUMN_WIDTH, strlen(name) < COLUMN_WIDTH ? name : number);
    }
    printf("  verdict\n");
}

/* What each column counts, and the heading. */
static void start_table(const struct linux_run *run, unsigned cpu)
{
    const struct view *view = &run->view;
    char text[240];

    shown.has_table = true;
    shown.table_cpu = cpu;
    choose_columns(run);
    printf("\nCPU %u counts, in %u passes:\n", cpu, view->schedule->passes);
    for (unsigned i = 0; i < view->events; i++) {
        const struct event *event = &view->event[i];
        struct out words = out_buffer(text, sizeof(text));

        if (event->status == STATUS_OK)
            select_words(event, &words);
        else
            out_text(&words, status_text(event->status));
        printf("%3u %s%-34s %s\n", i, event->status == STATUS_OK ? "" : "! ", event->name,
               out_end(&words));
    }
    printf("\nMedians of %u runs\n", run->plan.runs);
    say_headings(view);
}

static void say_value(const struct row *row)
{
    int64_t value = row->stats.median_milli / 1000;

    if (row->accepted == 0)
        printf("%*s", COLUMN_WIDTH, "-");
    else if (row->counter_off)
        printf("%*s", COLUMN_WIDTH, "off");
    else if (value < MANY)
        printf("%*lld", COLUMN_WIDTH, (long long)value);
    else
        printf("%*lldM", COLUMN_WIDTH - 1, (long long)(value / 1000000));
}

/* The row that stands for a kernel: the worst, but for what the machine does not offer. */
static const char *kernel_verdict(const struct tally *tally)
{
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (v != VERDICT_UNAVAILABLE && tally->of[v] > 0 && v != VERDICT_MEASURED)
            return verdict_name(v);
    return verdict_name(tally->counted > 0 ? VERDICT_MEASURED : VERDICT_UNAVAILABLE);
}

static void say_kernel(struct linux_run *run, const struct result *result,
                       const struct tally *tally)
{
    char text[128];
    struct out out = out_buffer(text, sizeof(text));
    struct row row;

    param_say(run->view.kernel[result->kernel], &out);
    out_end(&out);
    printf("%*s", -NAME_WIDTH, text);
    if (strlen(text) > NAME_WIDTH)
        printf("\n%*s", -NAME_WIDTH, "");
    for (unsigned c = 0; c < shown.columns; c++) {
        row_make(&run->view, result, shown.column[c], &row);
        say_value(&row);
    }
    printf("  %s\n", kernel_verdict(tally));
}

/* The first rows that are not as they should be, those alike once. */
static void say_failures(struct linux_run *run, const struct result *result)
{
    char before[REASON_BYTES] = "";
    unsigned said = 0;
    struct row row;

    for (unsigned i = 0; i < rows_count(&run->view, result) && said < FAILURES_SHOWN; i++) {
        char text[EVENT_NAME_BYTES];
        struct out name = out_buffer(text, sizeof(text));

        row_make(&run->view, result, i, &row);
        if (!verdict_fails(row.verdict) || text_same(before, row.reason))
            continue;
        text_copy(before, sizeof(before), row.reason);
        row_name(&row, &name);
        printf("  ! CPU %u %s %s: %s\n    %s\n", result->cpu,
               run->view.kernel[result->kernel]->name, out_end(&name), verdict_name(row.verdict),
               row.reason);
        said++;
    }
}

void report_result(struct linux_run *run, const struct result *result)
{
    struct shown_cpu *is = &shown.cpu[result->cpu % PLAN_CPUS_MAX];
    struct tally tally = {0};
    struct row row;

    if (!shown.has_table)
        start_table(run, result->cpu);
    for (unsigned i = 0; i < rows_count(&run->view, result); i++) {
        row_make(&run->view, result, i, &row);
        tally_add(&tally, &row);
        tally_add(&is->tally, &row);
        tally_add(&run->tally, &row);
    }
    is->kernels++;
    if (shown.table_cpu == result->cpu && result->partner == CPU_NONE) {
        say_kernel(run, result, &tally);
        say_failures(run, result);
    }
    fflush(stdout);
}

static void say_verdicts(const struct tally *tally)
{
    bool first = true;

    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        if (tally->of[v] == 0)
            continue;
        printf("%s%u %s", first ? "" : ", ", tally->of[v], verdict_name(v));
        first = false;
    }
    printf("\n");
}

static void say_noise(const struct linux_run *run, const struct run_cpu *cpu)
{
    const uint64_t tsc_hz = run->host->machine.tsc_hz;
    char before[80], after[80];
    struct out first = out_buffer(before, sizeof(before)), last = out_buffer(after, sizeof(after));

    if (run->plan.noise_ms == 0)
        return;
    noise_words(&cpu->noise[NOISE_BEFORE], tsc_hz, &first);
    noise_words(&cpu->noise[NOISE_AFTER], tsc_hz, &last);
    printf("CPU %u noise: before %s; after %s\n", cpu->record.cpu, out_end(&first), out_end(&last));
}

void report_cpu_end(const struct linux_run *run, const struct run_cpu *cpu)
{
    struct shown_cpu *is = &shown.cpu[cpu->record.cpu];

    if (shown.table_cpu != cpu->record.cpu) {
        printf("CPU %u: %u kernels; rows: ", cpu->record.cpu, is->kernels);
        say_verdicts(&is->tally);
    }
    say_noise(run, cpu);
    fflush(stdout);
}

void report_end(const struct linux_run *run)
{
    char text[96];
    struct out line = out_buffer(text, sizeof(text));
    uint64_t us = host_us() - run->started_us;

    printf("\nRows      ");
    say_verdicts(&run->tally);
    printf("Results   %s/%04u\n", run->folder, run->number);
    printf("Time      %llu.%llu s%s\n", (unsigned long long)(us / US_PER_S),
           (unsigned long long)(us % US_PER_S / (US_PER_S / 10)),
           *run->stopped ? ", ended early by a signal" : "");
    tally_line(&run->tally, &line);
    printf("%s\n", out_end(&line));
}
