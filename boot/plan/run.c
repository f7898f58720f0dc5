/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines which CPUs, kernels and results a run has on this machine. */
#include "boot/plan/run.h"
#include "boot/measure/measure.h"
#include "boot/plan/skipped.h"
#include "kernels/time.h"

bool run_plans_cpu(const struct run *run, unsigned number)
{
    const struct cpus *cpus = &run->machine->cpus;
    const unsigned shift = run->machine->boot_caps.smt_shift;
    const uint64_t core = cpus->cpu[number].apic_id >> shift;
    struct plan_cpu cpu = {
        .boot = cpus->cpu[number].boot,
        .boot_core = core == cpus->cpu[cpus->boot].apic_id >> shift,
        .first_of_core = true,
        .core_type = run->machine->core_type[number],
    };

    for (unsigned i = 0; i < number; i++)
        if (cpus->cpu[i].usable && cpus->cpu[i].apic_id >> shift == core)
            cpu.first_of_core = false;
    return plan_has_cpu(&run->plan, number, &cpu);
}

bool run_has_cpu(const struct run *run, unsigned number)
{
    return run->machine->cpus.cpu[number].usable && run_plans_cpu(run, number);
}

enum refused run_is_refused(const struct run *run)
{
    return plan_is_refused(&run->plan) ? REFUSED_STRICT
           : run->cpus == 0            ? REFUSED_NO_CPU
                                       : REFUSED_NOT;
}

enum status run_can(const struct run *run, const struct cpu_caps *caps, unsigned kernel)
{
    const struct kernel_record *record = run->kernel[kernel].record;
    uint32_t killed;

    if (!machine_supports(caps, record->cpu_features))
        return STATUS_CPU_FEATURE;
    if (skipped_kernels_has(record, &killed))
        return STATUS_SKIPPED_KERNEL;
    if (run_is_shared(run, kernel) && run->cpus < 2)
        return STATUS_ALONE;
    if (cpus_one_at_a_time() && (run->cpus > 1 || !run_has_cpu(run, run->machine->cpus.boot)) &&
        (run_is_shared(run, kernel) || run->plan.mode == MODE_PARALLEL))
        return STATUS_ONE_AT_A_TIME;
    return run->plan.cpl == 3 && record->flags & KERNEL_RING0 ? STATUS_KERNEL_RING0 : STATUS_OK;
}

void run_plan_place(const struct run *run, const struct plan_error *error, struct out *out)
{
    if (error->line == PLAN_ELSEWHERE)
        return;
    out_printf(out, "\\%s:", run->request->plan_path);
    if (error->line)
        out_printf(out, "%u:", error->line);
}

void run_left_out(const struct run *run, struct out *out)
{
    kernels_left_out(run->kernel, run->kernels, run->kernels_asked, run->asked_us,
                     run->plan.max_time_s, out);
}

bool run_is_shared(const struct run *run, unsigned kernel)
{
    return run->kernel[kernel].record->flags & (KERNEL_PAIR | KERNEL_CROWD);
}

bool run_has_shared(const struct run *run)
{
    unsigned k = 0;

    while (k < run->kernels && !run_is_shared(run, k))
        k++;
    return k < run->kernels;
}

unsigned run_units_of(const struct run *run, unsigned kernel)
{
    bool pairs = run->kernel[kernel].record->flags & KERNEL_PAIR && run->cpus > 1;

    return run->cpus * (pairs ? run->cpus - 1 : 1);
}

unsigned run_units(const struct run *run)
{
    unsigned units = 0;

    for (unsigned k = 0; k < run->kernels; k++)
        units += run_units_of(run, k);
    return units;
}

uint32_t run_twice_runs(const struct run *run)
{
    for (unsigned i = 0; i < run->kernels; i++)
        if (run->kernel[i].use.twice_entry && run->plan.runs > TWICE_RUNS)
            return run->plan.runs;
    return TWICE_RUNS;
}

bool run_has_foreign(const struct run *run)
{
    bool found = run->plan.codes > 0;

    for (unsigned i = 0; i < run->kernels; i++)
        found |= run->kernel[i].file[0] != 0;
    return found;
}
