/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/console.h"
#include "boot/describe.h"
#include "boot/firmware.h"
#include "boot/measure.h"
#include "boot/notes.h"
#include "boot/records.h"
#include "boot/report.h"
#include "boot/window.h"

#define KERNEL_BOUND_US 5000000u
#define BOUND_US_PER_N  10u /* and so much for each n of each attempt: far beyond slow */
#define UNANSWERED_MAX  2u  /* a CPU that did not answer so often is left alone */
#define LONG_KERNEL_US  100000u
#define KEY_POLL_US     60000u
#define CALIBRATION_N   1u

/* The present CPU, and the journal as it is read back for the console. */
struct progress {
    struct run *run;
    struct view view;
    struct journal_cursor cursor;
    const struct cpu_record *cpu; /* in the journal */
    unsigned unanswered;
    bool left_open; /* its last task did not come to its end: its registers may be ours still */
    uint32_t refused_msr; /* of the last error that was noted of this CPU; 0: none */
};

/* A register that a task could not put back. */
static void note_not_restored(struct progress *p, const struct pmu_error *error, const char *when)
{
    if (error->status != STATUS_OK)
        store_note(p->run->store, NOTE_EXCEPTION, "CPU %u, %s: MSR 0x%x is not as it was found: %s",
                   p->cpu->cpu, when, error->msr, status_text(error->status));
}

/* A CPU that nobody can ask any more. */
static void note_lost_cpu(struct progress *p, const char *when)
{
    p->run->cpu_lost = true;
    store_note(p->run->store, NOTE_EXCEPTION,
               "CPU %u: its PMU's control registers, since it did not answer %s", p->cpu->cpu,
               when);
}

static void note_restarts(struct progress *p)
{
    unsigned restarts = cpus_take_restarts(p->cpu->cpu);

    if (restarts > 0)
        store_note(p->run->store, NOTE_ERROR, "CPU %u ignored its start; started again: %u",
                   p->cpu->cpu, restarts);
}

/* Takes what was appended into the view; reports the results among it. */
static void catch_up(struct progress *p)
{
    const struct journal_head *head;

    p->cursor.bytes = p->run->store->journal.bytes;
    p->cursor.size = p->run->store->journal.used;
    while ((head = journal_next(&p->cursor))) {
        const struct result *result = view_take(&p->view, head);

        if (result)
            report_result(p->run, &p->view, result);
    }
    store_sync(p->run->store);
}

/* A CPU that does not answer here is left alone: nothing is known of its counters. */
static enum status start_cpu(struct progress *p, unsigned number)
{
    struct run *run = p->run;
    struct cpu_record *record = store_reserve(run->store, sizeof(*record));
    struct counter_tests tests;
    enum status status;

    if (!record)
        return STATUS_NO_MEMORY;
    status = describe_cpu(run->session, number, record);
    describe_counters(run->session, record, &tests);
    journal_commit(&run->store->journal, RECORD_CPU, sizeof(*record));
    if (tests.status != STATUS_NO_COUNTER)
        store_append(run->store, RECORD_TEST, &tests, sizeof(tests));
    p->cpu = record;
    p->left_open = tests.status == STATUS_TIMEOUT;
    p->unanswered = is_silent(status) || is_silent(tests.status) ? UNANSWERED_MAX : 0;
    p->refused_msr = 0;
    catch_up(p);
    if (status != STATUS_OK)
        store_note(run->store, NOTE_ERROR, "CPU %u: %s", number, status_text(status));
    if (status == STATUS_TIMEOUT)
        note_lost_cpu(p, "at the start");
    note_registers(run->store, record);
    note_tests(run->store, &tests);
    report_cpu(run, &p->view);
    return status;
}

static void note_outcome(struct progress *p, const struct result *result, const char *name)
{
    struct store *store = p->run->store;

    if (result->program_error.status != STATUS_OK && result->program_error.msr != p->refused_msr)
        store_note(store, NOTE_ERROR, "CPU %u, %s: %s: MSR 0x%x, wrote 0x%llx, read 0x%llx",
                   result->cpu, name, status_text(result->program_error.status),
                   result->program_error.msr, (unsigned long long)result->program_error.written,
                   (unsigned long long)result->program_error.read);
    p->refused_msr = result->program_error.msr;
    note_not_restored(p, &result->restore_error, name);
    if (is_silent(result->status))
        store_note(store, NOTE_ERROR, "CPU %u, %s: %s", result->cpu, name,
                   status_text(result->status));
}

/* A task that is not run; its rows say why, if there is memory for that. */
static void leave_out(struct progress *p, uint32_t kernel_number, enum status why)
{
    struct result result = {.cpu = p->cpu->cpu, .kernel = kernel_number, .status = why};

    if (!store_append(p->run->store, RECORD_RESULT, &result, sizeof(result)))
        p->run->tally.lost++;
    catch_up(p);
}

/* Runs a task whose result is about to be committed, on the present CPU. */
static void run_task(struct progress *p, struct measure_task *task, uint32_t kernel_number,
                     const char *name)
{
    struct run *run = p->run;
    struct journal *journal = &run->store->journal;
    uint32_t stride = measure_stride_bytes(&p->cpu->schedule);
    uint64_t started = session_us(run->session);
    struct result *result;
    enum status status = p->unanswered >= UNANSWERED_MAX ? STATUS_SKIPPED : STATUS_OK;

    task->cpu = p->cpu;
    task->context = &run->session->contexts[p->cpu->cpu];
    task->samples_max = measure_samples_max(&p->cpu->schedule, task->runs, task->twice_runs);
    result = store_reserve(run->store, sizeof(*result) + (size_t)task->samples_max * stride);
    if (!result) {
        store_note(run->store, NOTE_ERROR, "CPU %u, %s: %s", p->cpu->cpu, name,
                   status_text(STATUS_NO_MEMORY));
        leave_out(p, kernel_number, STATUS_NO_MEMORY);
        return;
    }
    *result = (struct result){.cpu = p->cpu->cpu, .kernel = kernel_number, .stride_bytes = stride};
    task->result = result;
    if (status == STATUS_OK)
        status = cpus_run(&run->session->cpus, p->cpu->cpu, measure_kernel, task,
                          KERNEL_BOUND_US + ((uint64_t)task->samples_max +
                                             2ull * task->warmup * p->cpu->schedule.passes) *
                                                task->n * BOUND_US_PER_N);
    if (status != STATUS_OK) {
        *result = (struct result){
            .cpu = p->cpu->cpu, .kernel = kernel_number, .stride_bytes = stride, .status = status};
        p->unanswered += is_silent(status);
    }
    if (status == STATUS_OK || status == STATUS_TIMEOUT)
        p->left_open = status == STATUS_TIMEOUT;
    result->elapsed_us = session_us(run->session) - started;
    journal_commit(journal, RECORD_RESULT, sizeof(*result) + (size_t)result->samples * stride);
    note_outcome(p, result, name);
    catch_up(p);
}

static void calibrate(struct progress *p)
{
    struct measure_task task = {
        .record = window_empty,
        .entry = window_empty,
        .n = CALIBRATION_N,
        .runs = CALIBRATION_RUNS,
        .warmup = p->run->plan.warmup,
    };

    run_task(p, &task, KERNEL_CALIBRATION, "calibration");
    if (p->unanswered > 0)
        p->unanswered = UNANSWERED_MAX; /* nothing that it counts could be believed */
    report_calibration(&p->view);
}

static void measure_one(struct progress *p, unsigned index)
{
    struct run *run = p->run;
    const struct kernel_record *kernel = run->kernel[index];
    const char *record = (const char *)kernel;
    struct measure_task task = {
        .record = record,
        .entry = record + kernel->entry_offset,
        .prepare = kernel->prepare_offset ? record + kernel->prepare_offset : 0,
        .n = run_n(run, kernel),
        .buffer = run->buffer,
        .buffer_bytes = kernel->buffer_bytes,
        .runs = run->plan.runs,
        .warmup = run->plan.warmup,
        .twice_runs = TWICE_RUNS,
    };

    if (p->unanswered >= UNANSWERED_MAX || session_supports(&p->cpu->caps, kernel->cpu_features)) {
        run_task(p, &task, index, kernel->name);
    } else {
        leave_out(p, index, STATUS_CPU_FEATURE);
    }
    run->done++;
}

/* The registers of a CPU whose last task was broken off. */
static void clean_up(struct progress *p)
{
    const struct session *session = p->run->session;
    struct measure_task task = {.cpu = p->cpu, .context = &session->contexts[p->cpu->cpu]};

    if (cpus_run(&session->cpus, p->cpu->cpu, restore_cpu, &task, INSPECT_BOUND_US) == STATUS_OK)
        note_not_restored(p, &task.restore_error, "at the end");
    else
        note_lost_cpu(p, "at the end");
}

/*
 * Esc, or Q: on a serial line firmware takes two seconds to tell an Esc from a longer sequence. It
 * polls for keys by a timer, which stood still while a kernel ran: after a long one it gets some
 * time.
 */
static bool is_stop_asked(uint64_t kernel_us)
{
    bool asked = false;
    int key;

    if (kernel_us > LONG_KERNEL_US)
        firmware_wait_us(KEY_POLL_US);
    while ((key = console_key()) != KEY_NONE)
        asked |= key == KEY_ESC || key == 'q';
    return asked;
}

static void measure_cpu(struct progress *p, unsigned number)
{
    struct run *run = p->run;

    run->cpu_now = number;
    if (start_cpu(p, number) == STATUS_NO_MEMORY) {
        store_note(run->store, NOTE_ERROR, "CPU %u: %s", number, status_text(STATUS_NO_MEMORY));
        run->tally.lost += run->kernels;
        return;
    }
    calibrate(p);
    for (unsigned k = 0; k < run->kernels && !run->stopped; k++) {
        uint64_t started_us = session_us(run->session);

        report_progress(run, number, run->kernel[k]->name);
        measure_one(p, k);
        run->stopped = is_stop_asked(session_us(run->session) - started_us);
    }
    if (p->left_open)
        clean_up(p);
    note_restarts(p);
    report_cpu_end(run);
}

static bool take_buffer(struct run *run)
{
    uint64_t largest = 0;

    for (unsigned i = 0; i < run->kernels; i++)
        if (run->kernel[i]->buffer_bytes > largest)
            largest = run->kernel[i]->buffer_bytes;
    if (largest <= run->buffer_bytes)
        return true;
    run->buffer = firmware_memory(largest);
    run->buffer_bytes = run->buffer ? largest : 0;
    return run->buffer != 0;
}

bool run_measure(struct run *run)
{
    const struct cpus *cpus = &run->session->cpus;
    struct progress p = {.run = run};

    run->tally = (struct tally){0};
    run->done = 0;
    run->stopped = false;
    run->started_us = session_us(run->session);
    if (!take_buffer(run) || !store_start(run->store, &run->needs)) {
        say("! %s: the plan needs %llu KiB for its records\n", status_text(STATUS_NO_MEMORY),
            (unsigned long long)((run->needs.journal_bytes + run->needs.spare_bytes) >> 10));
        return false;
    }
    view_start(&p.view, run->store->render.scratch, run->store->render.scratch_count);
    records_start(run);
    for (unsigned i = 0; i < cpus->count && !run->stopped; i++)
        if (cpus->cpu[i].usable && plan_has_cpu(&run->plan, i, cpus->cpu[i].boot))
            measure_cpu(&p, i);
    records_end(run);
    return true;
}
