/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a plan file into a run: chooses kernels and CPUs, and fits the run into max_time=. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernels/time.h"
#include "pmu/base/text.h"
#include "pmu/plan/signed.h"
#include "scripts/linux/perf.h"
#include "scripts/linux/run.h"

static bool read_plan(struct linux_run *run, const char *path)
{
    struct piece file;

    run->plan_path = path;
    if (!path) {
        plan_default(&run->plan, files_memory);
        return true;
    }
    file.at = files_read(path, PLAN_SIGNED_BYTES_MAX, &file.size);
    if (!file.at)
        return REFUSE("--plan %s: %s\n", path, strerror(errno));
    file = plan_parse_file(file, &run->plan, files_memory);
    run->plan_text = file.at;
    run->plan_bytes = file.size;
    return true;
}

const char *run_place(const struct linux_run *run, const struct plan_error *error,
                      char text[PLACE_BYTES])
{
    text[0] = '\0';
    if (error->line != PLAN_ELSEWHERE && error->line != 0 && run->plan_path)
        snprintf(text, PLACE_BYTES, "%.4000s:%u: ", run->plan_path, error->line);
    return text;
}

void run_describe(const struct linux_run *run, struct run_record *record)
{
    *record = run->host->machine;
    record->source = SOURCE_LINUX;
    text_copy(record->version, sizeof(record->version), BARECOUNT_VERSION);
    text_copy(record->plan_name, sizeof(record->plan_name), run->plan_path ? run->plan_path : "");
    record->cpus_planned = run->cpus;
    record->kernels = run->kernels;
    record->runs = run->plan.runs;
    record->runs_asked = run->runs_asked;
    record->max_time_s = run->plan.max_time_s;
}

static bool has_cpu(struct linux_run *run, unsigned cpu)
{
    struct plan *plan = &run->plan;
    const char *trouble = host_cpu_trouble(run->host, cpu);
    struct plan_cpu is;

    if (!trouble) {
        is = host_plan_cpu(run->host, cpu);
        return plan_has_cpu(plan, cpu, &is);
    }
    if (plan->cpus == CPUS_LISTED && plan->listed[cpu / 8] >> cpu % 8 & 1)
        plan_add_error(plan, plan->cpus_line, "cpus: CPU %u %s", cpu, trouble);
    return false;
}

static bool choose_cpus(struct linux_run *run)
{
    struct plan *plan = &run->plan;
    const struct host *host = run->host;
    char place[PLACE_BYTES];

    run->cpus = 0;
    for (unsigned i = 0; i < PLAN_CPUS_MAX; i++) {
        run->measured[i] = has_cpu(run, i);
        run->cpus += run->measured[i];
    }
    if (run->cpus > 0)
        return true;
    fprintf(stderr, "barecount-linux: no CPU here can be measured as the plan asks\n");
    for (unsigned i = 0; i < plan->errors_kept; i++)
        fprintf(stderr, "  %s%s\n", run_place(run, &plan->error[i], place), plan->error[i].text);
    if (plan->cpus == CPUS_BOOT)
        fprintf(stderr, "  cpus=boot is CPU 0, which %s\n", host_cpu_trouble(host, 0));
    return false;
}

static void choose_rings(struct plan *plan)
{
    if (!plan->rings_given)
        plan->rings = RING_USR;
}

bool run_read(struct linux_run *run, const char *path, const char *cpus)
{
    if (!read_plan(run, path))
        return false;
    if (cpus)
        plan_override(&run->plan, cpus);
    chosen_make_codes(&run->offer, &run->plan, files_memory);
    run->kernels = run->kernels_asked = chosen_find(&run->offer, &run->plan, run->kernel);
    return true;
}

bool run_prepare(struct linux_run *run, const char *path, const char *cpus)
{
    if (!run_read(run, path, cpus))
        return false;
    choose_rings(&run->plan);
    run->counters_asked = run->plan.each_counter;
    run->plan.each_counter = false;
    return choose_cpus(run);
}

#define US_PER_MS    1000ull
#define START_US     50000u /* time per CPU, to find its events and measure the empty window */
#define CHILD_US     10000u /* time per kernel and CPU, to make a process, a stack and a buffer */
#define CERTIFICATES 2u     /* noise measurements per CPU */

/* Times of a window, including the system calls that enable, disable and read the counters. */
static const struct window_time OF_LINUX = {20000, 8, 500};
/* Times of a window on an emulator; see boot/run/prepare.c. */
static const struct window_time OF_EMULATED_LINUX = {300000, 200, 500};

/* How many times a kernel is measured. CPUs that measure it at the same time count as one time. */
static uint64_t turns(const struct linux_run *run, const struct kernel_record *record)
{
    if (record->flags & KERNEL_PAIR)
        return run->cpus * (run->cpus - 1ull) / 2;
    return record->flags & KERNEL_CROWD || run->plan.mode == MODE_SERIAL ? run->cpus : 1;
}

static uint64_t noise_us(const struct linux_run *run)
{
    return US_PER_MS * CERTIFICATES * run->plan.noise_ms * run->cpus;
}

static uint64_t run_us(void *context, unsigned kernels)
{
    const struct linux_run *run = context;
    const struct plan *plan = &run->plan;
    const struct window_time *time = run->host->emulation.emulated ? &OF_EMULATED_LINUX : &OF_LINUX;
    uint64_t us = run->cpus * (uint64_t)START_US + noise_us(run);

    for (unsigned i = 0; i < kernels; i++) {
        const struct chosen_kernel *kernel = &run->kernel[i];
        bool shared = kernel->record->flags & (KERNEL_PAIR | KERNEL_CROWD);
        uint64_t twice = kernel->use.twice_entry ? plan->runs : TWICE_RUNS;
        uint64_t windows =
            run->events.schedule->passes * (plan->runs + twice + 2ull * plan->warmup);

        us += turns(run, kernel->record) *
              (CHILD_US + kernel_time_us(kernel, time, windows, shared,
                                         run->host->picoseconds_per_instruction));
    }
    return us;
}

void run_fit(struct linux_run *run)
{
    run->runs_asked = run->plan.runs;
    run->kernels = time_fit(&run->plan, run->kernels, noise_us(run), run_us, run, &run->asked_us);
    run->expected_us = run_us(run, run->kernels);
}

void run_left_out(const struct linux_run *run, struct out *out)
{
    kernels_left_out(run->kernel, run->kernels, run->kernels_asked, run->asked_us,
                     run->plan.max_time_s, out);
}
