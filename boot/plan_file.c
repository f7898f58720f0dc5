/* SPDX-License-Identifier: BSD-2-Clause */
/* From a plan file to a run: which kernels and CPUs, how long, how much. */
#include "boot/console.h"
#include "boot/measure.h"
#include "boot/run.h"
#include "pmu/text.h"

#define OVERHEAD_INSTRUCTIONS 2000u /* around a window, at the most (make bench) */
#define N_INSTRUCTIONS        8u    /* for each of n, on the large side */
#define START_CPU_US          12000u
#define STICK_BYTES_PER_US    2u /* a slow stick */
#define NOTES_OF_RUN          6u /* beside the plan's errors: what is not put back, the volume */
#define NOTES_OF_CPU          7u
#define ROW_BYTES             200u
#define RUN_JSON_BYTES        65536u
#define SAMPLE_LINE_BYTES     72u
#define RUN_SECONDS_MAX       600u /* of the default plan; then its runs are cut */
#define RUNS_MIN              10u

static const struct kernel_record *find_kernel(const struct session *session, const char *name)
{
    for (unsigned i = 0; i < session->kernels; i++)
        if (text_same(session->kernel[i]->name, name))
            return session->kernel[i];
    return 0;
}

static void choose_kernels(struct run *run)
{
    const struct session *session = run->session;
    struct plan *plan = &run->plan;

    run->kernels = 0;
    for (unsigned i = 0; i < plan->kernels; i++) {
        const struct kernel_record *kernel = find_kernel(session, plan->kernel[i]);

        if (kernel)
            run->kernel[run->kernels++] = kernel;
        else
            plan_complain(plan, plan->kernel_line[i],
                          "there is no kernel '%s'; 'kernels=all' runs and lists them all",
                          plan->kernel[i]);
    }
    if (run->kernels > 0)
        return;
    for (; run->kernels < session->kernels; run->kernels++)
        run->kernel[run->kernels] = session->kernel[run->kernels];
}

static void choose_cpus(struct run *run)
{
    const struct cpus *cpus = &run->session->cpus;

    run->cpus = 0;
    for (unsigned i = 0; !run->plan.all_cpus && !run->plan.boot_cpu_only && i < PLAN_CPUS_MAX; i++)
        if (plan_has_cpu(&run->plan, i, false) && (i >= cpus->count || !cpus->cpu[i].usable))
            plan_complain(&run->plan, run->plan.cpus_line, "cpus: there is no usable CPU %u here",
                          i);
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].usable && plan_has_cpu(&run->plan, i, cpus->cpu[i].boot))
            run->cpus++;
    if (run->cpus > 0)
        return;
    run->plan.boot_cpu_only = true;
    run->cpus = 1;
}

void run_plan_place(const struct run *run, const struct plan_error *error, struct out *out)
{
    out_printf(out, "\\%s:", run->plan_path);
    if (error->line)
        out_printf(out, "%u:", error->line);
}

unsigned run_units(const struct run *run)
{
    return run->cpus * run->kernels;
}

uint64_t run_n(const struct run *run, const struct kernel_record *kernel)
{
    return run->plan.n ? run->plan.n : kernel->default_n;
}

/* Samples of one kernel on one CPU, when nothing is rejected. */
static uint64_t expected_samples(const struct run *run)
{
    return run->schedule.passes * (run->plan.runs + (uint64_t)TWICE_RUNS);
}

static void estimate_bytes(struct run *run)
{
    const struct schedule *schedule = &run->schedule;
    uint64_t samples = expected_samples(run), units = run_units(run);
    uint64_t lines = schedule->pass[0].slots > 0 ? schedule->pass[0].slots : 1;
    uint32_t stride = measure_stride_bytes(schedule);

    run->needs.journal_bytes =
        JOURNAL_BYTES(sizeof(struct run_record)) + JOURNAL_BYTES(run->plan_bytes) +
        run->kernels * JOURNAL_BYTES(sizeof(struct known_kernel)) +
        run->cpus * (JOURNAL_BYTES(sizeof(struct cpu_record)) +
                     JOURNAL_BYTES(sizeof(struct counter_tests))) +
        units * JOURNAL_BYTES(sizeof(struct result) + samples * stride) +
        run->cpus * JOURNAL_BYTES(sizeof(struct result) +
                                  schedule->passes * CALIBRATION_RUNS * sizeof(struct sample)) +
        (PLAN_ERRORS_MAX + NOTES_OF_RUN + run->cpus * (uint64_t)NOTES_OF_CPU) *
            JOURNAL_BYTES(sizeof(struct note)) +
        JOURNAL_BYTES(sizeof(struct end_record));
    run->needs.spare_bytes =
        JOURNAL_BYTES(sizeof(struct result) +
                      (uint64_t)stride * measure_samples_max(schedule, run->plan.runs, TWICE_RUNS));
    run->needs.samples_bytes = units * samples * lines * SAMPLE_LINE_BYTES;
    run->needs.text_bytes = units * (EVENTS_COUNT + 1) * ROW_BYTES + RUN_JSON_BYTES;
    run->needs.values_max =
        ATTEMPTS_MAX(run->plan.runs > CALIBRATION_RUNS ? run->plan.runs : CALIBRATION_RUNS);
}

static void estimate_time(struct run *run)
{
    uint64_t windows = expected_samples(run) + run->schedule.passes * run->plan.warmup * 2ull;
    uint64_t instructions = 0;

    for (unsigned i = 0; i < run->kernels; i++)
        instructions += OVERHEAD_INSTRUCTIONS + N_INSTRUCTIONS * run_n(run, run->kernel[i]);
    run->expected_us = run->cpus * (windows * instructions / 1000 *
                                        run->session->picoseconds_per_instruction / 1000 +
                                    (uint64_t)START_CPU_US * (run->kernels + 3));
    if (run->session->has_files)
        run->expected_us +=
            (run->needs.journal_bytes + run->needs.samples_bytes) / STICK_BYTES_PER_US;
}

static void estimate(struct run *run)
{
    estimate_bytes(run);
    estimate_time(run);
}

/* A plan that says nothing of runs must not surprise with hours. */
static void cut_runs(struct run *run)
{
    uint64_t bound_us = RUN_SECONDS_MAX * 1000000ull;

    run->runs_asked = run->plan.runs;
    while (!run->plan.runs_given && run->expected_us > bound_us && run->plan.runs > RUNS_MIN) {
        run->plan.runs = run->plan.runs / 2 > RUNS_MIN ? run->plan.runs / 2 : RUNS_MIN;
        estimate(run);
    }
}

static void read_plan(struct run *run)
{
    int64_t size = -1;

    if (run->session->has_files)
        size = files_read(run->plan_path, run->plan_text, PLAN_FILE_BYTES_MAX);
    run->has_plan_file = size >= 0;
    run->plan_bytes = size > 0 ? (size_t)size : 0;
    if (run->has_plan_file)
        plan_parse(run->plan_text, run->plan_bytes, &run->plan);
    else
        plan_default(&run->plan);
    if (run->plan_bytes == PLAN_FILE_BYTES_MAX)
        plan_complain(&run->plan, 0, "only the first %u bytes of the file are read",
                      PLAN_FILE_BYTES_MAX);
}

void run_prepare(struct run *run)
{
    read_plan(run);
    choose_kernels(run);
    choose_cpus(run);
    schedule_make(&run->session->boot_caps, &run->schedule);
    estimate(run);
    cut_runs(run);
}
