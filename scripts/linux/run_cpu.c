/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU in a run: starts it, makes tasks for its children, and appends their results. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmu/base/text.h"
#include "scripts/linux/perf.h"
#include "scripts/linux/run.h"

/* Like measure_samples_max() of boot/measure/measure.c. */
static uint32_t samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs)
{
    return schedule->passes * (ATTEMPTS_MAX(runs) + ATTEMPTS_MAX(twice_runs));
}

static void probe_events(const struct run_cpu *cpu)
{
    for (unsigned i = 0; i < cpu->events; i++) {
        struct event *event = &cpu->event[i];
        int fd = event->status == STATUS_OK ? perf_open(event, cpu->pmu_type, -1) : -1;

        if (fd >= 0)
            close(fd);
        else if (event->status == STATUS_OK)
            event->status = (errno == EACCES || errno == EPERM) && event->rings & RING_OS
                                ? STATUS_PERF_DENIED
                                : STATUS_PERF_REFUSED;
    }
}

struct cpu_caps run_caps(const struct linux_run *run, const struct cpu_caps *caps)
{
    struct cpu_caps left = *caps;

    if (run->host->machine.linux_host.nmi_watchdog && left.gp_count > 0)
        caps_keep_general(&left, left.gp_count - 1u);
    return left;
}

const struct uncore *uncore_of_linux(void *context)
{
    static const struct uncore NONE = {.status = STATUS_UNCORE_LINUX};

    (void)context;
    return &NONE;
}

static const struct uncore *uncore_of_another(void *context)
{
    (void)context;
    return NULL;
}

static bool is_first_of_package(const struct linux_run *run, const struct run_cpu *cpu)
{
    for (const struct run_cpu *before = run->cpu; before < cpu; before++)
        if (before->record.caps.package == cpu->record.caps.package)
            return false;
    return true;
}

static bool find_events(struct linux_run *run, struct run_cpu *cpu)
{
    const struct cpu_caps caps = run_caps(run, &cpu->record.caps);
    struct cpu_events *events = &run->events;
    bool has_pmu = perf_pmu_of(cpu->record.cpu, &cpu->pmu_type);
    bool tells = cpu->record.caps.pmu_version > 0;
    const struct cpu_events_port port = {
        .tables = run->tables,
        .uncore = is_first_of_package(run, cpu) ? uncore_of_linux : uncore_of_another,
        .emulation = &run->host->emulation,
    };

    cpu_events_find(events, &port, &run->plan, &cpu->record.caps,
                    has_pmu || !tells ? STATUS_OK : STATUS_NO_PERF, NULL);
    cpu->events = events->events;
    cpu->event = files_memory(cpu->events * sizeof(struct event) + 1);
    if (!cpu->event)
        return false;
    memcpy(cpu->event, events->event, cpu->events * sizeof(struct event));
    zeros_expect(&run->zeros, cpu->event, events->group, cpu->events);
    probe_events(cpu);
    /*
     * Events may share a pass: Linux starts the counters of PMU version 1 one by one, but all of
     * them count before code at CPL 3 runs.
     */
    schedule_make(&caps, false, cpu->event, cpu->events, events->schedule, events->work);
    cpu->schedule = files_memory(SCHEDULE_BYTES(events->schedule->passes));
    if (!cpu->schedule)
        return false;
    memcpy(cpu->schedule, events->schedule, SCHEDULE_BYTES(events->schedule->passes));
    return true;
}

static bool make_report(const struct linux_run *run, struct run_cpu *cpu)
{
    const uint32_t runs = run->plan.runs > CALIBRATION_RUNS ? run->plan.runs : CALIBRATION_RUNS;

    cpu->report_bytes =
        sizeof(struct child_report) + (size_t)samples_max(cpu->schedule, runs, runs) *
                                          SAMPLE_BYTES(schedule_slots_max(cpu->schedule));
    cpu->report = mmap(NULL, cpu->report_bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return cpu->report != MAP_FAILED;
}

struct child_task run_task(const struct linux_run *run, const struct run_cpu *cpu,
                           const struct chosen_kernel *kernel)
{
    static const struct kernel_use EMPTY = {.entry = window_empty, .n = 1};
    const struct kernel_use *use = kernel ? &kernel->use : &EMPTY;
    struct child_task task = {
        .cpu = cpu->record.cpu,
        .pmu_type = cpu->pmu_type,
        .event = cpu->event,
        .schedule = cpu->schedule,
        .method = run->plan.method,
        .use = use,
        .runs = kernel ? run->plan.runs : CALIBRATION_RUNS,
        .warmup = run->plan.warmup,
        .twice_runs = !kernel            ? 0
                      : use->twice_entry ? run->plan.runs
                                         : TWICE_RUNS,
        .stride_bytes = SAMPLE_BYTES(schedule_slots_max(cpu->schedule)),
        .report = cpu->report,
        .bound_us = plan_window_us(&run->plan, use->n, use->buffer_bytes),
    };

    task.samples_max = samples_max(cpu->schedule, task.runs, task.twice_runs);
    memset(cpu->report, 0, sizeof(*cpu->report));
    return task;
}

enum status run_can(const struct run_cpu *cpu, const struct chosen_kernel *kernel)
{
    if (caps_lacks(&cpu->record.caps, kernel->record->cpu_features) != 0)
        return STATUS_CPU_FEATURE;
    if (kernel->record->flags & KERNEL_RING0)
        return STATUS_KERNEL_RING0;
    if (kernel->use.memory != MEMORY_DEFAULT && kernel->use.memory != MEMORY_WB)
        return STATUS_WRITE_BACK;
    return STATUS_OK;
}

void run_leave_out(struct linux_run *run, unsigned cpu, uint32_t kernel, enum status why,
                   uint32_t partner)
{
    const struct result result = {
        .cpu = cpu, .kernel = kernel, .status = why, .partner = partner, .node = NODE_UNKNOWN};

    run_append(run, RECORD_RESULT, &result, sizeof(result));
}

void run_put_result(struct linux_run *run, const struct child_task *task, uint32_t kernel,
                    uint32_t partner, uint64_t elapsed_us)
{
    const struct child_report *report = task->report;
    const uint32_t samples = report->samples <= task->samples_max ? report->samples : 0;
    struct result *result =
        journal_reserve(&run->journal, sizeof(*result) + (size_t)samples * task->stride_bytes);

    if (!result) {
        run->tally.lost++;
        return;
    }
    *result = (struct result){
        .cpu = task->cpu,
        .kernel = kernel,
        .status = report->status < STATUS_COUNT ? report->status : STATUS_DIED,
        .vector = report->vector,
        .error_code = report->error_code,
        .stride_bytes = task->stride_bytes,
        .samples = samples,
        .fault_offset = report->fault_offset,
        .fault_address = report->fault_address,
        .fault_nearby = report->fault_nearby,
        .elapsed_us = elapsed_us,
        .program_error.status =
            report->pass_status < STATUS_COUNT ? report->pass_status : STATUS_PERF_COUNTER,
        .program_error_pass = report->pass_failed,
        .changed = report->changed,
        .partner = partner,
        .node = NODE_UNKNOWN,
    };
    memcpy(result + 1, report + 1, (size_t)samples * task->stride_bytes);
    journal_commit(&run->journal, RECORD_RESULT, result_bytes(result));
}

static void describe(const struct linux_run *run, struct run_cpu *cpu, unsigned number)
{
    const struct host_cpu *is = &run->host->cpu[number];

    cpu->record = (struct cpu_record){
        .cpu = number,
        .flags = number == 0 ? CPU_IS_BOOT : 0,
        .siblings = host_siblings(run->host, number),
        .microcode = is->microcode,
        .caps = is->caps,
        .status = STATUS_OK,
        .caches_bytes = caps_caches_bytes(is->cache),
    };
    memcpy(cpu->record.cache, is->cache, sizeof(is->cache));
    cpu_record_place(&cpu->record, &is->place);
}

static void put_reasons(struct linux_run *run)
{
    size_t bytes = cpu_events_reasons(&run->events, NULL);
    char *text = bytes > 0 ? journal_reserve(&run->journal, bytes) : NULL;

    if (text) {
        cpu_events_reasons(&run->events, text);
        journal_commit(&run->journal, RECORD_REASONS, bytes);
    }
    run->tally.lost += bytes > 0 && !text;
}

bool run_cpu_start(struct linux_run *run, struct run_cpu *cpu, unsigned number)
{
    struct child_task task;
    uint64_t started_us;

    describe(run, cpu, number);
    if (!find_events(run, cpu) || !make_report(run, cpu))
        return false;
    run_append(run, RECORD_CPU, &cpu->record, sizeof(cpu->record));
    run_append(run, RECORD_EVENTS, cpu->event, cpu->events * sizeof(struct event));
    put_reasons(run);
    run_append(run, RECORD_SCHEDULE, cpu->schedule, SCHEDULE_BYTES(cpu->schedule->passes));
    run_catch_up(run);
    report_cpu(&run->report, &run->view);
    run_noise(run, cpu, NOISE_BEFORE);
    task = run_task(run, cpu, NULL);
    started_us = host_us();
    if (!children_run(&task, 1))
        return false;
    run_put_result(run, &task, KERNEL_CALIBRATION, CPU_NONE, host_us() - started_us);
    if (cpu->report->pass_errno != 0)
        run_note(run, NOTE_ERROR, "CPU %u: perf_event_open for pass %u: %s", number,
                 cpu->report->pass_failed, strerror(cpu->report->pass_errno));
    run_catch_up(run);
    report_calibration(&run->report, &run->view);
    return true;
}

void run_cpu_end(struct linux_run *run, struct run_cpu *cpu)
{
    run_noise(run, cpu, NOISE_AFTER);
    report_cpu_end(&run->report, run->view.run, cpu->record.cpu, cpu->noise);
    run_catch_up(run);
    munmap(cpu->report, cpu->report_bytes);
}
