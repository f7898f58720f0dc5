/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts a CPU's part in a run. */
#include "boot/run/measured_cpu.h"
#include "boot/run/state.h"
#include "boot/run/describe.h"
#include "boot/run/guard.h"
#include "boot/run/machine_file.h"
#include "boot/run/notes.h"
#include "boot/run/quiet.h"
#include "boot/run/noise.h"
#include "boot/run/trusted.h"
#include "boot/run/uncore.h"
#include "boot/cpu/window.h"
#include "pmu/counters/spare.h"

#define CALIBRATION_N 1u

/* Appends the payload to the journal, and returns the copy there; null: no memory. */
static const void *keep(struct store *store, uint32_t type, const void *payload, size_t bytes)
{
    void *kept = store_reserve(store, bytes);

    return kept && store_append(store, type, payload, bytes) ? kept : 0;
}

struct asking {
    const struct run *run;
    struct measured_cpu *cpu;
};

static const struct uncore *find_uncore_of(void *context)
{
    const struct asking *asking = context;
    struct measured_cpu *cpu = asking->cpu;

    cpu->uncore = run_uncore_find(asking->run, cpu);
    return cpu->uncore ? &cpu->uncore->found : 0;
}

static bool put_reasons(struct store *store, const struct cpu_events *events)
{
    size_t bytes = cpu_events_reasons(events, 0);
    char *text = bytes > 0 ? store_reserve(store, bytes) : 0;

    if (text) {
        cpu_events_reasons(events, text);
        journal_commit(&store->journal, RECORD_REASONS, bytes);
    }
    return bytes == 0 || text;
}

static bool put_events(struct progress *p, struct measured_cpu *cpu,
                       const struct counter_tests *tests)
{
    const struct run *run = p->run;
    struct asking asking = {run, cpu};
    const struct cpu_events_port port = {
        .tables = &EVENT_FILES,
        .uncore = find_uncore_of,
        .context = &asking,
        .emulation = &run->machine->emulation,
        .takes_all_bits = !tests->alias_refused &&
                          pmu_takes_all_bits(&cpu->cpu->caps, cpu->cpu->perf_capabilities),
    };
    struct cpu_events *events = run->events;
    struct cpu_caps caps = cpu->has_spare ? spare_without(&cpu->cpu->caps) : cpu->cpu->caps;

    cpu_events_find(events, &port, &run->plan, &caps, cpu->cpu->status, 0);
    cpu->event =
        keep(run->store, RECORD_EVENTS, events->event, events->events * sizeof(struct event));
    if (!put_reasons(run->store, events))
        return false;
    cpu->schedule = keep(run->store, RECORD_SCHEDULE, events->schedule,
                         SCHEDULE_BYTES(events->schedule->passes));
    if (cpu->event && cpu->schedule)
        run_trust_take(p, cpu);
    if (cpu->event)
        zeros_expect(&p->zeros, cpu->event, events->group, events->events);
    return cpu->event && cpu->schedule;
}

/* A CPU that does not answer is not tested, because its counters are unknown. */
static enum status describe(struct progress *p, struct measured_cpu *cpu, unsigned number)
{
    const struct run *run = p->run;
    static struct cpu_record record;
    struct counter_tests tests;
    struct cpu_space *space;
    enum status status;

    store_phase(run->store, PHASE_START, number, number == run->machine->cpus.boot);
    status = describe_cpu(run->machine, number, &record, run_machine_answers());
    if (status == STATUS_OK)
        run_machine_file_cpu(run, number);
    quiet_describe(run, &record);
    space = run_space(run, p->spaces++);
    store_phase(run->store, PHASE_COUNTERS, number, number == run->machine->cpus.boot);
    describe_counters(run->machine, space, &record, &tests);
    *cpu = (struct measured_cpu){
        .cpu = keep(run->store, RECORD_CPU, &record, sizeof(record)),
        .space = space,
        .has_spare = run->machine->cpus.cpu[number].boot && guard_wants_counter(run) &&
                     spare_can(&record.caps, record.perf_capabilities),
        .partner = CPU_NONE,
        .left_open = tests.status == STATUS_TIMEOUT,
        .unanswered = is_silent(status) || is_silent(tests.status) ? UNANSWERED_MAX : 0,
    };
    if (!cpu->cpu)
        return STATUS_NO_MEMORY;
    if (measured_cpu_is_lost(cpu))
        run->machine->given_up[number] = true;
    if (!put_events(p, cpu, &tests))
        return STATUS_NO_MEMORY;
    run_uncore_test(p, cpu);
    if (tests.status != STATUS_NO_COUNTER)
        store_append(run->store, RECORD_TEST, &tests, sizeof(tests));
    progress_catch_up(p);
    if (record.status != STATUS_OK)
        note_cpu(run->store, number, is_silent(record.status) ? "" : ", counters", record.status);
    if (status == STATUS_TIMEOUT)
        measured_cpu_note_lost(p, cpu, "at the start");
    note_registers(run->store, &record);
    note_tests(run->store, &tests);
    if (tests.status == STATUS_MACHINE_CHECK)
        measured_cpu_note_check(p, number, "test of the counters");
    quiet_note(run, &record);
    if (cpu->has_spare)
        store_note(run->store, NOTE_REMARK,
                   "CPU %u: pmc%u is reserved for ending kernels that hang", number,
                   spare_counter(&record.caps));
    return status;
}

static void calibrate(struct progress *p, struct measured_cpu *cpu)
{
    const struct kernel_use use = {.code = window_empty,
                                   .code_bytes = (uint64_t)(window_kernels_end - window_empty),
                                   .entry = window_empty,
                                   .twice_entry = window_twice,
                                   .n = CALIBRATION_N};
    struct measure_task task = {
        .method = p->run->plan.method,
        .overflow_after = p->run->plan.overflow_after,
        .kernel = {.use = &use},
        .runs = CALIBRATION_RUNS,
        .twice_runs = CALIBRATION_TWICE_RUNS,
        .warmup = p->run->plan.warmup,
    };

    store_phase(p->run->store, PHASE_CALIBRATION, cpu->cpu->cpu, cpu->cpu->flags & CPU_IS_BOOT);
    measured_cpu_task(p, cpu, &task, KERNEL_CALIBRATION, "calibration");
    if (cpu->unanswered > 0)
        cpu->unanswered = UNANSWERED_MAX; /* its counts cannot be trusted */
    report_calibration(&p->report, &p->view);
}

bool measured_cpu_start(struct progress *p, struct measured_cpu *cpu, unsigned number)
{
    const struct run *run = p->run;

    run->machine->contexts[number].pending = 0;
    quiet_park(p, number);
    if (describe(p, cpu, number) == STATUS_NO_MEMORY) {
        store_note(run->store, NOTE_ERROR, "CPU %u: %s", number, status_text(STATUS_NO_MEMORY));
        p->tally.lost += run->kernels;
        return false;
    }
    if (!p->stopped)
        cpu_state_set(p, cpu);
    progress_cpu_start(p);
    run_noise(p, cpu, NOISE_BEFORE);
    if (!p->stopped)
        calibrate(p, cpu);
    return true;
}
