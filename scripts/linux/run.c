/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmu/text.h"
#include "scripts/linux/perf.h"
#include "scripts/linux/report.h"
#include "scripts/linux/run.h"
#include "scripts/linux/sysfs.h"
#include "scripts/linux/window.h"

#define JOURNAL_BYTES_MOST  (64ull << 30) /* of address space; memory is taken as it is filled */
#define JOURNAL_BYTES_LEAST (64ull << 20)
#define VALUES_MAX          (2u * PLAN_RUNS_MAX)

void run_note(struct linux_run *run, enum note_kind kind, const char *format, ...)
{
    struct note note = {.kind = kind};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(note.text, sizeof(note.text), format, arguments);
    va_end(arguments);
    run_append(run, RECORD_NOTE, &note, sizeof(note));
}

bool run_append(struct linux_run *run, uint32_t type, const void *payload, size_t bytes)
{
    bool done = journal_append(&run->journal, type, payload, bytes);

    run->tally.lost += !done;
    return done;
}

void run_catch_up(struct linux_run *run)
{
    const struct journal_head *head;

    while (run->written < run->journal.used) {
        ssize_t wrote = write(run->journal_file, run->journal.bytes + run->written,
                              run->journal.used - run->written);

        if (wrote <= 0)
            break;
        run->written += (size_t)wrote;
    }
    run->cursor.bytes = run->journal.bytes;
    run->cursor.size = run->journal.used;
    while ((head = journal_next(&run->cursor))) {
        const struct result *result = view_take(&run->view, &run->cursor, head);

        if (result)
            report_result(run, result);
    }
}

static bool make_journal(struct linux_run *run)
{
    static int64_t scratch[VALUES_MAX];
    uint64_t bytes = JOURNAL_BYTES_MOST;
    char *at = MAP_FAILED;

    for (; at == MAP_FAILED && bytes >= JOURNAL_BYTES_LEAST; bytes /= 2) {
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
        run->journal = (struct journal){
            .bytes = at, .size = bytes, .run_id = host_us() << 16 | (uint64_t)run->number};
    }
    run->scratch = scratch;
    run->scratch_count = VALUES_MAX;
    view_start(&run->view, scratch, VALUES_MAX);
    return at != MAP_FAILED;
}

static void find_governor(struct linux_record *to, const struct linux_run *run)
{
    char path[96];
    unsigned first = 0;

    while (!run->measured[first])
        first++;
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", first);
    sysfs_text(path, to->governor, sizeof(to->governor));
}

static void put_run(struct linux_run *run)
{
    struct run_record record = run->host->machine;
    const struct plan *plan = &run->plan;

    record.schema = RECORD_SCHEMA;
    record.number = run->number;
    record.source = SOURCE_LINUX;
    text_copy(record.version, sizeof(record.version), BARECOUNT_VERSION);
    text_copy(record.plan_name, sizeof(record.plan_name), run->plan_path ? run->plan_path : "");
    text_copy(record.label, sizeof(record.label), plan->label);
    host_time(record.started);
    record.cpus_planned = run->cpus;
    record.kernels = run->kernels;
    record.runs = record.runs_asked = plan->runs;
    record.warmup = plan->warmup;
    record.kernel_ring = RING_USR;
    record.method = plan->method;
    record.parallel = plan->mode == MODE_PARALLEL;
    for (unsigned i = 0; plan->method == METHOD_RESET && i < DECLARED_COUNT; i++)
        record.window_cost[WINDOW_USR][i] = linux_window_cost[i];
    record.linux_host.read_by = plan->method == METHOD_DELTAS ? READ_BY_RDPMC : READ_BY_IOCTL;
    find_governor(&record.linux_host, run);
    run_append(run, RECORD_RUN, &record, sizeof(record));
    run_append(run, RECORD_PLAN, run->plan_text, run->plan_bytes);
}

static void put_kernels(struct linux_run *run)
{
    struct known_kernel known;

    for (unsigned i = 0; i < run->kernels; i++) {
        chosen_describe(&run->kernel[i], &known);
        run_append(run, RECORD_KERNEL, &known, sizeof(known));
    }
}

static void put_notes(struct linux_run *run)
{
    const struct plan *plan = &run->plan;

    for (unsigned i = 0; i < plan->errors && i < PLAN_ERRORS_MAX; i++)
        if (plan->error[i].line == PLAN_ELSEWHERE)
            run_note(run, NOTE_ERROR, "%s", plan->error[i].text);
        else if (plan->error[i].line)
            run_note(run, NOTE_ERROR, "%s:%u: %s", run->plan_path, plan->error[i].line,
                     plan->error[i].text);
        else
            run_note(run, NOTE_ERROR, "%s: %s", run->plan_path ? run->plan_path : "plan",
                     plan->error[i].text);
    if (plan->errors > PLAN_ERRORS_MAX)
        run_note(run, NOTE_ERROR, "errors of the plan that are not listed: %u",
                 plan->errors - PLAN_ERRORS_MAX);
    for (unsigned i = 0; i < complaint_count; i++)
        run_note(run, NOTE_ERROR, "%s", complaint_text[i]);
}

/* STATUS_OK, or why a CPU cannot run a kernel here. */
static enum status can_run(const struct run_cpu *cpu, const struct chosen_kernel *kernel)
{
    if (caps_lacks(&cpu->record.caps, kernel->record->cpu_features) != 0)
        return STATUS_CPU_FEATURE;
    if (kernel->record->flags & KERNEL_RING0)
        return STATUS_KERNEL_RING0;
    if (kernel->memory != MEMORY_DEFAULT && kernel->memory != MEMORY_WB)
        return STATUS_WRITE_BACK;
    return STATUS_OK;
}

static void leave_out(struct linux_run *run, unsigned cpu, uint32_t kernel, enum status why)
{
    const struct result result = {
        .cpu = cpu, .kernel = kernel, .status = why, .partner = CPU_NONE, .node = NODE_UNKNOWN};

    run_append(run, RECORD_RESULT, &result, sizeof(result));
    run_catch_up(run);
}

static void measure_one(struct linux_run *run, struct run_cpu *cpu, unsigned index)
{
    const struct next next = {.cpu = cpu->record.cpu, .kernel = index, .partner = CPU_NONE};
    struct chosen_kernel *kernel = &run->kernel[index];
    enum status can = can_run(cpu, kernel);
    struct child_task task;
    uint64_t started_us;

    if (can != STATUS_OK) {
        leave_out(run, cpu->record.cpu, index, can);
        return;
    }
    run_append(run, RECORD_NEXT, &next, sizeof(next));
    task = run_task(run, cpu, kernel);
    started_us = host_us();
    if (!children_run(&task, 1))
        cpu->report->status = STATUS_NO_MEMORY;
    run_put_result(run, &task, index, CPU_NONE, host_us() - started_us);
    run_catch_up(run);
}

/* One CPU after the other. */
static bool measure_serially(struct linux_run *run)
{
    unsigned at = 0;

    for (unsigned i = 0; i < PLAN_CPUS_MAX && !*run->stopped; i++) {
        struct run_cpu *cpu = &run->cpu[at];

        if (!run->measured[i])
            continue;
        at++;
        if (!run_cpu_start(run, cpu, i))
            return false;
        for (unsigned k = 0; k < run->kernels && !*run->stopped; k++)
            measure_one(run, cpu, k);
        report_cpu_end(run, i);
    }
    return true;
}

static void put_end(struct linux_run *run)
{
    const struct end_record end = {
        .elapsed_us = host_us() - run->started_us,
        .memory_bytes = run->journal.used,
        .stopped = *run->stopped != 0,
    };

    if (run->tally.lost == 0)
        run_append(run, RECORD_END, &end, sizeof(end));
    else
        run_note(run, NOTE_ERROR, "the run is incomplete: results without rows: %u",
                 run->tally.lost);
    run_catch_up(run);
}

bool run_measure(struct linux_run *run)
{
    run->started_us = host_us();
    run->cpu = files_memory(run->cpus * sizeof(*run->cpu));
    if (!run->cpu || !cpu_events_start(&run->events, files_memory) || !make_journal(run)) {
        fprintf(stderr, "barecount-linux: there is no memory for the run's records\n");
        return false;
    }
    put_run(run);
    put_kernels(run);
    put_notes(run);
    run_catch_up(run);
    host_stay_off(run->host, run->measured);
    if (!measure_serially(run)) {
        fprintf(stderr, "barecount-linux: a child could not be started: %s\n", strerror(errno));
        run->tally.lost++;
    }
    put_end(run);
    return true;
}
