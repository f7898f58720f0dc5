/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills in a CPU's record and tests its counters. */
#include "boot/run/describe.h"
#include "boot/measure/measure.h"
#include "boot/plan/skipped.h"

static uint32_t count_siblings(const struct cpus *cpus, unsigned number, uint32_t smt_shift)
{
    uint32_t siblings = 0;

    for (unsigned i = 0; i < cpus->count; i++)
        if (i != number &&
            cpus->cpu[i].apic_id >> smt_shift == cpus->cpu[number].apic_id >> smt_shift)
            siblings++;
    return siblings;
}

static void describe_silent(struct cpu_record *record, uint64_t apic_id, enum status status)
{
    record->caps = (struct cpu_caps){.x2apic_id = (uint32_t)apic_id};
    record->status = status;
}

enum status describe_cpu(const struct machine *machine, unsigned number, struct cpu_record *record,
                         struct machine_cpu *answers)
{
    const struct cpus *cpus = &machine->cpus;
    struct inspect_task task = {
        .context = &machine->contexts[number], .record = record, .answers = answers};
    enum status status;

    *record = (struct cpu_record){.cpu = number};
    status = cpus_run(cpus, number, inspect_cpu, &task, INSPECT_BOUND_US);
    if (status != STATUS_OK)
        describe_silent(record, cpus->cpu[number].apic_id, status);
    if (cpus->cpu[number].boot)
        record->flags |= CPU_IS_BOOT;
    record->siblings = count_siblings(cpus, number, record->caps.smt_shift);
    return status;
}

void describe_counters(const struct machine *machine, struct cpu_space *space,
                       struct cpu_record *record, struct counter_tests *tests)
{
    struct cpu_caps caps = record->caps;
    struct test_task task = {
        .context = &machine->contexts[record->cpu],
        .cpu = record,
        .space = space,
        .ticks_per_us = machine_ticks_per_us(machine),
        .caps = &caps,
        .tests = tests,
    };
    enum status status;

    *tests = (struct counter_tests){.cpu = record->cpu, .status = STATUS_NO_COUNTER};
    if (skipped_phase(PHASE_COUNTERS, record->cpu, record->flags & CPU_IS_BOOT)) {
        record->caps.gp_count = record->caps.fixed_map = 0;
        record->status = STATUS_SKIPPED_PHASE;
        return;
    }
    if ((caps.gp_count == 0 && caps.fixed_map == 0) || !space)
        return;
    status = cpus_run(&machine->cpus, record->cpu, check_counters, &task, INSPECT_BOUND_US);
    if (status != STATUS_OK) {
        *tests = (struct counter_tests){.cpu = record->cpu, .status = status};
        return;
    }
    record->caps = caps;
}
