/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the CPU that counts for a package, and tests the package's counters. */
#include "boot/efi/firmware.h"
#include "boot/plan/skipped.h"
#include "boot/run/machine_file.h"
#include "boot/run/notes.h"
#include "boot/run/uncore.h"

struct known_uncore {
    struct known_uncore *next;
    uint32_t package; /* cpu_caps.package */
    bool has_cpu;     /* a CPU counts for this package */
    struct cpu_uncore counted;
};

void run_uncore_start(struct machine *machine)
{
    for (struct known_uncore *uncore = machine->packages; uncore; uncore = uncore->next)
        uncore->has_cpu = false;
}

/* Null: no memory. */
static struct known_uncore *uncore_of(struct machine *machine, const struct cpu_caps *caps)
{
    struct known_uncore *uncore = machine->packages;

    while (uncore && uncore->package != caps->package)
        uncore = uncore->next;
    if (uncore)
        return uncore;
    uncore = firmware_memory(sizeof(*uncore));
    if (!uncore)
        return 0;
    uncore->package = caps->package;
    uncore->next = machine->packages;
    machine->packages = uncore;
    uncore_access_start(&uncore->counted.access, firmware_mcfg(), firmware_memory_map());
    return uncore;
}

static struct uncore_task task_of(const struct machine *machine, unsigned cpu,
                                  const struct cpu_caps *caps, struct cpu_uncore *uncore)
{
    return (struct uncore_task){.context = &machine->contexts[cpu],
                                .caps = caps,
                                .uncore = uncore,
                                .ticks_per_us = machine_ticks_per_us(machine)};
}

static enum status find(const struct machine *machine, unsigned cpu, const struct cpu_caps *caps,
                        struct cpu_uncore *uncore, struct machine_reads *reads)
{
    struct uncore_task task = task_of(machine, cpu, caps, uncore);

    task.reads = reads;
    return cpus_run(&machine->cpus, cpu, find_uncore, &task, INSPECT_BOUND_US);
}

const struct uncore *run_uncore_peek(struct machine *machine)
{
    struct known_uncore *uncore = uncore_of(machine, &machine->boot_caps);

    if (!uncore ||
        find(machine, machine->cpus.boot, &machine->boot_caps, &uncore->counted, 0) != STATUS_OK)
        return 0;
    return &uncore->counted.found;
}

static void leave_out_kinds(struct uncore *uncore)
{
    for (uint32_t i = 0; i < uncore->groups; i++)
        if (skipped_phase(PHASE_UNCORE, CPU_NONE, uncore->group[i].type.kind))
            uncore->group[i].status = STATUS_SKIPPED_PHASE;
}

struct cpu_uncore *run_uncore_find(const struct run *run, struct measured_cpu *cpu)
{
    const struct cpu_record *record = cpu->cpu;
    struct known_uncore *uncore;
    enum status status;

    if (measured_cpu_is_lost(cpu) || is_silent(record->status))
        return 0;
    uncore = uncore_of(run->machine, &record->caps);
    if (uncore && uncore->has_cpu)
        return 0;
    if (uncore && skipped_phase(PHASE_UNCORE_FIND, CPU_NONE, 0)) {
        uncore->counted.found = (struct uncore){.status = STATUS_SKIPPED_PHASE};
        uncore->has_cpu = true;
        return &uncore->counted;
    }
    store_phase(run->store, PHASE_UNCORE_FIND, record->cpu, 0);
    status = uncore ? find(run->machine, record->cpu, &record->caps, &uncore->counted,
                           run_machine_uncore())
                    : STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        run_machine_file_uncore(run, record->cpu);
        leave_out_kinds(&uncore->counted.found);
        uncore->has_cpu = true;
        return &uncore->counted;
    }
    store_note(run->store, NOTE_ERROR, "CPU %u, uncore: %s", record->cpu, status_text(status));
    if (is_silent(status)) {
        measured_cpu_give_up(cpu);
        run->machine->given_up[record->cpu] = true;
    }
    return 0;
}

static uint32_t kinds_of(const struct measured_cpu *cpu)
{
    uint32_t kinds = 0;

    for (unsigned i = 0; i < cpu->schedule->passes; i++)
        kinds |= uncore_kinds(cpu->event, &cpu->schedule->pass[i]);
    return kinds;
}

static void note_unknown(struct progress *p, const struct cpu_caps *caps,
                         const struct uncore *uncore)
{
    bool has_energy = false;

    for (unsigned i = 0; i < ENERGIES; i++)
        has_energy |= uncore->energy_step[i] != 0;
    if (!p->unknown_said)
        store_note(p->run->store, NOTE_REMARK,
                   "CPU model %u/%u: its uncore counters are not known%s", caps->family,
                   caps->model, has_energy ? ", except for energy" : "");
    p->unknown_said = true;
}

/*
 * Tests the kinds of units that the CPU's passes use. Afterwards cpu->uncore->kinds contains the
 * kinds whose counters the program can take over from the firmware.
 */
static enum status test_kinds(const struct run *run, struct measured_cpu *cpu,
                              struct uncore_task *task)
{
    const uint32_t kinds = kinds_of(cpu);
    enum status status = STATUS_OK;
    uint32_t good = 0;

    cpu->uncore->faulty = 0;
    for (unsigned kind = 0; kind < UNCORE_KINDS && status == STATUS_OK; kind++) {
        cpu->uncore->kinds = kinds & 1u << kind;
        if (!cpu->uncore->kinds)
            continue;
        store_phase(run->store, PHASE_UNCORE, cpu->cpu->cpu, kind);
        status = cpus_run(&run->machine->cpus, cpu->cpu->cpu, check_uncore, task, INSPECT_BOUND_US);
        good |= cpu->uncore->kinds;
    }
    cpu->uncore->kinds = good;
    return status;
}

void run_uncore_test(struct progress *p, struct measured_cpu *cpu)
{
    const struct run *run = p->run;
    const struct machine *machine = run->machine;
    const unsigned number = cpu->cpu->cpu;
    struct uncore_record record = {.cpu = number, .package = cpu->cpu->caps.package};
    struct uncore_task task;
    enum status status;

    if (!cpu->uncore)
        return;
    task = task_of(machine, number, &cpu->cpu->caps, cpu->uncore);
    task.record = &record;
    uncore_describe(&cpu->uncore->found, &record);
    status = test_kinds(run, cpu, &task);
    store_append(run->store, RECORD_UNCORE, &record, sizeof(record));
    if (cpu->uncore->found.status == STATUS_UNCORE_UNKNOWN)
        note_unknown(p, &cpu->cpu->caps, &cpu->uncore->found);
    note_uncore(run->store, &record);
    note_uncore_kept(run->store, number, &task.restore_error, "test of its uncore counters");
    if (status == STATUS_OK)
        return;
    store_note(run->store, NOTE_ERROR, "CPU %u, test of its uncore counters: %s", number,
               status_text(status));
    cpu->left_open |= status == STATUS_TIMEOUT;
    measured_cpu_give_up(cpu);
    run->machine->given_up[number] = true;
}
