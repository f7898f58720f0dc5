/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a run, from its first record to its last. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmu/base/text.h"
#include "scripts/lib/render_files.h"
#include "scripts/linux/perf.h"
#include "scripts/linux/screen.h"
#include "scripts/linux/run.h"
#include "scripts/linux/sysfs.h"
#include "scripts/linux/together.h"
#include "scripts/linux/window.h"

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
    struct run_record record;
    const struct plan *plan = &run->plan;

    run_describe(run, &record);
    record.schema = RECORD_SCHEMA;
    record.number = run->number;
    text_copy(record.label, sizeof(record.label), plan->label);
    host_time(record.started);
    record.warmup = plan->warmup;
    record.kernel_ring = RING_USR;
    record.method = plan->method;
    record.parallel = plan->mode == MODE_PARALLEL;
    record.plan_errors = plan->errors;
    record.plan_flags = RUN_PLAN_KNOWN | (plan->strict ? RUN_PLAN_STRICT : 0);
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
    struct left_out left_out;

    for (unsigned i = 0; i < run->kernels; i++) {
        chosen_describe(&run->kernel[i], &known);
        run_append(run, RECORD_KERNEL, &known, sizeof(known));
    }
    for (unsigned i = run->kernels; i < run->kernels_asked; i++) {
        chosen_leave_out(&run->kernel[i], &left_out);
        run_append(run, RECORD_LEFT_OUT, &left_out, sizeof(left_out));
    }
}

static void put_notes(struct linux_run *run)
{
    const struct plan *plan = &run->plan;
    char place[PLACE_BYTES];

    for (unsigned i = 0; i < plan->errors_kept; i++)
        run_note(run, NOTE_ERROR, "%s%s", run_place(run, &plan->error[i], place),
                 plan->error[i].text);
    for (unsigned i = 0; i < early_error_count; i++)
        run_note(run, NOTE_ERROR, "%s", early_errors[i]);
}

static void put_remarks(struct linux_run *run)
{
    const struct plan *plan = &run->plan;
    const struct plan_state *state = &plan->state;
    char text[NOTE_BYTES];
    struct out left_out = out_buffer(text, sizeof(text));
    const struct {
        bool is_set;
        const char *what;
    } NOT_DONE[] = {
        {state->turbo != SWITCH_KEEP, "turbo="},
        {state->prefetch != SWITCH_KEEP, "prefetch="},
        {state->ratio != PLAN_RATIO_KEEP, "ratio="},
        {state->lock_speculation != SWITCH_KEEP, "lock_speculation="},
        {state->lfence_serializes != SWITCH_KEEP, "lfence_serializes="},
        {state->park == PARK_MWAIT, "park=mwait"},
        {state->bus_masters_off, "bus_masters=off"},
        {plan->before.count + plan->after.count > 0, "[msr before] and [msr after]"},
        {plan->overflow_after > 0, "overflow_after="},
        {run->counters_asked, "counters="},
        {plan->results.server[0] != 0, "[results] server="},
        {plan->results.frames == FRAMES_ALWAYS, "[results] frames=always"},
        {plan->results.check, "[results] check=yes"},
        {plan->results.machine, "[results] machine=yes"},
    };

    for (unsigned i = 0; i < sizeof(NOT_DONE) / sizeof(NOT_DONE[0]); i++)
        if (NOT_DONE[i].is_set)
            run_note(run, NOTE_REMARK, "barecount-linux ignores the plan's %s", NOT_DONE[i].what);
    if (run->kernels < run->kernels_asked) {
        run_left_out(run, &left_out);
        run_note(run, NOTE_REMARK, "%s", out_end(&left_out));
    }
    if (run->host->machine.linux_host.nmi_watchdog)
        run_note(run, NOTE_REMARK,
                 "the NMI watchdog uses a counter of each CPU, so passes have one general counter "
                 "fewer; sysctl kernel.nmi_watchdog=0 frees it");
}

static void measure_one(struct linux_run *run, struct run_cpu *cpu, unsigned index)
{
    const struct next next = {.cpu = cpu->record.cpu, .kernel = index, .partner = CPU_NONE};
    const struct chosen_kernel *kernel = &run->kernel[index];
    enum status can = run_can(cpu, kernel);
    struct child_task task;
    uint64_t started_us;

    if (can != STATUS_OK) {
        run_leave_out(run, cpu->record.cpu, index, can, CPU_NONE);
        run_catch_up(run);
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

static bool is_shared(const struct linux_run *run, unsigned index)
{
    return run->kernel[index].record->flags & (KERNEL_PAIR | KERNEL_CROWD);
}

static void measure_alone(struct linux_run *run, struct run_cpu *cpu)
{
    for (unsigned k = 0; k < run->kernels && !*run->stopped; k++)
        if (!is_shared(run, k))
            measure_one(run, cpu, k);
}

/* Call it after all CPUs have started, since their records must precede the results. */
static bool measure_together(struct linux_run *run)
{
    const bool parallel = run->plan.mode == MODE_PARALLEL;

    if (!together_start(run))
        return false;
    for (unsigned k = 0; parallel && k < run->kernels && !*run->stopped; k++)
        if (!is_shared(run, k))
            together_run(run, k);
    for (unsigned k = 0; k < run->kernels && !*run->stopped; k++)
        if (is_shared(run, k))
            together_run_shared(run, k);
    return true;
}

/* False if a CPU could not be started, or there was no memory. */
static bool measure_all(struct linux_run *run)
{
    bool together = run->plan.mode == MODE_PARALLEL, done = true;
    unsigned at = 0;

    for (unsigned k = 0; k < run->kernels; k++)
        together |= is_shared(run, k);
    for (unsigned i = 0; i < PLAN_CPUS_MAX && done && !*run->stopped; i++) {
        if (!run->measured[i])
            continue;
        done = run_cpu_start(run, &run->cpu[at], i);
        if (done && run->plan.mode == MODE_SERIAL)
            measure_alone(run, &run->cpu[at]);
        if (done && !together)
            run_cpu_end(run, &run->cpu[at]);
        at += done;
    }
    if (!together || !done)
        return done;
    done = *run->stopped || measure_together(run);
    for (unsigned i = at; i-- > 0;)
        run_cpu_end(run, &run->cpu[i]);
    return done;
}

/* Tracks events that stay 0, except on an emulator that says which events it counts. */
static void start_zeros(struct linux_run *run)
{
    const unsigned room = zeros_room(&run->plan);

    zeros_start(&run->zeros,
                run->host->emulation.rules ? NULL : files_memory(room * sizeof(struct zero_event)),
                room);
}

static void note_zeros(struct linux_run *run)
{
    for (unsigned group = 0; !*run->stopped && group <= GROUP_BUILT_IN; group++) {
        char text[NOTE_BYTES];
        struct out out = out_buffer(text, sizeof(text));

        if (zeros_say(&run->zeros, &run->plan, group, &out))
            run_note(run, NOTE_REMARK, "%s", out_end(&out));
    }
}

static void put_end(struct linux_run *run)
{
    const struct end_record end = {
        .elapsed_us = host_us() - run->started_us,
        .memory_bytes = run->journal.used,
        .stopped = *run->stopped != 0,
    };

    run->elapsed_us = end.elapsed_us;
    note_zeros(run);
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
    run->tally =
        (struct tally){.plan_errors = run->plan.errors,
                       .refused = plan_is_refused(&run->plan) ? REFUSED_STRICT : REFUSED_NOT};
    run->cpu = files_memory(run->cpus * sizeof(*run->cpu));
    if (!run->cpu || !cpu_events_start(&run->events, files_memory) || !run_make_journal(run))
        return REFUSE("there is no memory for the run's records\n");
    report_start(&run->report, screen_out(), run->cpus);
    start_zeros(run);
    put_run(run);
    put_kernels(run);
    put_notes(run);
    put_remarks(run);
    run_catch_up(run);
    host_stay_off(run->host, run->measured);
    if (!plan_is_refused(&run->plan) && !measure_all(run)) {
        fprintf(stderr, "barecount-linux: a child could not be started: %s\n", strerror(errno));
        run->tally.lost++;
    }
    put_end(run);
    return true;
}
