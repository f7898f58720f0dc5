/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes the samples of a child's passes. The compiler must not use vector registers in this file:
 * `prepare` sets them for the kernel.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "scripts/linux/child_space.h"
#include "scripts/linux/host.h"
#include "scripts/linux/perf.h"

#define SIGNAL_STACK_BYTES (64u << 10)

struct sampling {
    const struct child_task *task;
    struct child_report *report;
    struct perf_group group;
    unsigned pass;
    bool is_open;
    bool counts;      /* whether counters are used; if not, only time stamps are taken */
    bool has_counted; /* whether the group has counted in this pass */
    bool keeps;       /* whether samples are kept; if not, the pass runs only for other CPUs */
    uint32_t changed;
};

enum outcome { RUN_DONE, RUN_CHANGED, RUN_NOT_MET };

static const struct child_task *running; /* for on_exception() */

static void on_exception(int number, siginfo_t *info, void *context)
{
    const ucontext_t *user = context;
    const uint64_t rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
    struct child_report *report = running->report;

    (void)number;
    (void)info;
    if (report->windows % 2 == 0)
        _exit(1); /* not an exception of `prepare` or the kernel */
    report->status = STATUS_FAULT;
    report->vector = (uint32_t)user->uc_mcontext.gregs[REG_TRAPNO];
    report->error_code = (uint32_t)user->uc_mcontext.gregs[REG_ERR];
    report->fault_address = (uint64_t)user->uc_mcontext.gregs[REG_CR2];
    report->fault_nearby = space_nearby(report->fault_address);
    if (!space_offset(rip, &report->fault_offset)) {
        report->vector |= VECTOR_OUTSIDE;
        report->fault_offset = rip;
    }
    report->done = 1;
    _exit(0);
}

/* The handler has its own stack, since the kernel's stack may have caused the exception. */
static bool catch_exceptions(void)
{
    static const int SIGNALS[] = {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP};
    const stack_t stack = {
        .ss_sp = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0),
        .ss_size = SIGNAL_STACK_BYTES,
    };
    struct sigaction action = {.sa_sigaction = on_exception, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
        return false;
    for (unsigned i = 0; i < sizeof(SIGNALS) / sizeof(SIGNALS[0]); i++)
        if (sigaction(SIGNALS[i], &action, NULL) != 0)
            return false;
    return true;
}

static uint64_t switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nivcsw + (uint64_t)usage.ru_nvcsw;
}

static bool meet(const struct child_task *task, bool more, bool *any)
{
    *any = more;
    return !task->barrier || barrier_meet(task->barrier, task->seat, more, any) == STATUS_OK;
}

static void fail_pass(struct sampling *sampling, int why)
{
    struct child_report *report = sampling->report;

    sampling->keeps = sampling->counts = false;
    if (report->pass_status != STATUS_OK)
        return;
    report->pass_status = STATUS_PERF_COUNTER;
    report->pass_failed = sampling->pass;
    report->pass_errno = why;
}

/*
 * If the group got no counters, and has not counted before in this pass, the pass fails. After any
 * other failure to count, only this sample is rejected.
 */
static void judge(struct sampling *sampling, enum perf_said said, struct sample *sample)
{
    if (said == PERF_NONE && !sampling->has_counted)
        fail_pass(sampling, 0);
    else if (said == PERF_SHARED || said == PERF_NONE)
        sample->evidence |= EVIDENCE_SHARED;
    else if (said == PERF_FAILED)
        sample->evidence |= EVIDENCE_REGISTER;
    else
        sampling->has_counted = true;
}

static enum outcome run_kernel(struct sampling *sampling, uint64_t n, uint64_t *raw,
                               enum perf_said *said)
{
    const struct child_task *task = sampling->task;
    struct child_report *report = sampling->report;
    const bool deltas = task->method == METHOD_DELTAS;
    struct perf_group *group = &sampling->group;
    bool any;

    *said = PERF_COUNTED;
    if (sampling->counts && !deltas)
        *said = perf_group_reset(group);
    report->windows++;
    space_prepare(n);
    report->windows++;
    if (!meet(task, false, &any))
        return RUN_NOT_MET;
    if (sampling->counts && deltas)
        *said = perf_group_locate(group, &linux_window);
    report->windows++;
    if (!sampling->counts || *said != PERF_COUNTED)
        window_bare();
    else if (deltas)
        window_deltas();
    else
        window_ioctl();
    report->windows++;
    sampling->changed = space_changed();
    if (sampling->changed)
        return RUN_CHANGED;
    if (!sampling->counts || *said != PERF_COUNTED)
        return RUN_DONE;
    *said = deltas ? perf_group_deltas(group, &linux_window, raw) : perf_group_read(group, raw);
    return RUN_DONE;
}

static uint64_t stamp(unsigned which)
{
    return linux_window.tsc[which][0] | (uint64_t)linux_window.tsc[which][1] << 32;
}

/* Fills in a sample except for its fields `pass`, `kind` and `attempt`. */
static enum outcome take_sample(struct sampling *sampling, uint64_t n, struct sample *sample)
{
    uint64_t before = switches();
    enum perf_said said;
    enum outcome outcome;

    *sample = (struct sample){.smis = SMIS_UNKNOWN};
    outcome = run_kernel(sampling, n, sample->raw, &said);
    sample->tsc = stamp(1) - stamp(0);
    if (switches() != before)
        sample->evidence |= EVIDENCE_SWITCHED;
    if (outcome == RUN_DONE && sampling->counts)
        judge(sampling, said, sample);
    return outcome;
}

static void keep(const struct sampling *sampling, const struct sample *sample)
{
    const struct child_task *task = sampling->task;
    struct child_report *report = sampling->report;
    const char *from = (const char *)sample;
    char *to = (char *)child_sample(report, task->stride_bytes, report->samples);

    for (uint32_t i = 0; i < task->stride_bytes; i++)
        to[i] = from[i];
    report->samples++;
}

/* A pass that keeps no samples goes on only if other CPUs run the kernel at the same time. */
static bool goes_on(const struct sampling *sampling)
{
    return sampling->keeps || sampling->task->barrier;
}

/* Takes samples of one kind. With a barrier, runs the kernel until no CPU needs further samples. */
static enum outcome take_samples(struct sampling *sampling, uint8_t kind, uint32_t runs)
{
    const struct child_task *task = sampling->task;
    const uint64_t n = kernel_n(task->use, kind == SAMPLE_2N);
    enum outcome outcome = RUN_DONE;
    uint32_t accepted = 0;
    struct sample sample;
    bool more, any;

    space_aim(kind == SAMPLE_2N);
    for (uint32_t i = 0; goes_on(sampling) && runs > 0 && outcome == RUN_DONE && i < task->warmup;
         i++)
        outcome = take_sample(sampling, n, &sample);
    for (uint32_t i = 0; outcome == RUN_DONE; i++) {
        more = sampling->keeps && accepted < runs && i < ATTEMPTS_MAX(runs) &&
               sampling->report->samples < task->samples_max;
        if (!meet(task, more, &any))
            return RUN_NOT_MET;
        if (!any)
            break;
        outcome = take_sample(sampling, n, &sample);
        sample.pass = (uint16_t)sampling->pass;
        sample.kind = kind;
        sample.attempt = (uint16_t)i;
        if (outcome != RUN_DONE || !more || !sampling->keeps)
            continue;
        keep(sampling, &sample);
        accepted += sample_is_clean(&sample, true);
    }
    return outcome;
}

static void open_pass(struct sampling *sampling, unsigned pass)
{
    const struct child_task *task = sampling->task;
    const bool deltas = task->method == METHOD_DELTAS;
    int why;

    sampling->pass = pass;
    sampling->keeps = pass < task->schedule->passes;
    sampling->is_open = sampling->counts = sampling->has_counted = false;
    if (!sampling->keeps || task->schedule->pass[pass].slots == 0)
        return;
    why = perf_group_open(&sampling->group, &task->schedule->pass[pass], task->event,
                          task->pmu_type, deltas);
    sampling->is_open = sampling->counts = why == 0;
    if (why == 0 && deltas && perf_group_enable(&sampling->group) != PERF_COUNTED)
        why = errno;
    if (why != 0)
        fail_pass(sampling, why);
    else
        linux_window.group = (uint64_t)sampling->group.fd[0];
}

static enum outcome measure_pass(struct sampling *sampling, unsigned pass)
{
    const struct child_task *task = sampling->task;
    enum outcome outcome;

    open_pass(sampling, pass);
    outcome = take_samples(sampling, SAMPLE_N, task->runs);
    if (outcome == RUN_DONE)
        outcome = take_samples(sampling, SAMPLE_2N, task->twice_runs);
    if (sampling->is_open)
        perf_group_close(&sampling->group);
    return outcome;
}

static void measure(const struct child_task *task)
{
    struct child_report *report = task->report;
    struct sampling sampling = {.task = task, .report = report};
    unsigned passes = task->barrier ? task->barrier->passes : task->schedule->passes;
    enum outcome outcome = RUN_DONE;
    bool any;

    report->status = space_load(task);
    if (report->status != STATUS_OK)
        return;
    if (!meet(task, true, &any)) /* no kernel may run before all buffers are cleared */
        outcome = RUN_NOT_MET;
    for (unsigned p = 0; p < passes && outcome == RUN_DONE; p++)
        outcome = measure_pass(&sampling, p);
    if (outcome == RUN_NOT_MET)
        report->status = task->barrier->seat[task->seat].status;
    if (outcome == RUN_CHANGED) {
        report->status = STATUS_CHANGED;
        report->changed = sampling.changed;
    }
}

void child_measure(const struct child_task *task)
{
    running = task;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the parent ends the run after this kernel */
    signal(SIGTERM, SIG_IGN);
    if (!catch_exceptions())
        task->report->status = STATUS_NO_MEMORY;
    else if (!host_pin(task->cpu))
        task->report->status = STATUS_START_FAILED;
    else
        measure(task);
    if (task->barrier) {
        barrier_leave(task->barrier, task->seat);
        barrier_stay(task->barrier);
    }
    task->report->done = 1;
    _exit(0);
}

enum status child_once(const struct child_task *task)
{
    enum status status = space_load(task);

    if (status != STATUS_OK)
        return status;
    space_prepare(task->use->n);
    window_bare();
    return STATUS_OK;
}
