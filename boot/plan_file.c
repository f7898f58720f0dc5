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
    for (unsigned i = 0; plan->kernels == 0 && i < session->kernels; i++)
        run->kernel[run->kernels++] = session->kernel[i];
}

static void choose_cpus(struct run *run)
{
    const struct cpus *cpus = &run->session->cpus;

    run->cpus = 0;
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].usable && plan_has_cpu(&run->plan, i, cpus->cpu[i].boot))
            run->cpus++;
    if (run->cpus > 0)
        return;
    plan_complain(&run->plan, 0, "no CPU of the plan is usable here; the boot CPU is measured");
    run->plan.boot_cpu_only = true;
    run->cpus = 1;
}

unsigned run_units(const struct run *run)
{
    return run->cpus * run->kernels;
}

uint64_t run_n(const struct run *run, const struct kernel_record *kernel)
{
    return run->plan.n ? run->plan.n : kernel->default_n;
}

/* From the number of runs to time and bytes, on the assumption that nothing is rejected. */
static void estimate(struct run *run)
{
    const struct plan *plan = &run->plan;
    uint64_t windows =
        run->schedule.passes * (plan->runs + TWICE_RUNS * 2ull + plan->warmup * 2ull);
    uint64_t samples = run->schedule.passes * (plan->runs + (uint64_t)TWICE_RUNS);
    uint64_t instructions = 0, lines = samples * run->schedule.pass[0].slots;

    for (unsigned i = 0; i < run->kernels; i++)
        instructions += OVERHEAD_INSTRUCTIONS + N_INSTRUCTIONS * run_n(run, run->kernel[i]);
    run->journal_bytes =
        JOURNAL_BYTES(sizeof(struct run_record)) + JOURNAL_BYTES(run->plan_bytes) +
        run->kernels * JOURNAL_BYTES(sizeof(struct known_kernel)) +
        run->cpus * JOURNAL_BYTES(sizeof(struct cpu_record)) +
        run_units(run) *
            JOURNAL_BYTES(sizeof(struct result) + samples * measure_stride_bytes(&run->schedule)) +
        run->cpus * JOURNAL_BYTES(sizeof(struct result) +
                                  run->schedule.passes * CALIBRATION_RUNS * sizeof(struct sample));
    run->samples_bytes = run_units(run) * (lines ? lines : samples) * SAMPLE_LINE_BYTES;
    run->expected_us = run->cpus * (windows * instructions / 1000 *
                                        run->session->picoseconds_per_instruction / 1000 +
                                    (uint64_t)START_CPU_US * (run->kernels + 2));
    if (run->session->has_files)
        run->expected_us += (run->journal_bytes + run->samples_bytes) / STICK_BYTES_PER_US;
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
