/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a plan file into a run: its kernels and CPUs, its time and the size of its results. */
#include "boot/run/run.h"
#include "boot/efi/bus_masters.h"
#include "boot/efi/early_notes.h"
#include "boot/efi/firmware.h"
#include "boot/plan/skipped.h"
#include "boot/run/guard.h"
#include "boot/measure/measure.h"
#include "boot/run/quiet.h"
#include "boot/run/noise.h"
#include "boot/run/uncore.h"
#include "kernels/time.h"
#include "pmu/files/trusted.h"
#include "pmu/counters/spare.h"
#include "pmu/base/text.h"

#define START_CPU_US       12000u
#define GIVE_TASK_US       500u       /* for giving a task to a CPU in its deepest sleep state */
#define TASKS_OF_CPU       5u         /* tasks other than kernels */
#define STICK_BYTES_PER_US 2u         /* of a slow stick */
#define NOTES_OF_RUN       11u        /* other than plan errors */
#define NOTES_OF_GROUPS(n) ((n) + 1u) /* one for each of n groups, and for the built-in group */
#define NOTES_OF_MASTER    2u         /* for each device */
#define NOTES_OF_CPU       20u
#define PHASES_OF_CPU      (PHASES + 1ull + UNCORE_KINDS + STATE_SETTINGS) /* noise comes twice */
#define PHASES_OF_RUN      3u /* parking, waking, and PHASE_NONE */
#define ROW_BYTES          280u
#define RUN_JSON_BYTES     65536u
#define CERTIFICATE_BYTES  1024u  /* in run.json */
#define SUM_BYTES          512u   /* in run.json */
#define SAMPLE_LINE_BYTES  128u   /* 110 on the model machine */
#define SUMMARY_BYTES      16384u /* of summary.txt; summary.html may be twice as large */
#define SUMMARY_LINE_BYTES 200u   /* a kernel or event has one line, a CPU two */
#define TRUST_LINE_BYTES   200u   /* of trust.csv or the remembered map */
#define MACHINE_BYTES      65536u /* of machine.txt with its first CPU */
#define MACHINE_CPU_BYTES  1024u  /* for each further CPU */
#define MADT_CPU_BYTES     128u   /* for each CPU in MADT and SRAT */

/* Upper bounds for the time of a window, as measured by `make bench`. */
static const struct window_time OF_CORES = {3500, 8, 500};
/*
 * On the model machine, an access to a PMU register costs as much as thousands of instructions.
 * While a CPU is "in detail" (tests/machine/README.md, "What is counted"), its instructions cost
 * many times as much as otherwise. The factor is assumed to be 200 / 8 = 25.
 */
static const struct window_time OF_EMULATION = {28000, 200, 500};

/* Whether the plan names a CPU that is left out because the machine stopped on it. */
static bool has_left_out(const struct run *run)
{
    const struct cpus *cpus = &run->machine->cpus;
    bool has = false;

    for (unsigned i = 0; i < cpus->count; i++)
        has |= cpus->cpu[i].lack == CPU_STOPPED && run_plans_cpu(run, i);
    return has;
}

static void choose_cpus(struct run *run)
{
    const struct cpus *cpus = &run->machine->cpus;
    struct plan *plan = &run->plan;

    run->cpus = 0;
    if (plan->cpus == CPUS_PERFORMANCE || plan->cpus == CPUS_EFFICIENCY)
        machine_find_core_types(run->machine);
    for (unsigned i = 0; plan->cpus == CPUS_LISTED && i < PLAN_CPUS_MAX; i++)
        if (plan->listed[i / 8] >> i % 8 & 1 && (i >= cpus->count || !cpus->cpu[i].usable))
            plan_add_error(plan, plan->cpus_line, "cpus: there is no usable CPU %u here", i);
    for (unsigned i = 0; i < cpus->count; i++)
        run->cpus += run_has_cpu(run, i);
    if (run->cpus > 0 || has_left_out(run))
        return;
    if (plan->cpus != CPUS_LISTED)
        plan_add_error(plan, plan->cpus_line, "cpus: no usable CPU here is of the requested kind");
    plan->cpus = CPUS_BOOT;
    run->cpus = 1;
}

/* Samples of one kernel on one CPU, if no sample is rejected. */
static uint64_t expected_samples(const struct run *run)
{
    return run->events->schedule->passes * (run->plan.runs + (uint64_t)run_twice_runs(run));
}

static uint64_t machine_bytes(const struct run *run)
{
    return run->plan.results.machine ? MACHINE_BYTES + run->cpus * (uint64_t)MACHINE_CPU_BYTES +
                                           run->machine->cpus.count * (uint64_t)MADT_CPU_BYTES
                                     : 0;
}

/* A summary lists the kernels of one CPU of each kind. */
static uint64_t summary_bytes(const struct run *run)
{
    uint64_t lines = run->kernels + run->events->events + 2ull * run->cpus;
    uint64_t trust = run->plan.each_counter ? run->cpus * (uint64_t)run->events->events : 0;
    uint64_t text =
        SUMMARY_BYTES + lines * SUMMARY_LINE_BYTES + (uint64_t)run->plan.errors_kept * NOTE_BYTES;

    return text + (2 * text < SUMMARY_BYTES_MAX ? 2 * text : SUMMARY_BYTES_MAX) +
           machine_bytes(run) + 2 * trust * TRUST_LINE_BYTES;
}

static void estimate_bytes(struct run *run)
{
    const struct schedule *schedule = run->events->schedule;
    uint64_t samples = expected_samples(run), units = run_units(run);
    uint32_t stride = measure_stride_bytes(schedule);
    uint64_t lines = stride > SAMPLE_BYTES(0) ? (stride - SAMPLE_BYTES(0)) / sizeof(uint64_t) : 1;
    uint64_t certificates = run->plan.noise_ms > 0 ? 2ull * run->cpus : 0;
    uint64_t notes =
        run->plan.errors_kept + NOTES_OF_RUN + NOTES_OF_GROUPS(run->plan.groups) + early_notes() +
        run->cpus * (uint64_t)NOTES_OF_CPU +
        (run->plan.state.bus_masters_off ? BUS_MASTERS_MAX * (uint64_t)NOTES_OF_MASTER : 0);

    run->needs.journal_bytes =
        JOURNAL_BYTES(sizeof(struct run_record)) + JOURNAL_BYTES(run->plan_bytes) +
        run->kernels * JOURNAL_BYTES(sizeof(struct known_kernel)) +
        (run->kernels_asked - run->kernels) * JOURNAL_BYTES(sizeof(struct left_out)) +
        run->cpus * (JOURNAL_BYTES(sizeof(struct cpu_record)) +
                     JOURNAL_BYTES(run->events->events * sizeof(struct event)) +
                     JOURNAL_BYTES(cpu_events_reasons(run->events, 0)) +
                     JOURNAL_BYTES(SCHEDULE_BYTES(schedule->passes)) +
                     JOURNAL_BYTES(sizeof(struct counter_tests)) +
                     JOURNAL_BYTES(sizeof(struct uncore_record)) +
                     JOURNAL_BYTES(run->events->events * (uint64_t)TRUSTED_LINE_BYTES) +
                     JOURNAL_BYTES(sizeof(struct cpu_state))) +
        units * (JOURNAL_BYTES(sizeof(struct result) + samples * stride) +
                 JOURNAL_BYTES(sizeof(struct next)) + 2 * JOURNAL_BYTES(sizeof(struct again))) +
        run->cpus * JOURNAL_BYTES(sizeof(struct result) +
                                  schedule->passes * (CALIBRATION_RUNS + CALIBRATION_TWICE_RUNS) *
                                      sizeof(struct sample)) +
        certificates * JOURNAL_BYTES(sizeof(struct noise)) +
        (run->cpus * PHASES_OF_CPU + PHASES_OF_RUN) * JOURNAL_BYTES(sizeof(struct phase)) +
        notes * JOURNAL_BYTES(sizeof(struct note)) + JOURNAL_BYTES(sizeof(struct end_record)) +
        machine_bytes(run);
    run->needs.spare_bytes = JOURNAL_BYTES(
        sizeof(struct result) +
        (uint64_t)stride * measure_samples_max(schedule, run->plan.runs, run_twice_runs(run)));
    run->needs.samples_bytes = units * samples * lines * SAMPLE_LINE_BYTES;
    run->needs.text_bytes = units * (run->events->events + 1) * ROW_BYTES + RUN_JSON_BYTES +
                            certificates * CERTIFICATE_BYTES + run->events->events * SUM_BYTES +
                            (uint64_t)run->plan.errors_kept * NOTE_BYTES;
    run->needs.summary_bytes = summary_bytes(run);
    run->needs.values_max =
        ATTEMPTS_MAX(run->plan.runs > CALIBRATION_RUNS ? run->plan.runs : CALIBRATION_RUNS);
}

static uint64_t task_us(const struct run *run)
{
    return quiet_parks(run) ? GIVE_TASK_US : START_CPU_US;
}

/* Includes the time to give the CPUs their tasks. */
static uint64_t kernel_us(const struct run *run, unsigned index, uint64_t windows)
{
    const uint64_t units = run_units_of(run, index);
    bool shared = run_is_shared(run, index), parallel = run->plan.mode == MODE_PARALLEL;
    bool pairs = run->kernel[index].record->flags & KERNEL_PAIR;
    uint64_t turns = shared ? (pairs ? (units + 1) / 2 : units) : parallel ? 1 : units;
    uint64_t starts = shared && !pairs ? units * run->cpus : units;
    const struct window_time *time = run->machine->emulation.emulated ? &OF_EMULATION : &OF_CORES;

    return turns * kernel_time_us(&run->kernel[index], time, windows, shared,
                                  run->machine->picoseconds_per_instruction) +
           starts * task_us(run);
}

static void estimate_time(struct run *run)
{
    uint64_t windows =
        expected_samples(run) + run->events->schedule->passes * run->plan.warmup * 2ull;

    run->expected_us = run->cpus * task_us(run) * TASKS_OF_CPU + run_noise_us(run) + quiet_us(run);
    for (unsigned i = 0; i < run->kernels; i++)
        run->expected_us += kernel_us(run, i, windows);
    if (run->machine->has_files)
        run->expected_us += store_needs_bytes(&run->needs) / STICK_BYTES_PER_US;
}

static uint64_t run_us(void *context, unsigned kernels)
{
    struct run *run = context;

    run->kernels = kernels;
    estimate_bytes(run);
    estimate_time(run);
    return run->expected_us;
}

static void fit(struct run *run)
{
    run->runs_asked = run->plan.runs;
    run_us(run, time_fit(&run->plan, run->kernels, run_noise_us(run), run_us, run, &run->asked_us));
}

static void choose_kernels(struct run *run)
{
    struct kernel_offer *offer = &run->offer;

    offer->kernel = run->machine->kernel;
    offer->file = run->machine->kernel_file;
    offer->kernels = run->machine->kernels;
    chosen_make_codes(offer, &run->plan, firmware_plan_memory);
    run->kernels = chosen_find(offer, &run->plan, run->kernel);
}

/*
 * Before a run no uncore register is accessed, because no journal can record the access. Other
 * requests, such as a list of events, access the registers.
 */
static const struct uncore *boot_uncore(void *context)
{
    static struct uncore promised;
    const struct run *run = context;

    if (run->request->arguments.action != ACTION_RUN)
        return run_uncore_peek(run->machine);
    uncore_of_model(&run->machine->boot_caps, &promised);
    return &promised;
}

static void find_events(struct run *run)
{
    const struct cpu_events_port port = {
        .tables = &EVENT_FILES,
        .uncore = boot_uncore,
        .context = run,
        .emulation = &run->machine->emulation,
        .takes_all_bits = true, /* not known yet; if it is false, fewer events are counted */
    };
    struct cpu_caps caps = run->machine->boot_caps;

    if (caps_general_count(&caps) > 1 && guard_wants_counter(run))
        caps = spare_without(&caps);
    cpu_events_find(run->events, &port, &run->plan, &caps, STATUS_OK, &run->plan);
}

static void read_plan(struct run *run)
{
    if (!run->machine->cpu_lost) /* a lost CPU may still run a kernel */
        firmware_plan_memory_free();
    run_read_plan(run);
    plan_choose_cpl(&run->plan);
    choose_kernels(run);
}

void run_prepare(struct run *run)
{
    read_plan(run);
    skipped_cpus_leave_out(&run->machine->cpus);
    choose_cpus(run);
    run_take_buffers(run);
    run->kernels_asked = run->kernels;
    run_take_spaces(run);
    find_events(run);
    fit(run);
}
