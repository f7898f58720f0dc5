/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/firmware.h"
#include "boot/run/notes.h"
#include "boot/run/uncore.h"

/* A package of the machine, from when it is first looked at to the program's end. */
struct known_package {
    struct known_package *next;
    uint32_t package; /* cpu_caps.package */
    bool has_cpu;     /* a CPU counts for it in this run */
    struct cpu_package counted;
};

void run_package_start(struct machine *machine)
{
    for (struct known_package *package = machine->packages; package; package = package->next)
        package->has_cpu = false;
}

/* Null: the firmware has no memory for it. */
static struct known_package *package_of(struct machine *machine, const struct cpu_caps *caps)
{
    struct known_package *package = machine->packages;

    while (package && package->package != caps->package)
        package = package->next;
    if (package)
        return package;
    package = firmware_memory(sizeof(*package));
    if (!package)
        return 0;
    package->package = caps->package;
    package->next = machine->packages;
    machine->packages = package;
    package_access_start(&package->counted.access, firmware_mcfg(), firmware_memory_map());
    return package;
}

static struct package_task task_of(const struct machine *machine, unsigned cpu,
                                   const struct cpu_caps *caps, struct cpu_package *package)
{
    return (struct package_task){.context = &machine->contexts[cpu],
                                 .caps = caps,
                                 .package = package,
                                 .ticks_per_us = machine->tsc_hz / 1000000};
}

static enum status find(const struct machine *machine, unsigned cpu, const struct cpu_caps *caps,
                        struct cpu_package *package)
{
    struct package_task task = task_of(machine, cpu, caps, package);

    return cpus_run(&machine->cpus, cpu, find_package, &task, INSPECT_BOUND_US);
}

const struct package *run_package_peek(struct machine *machine)
{
    struct known_package *package = package_of(machine, &machine->boot_caps);

    if (!package ||
        find(machine, machine->cpus.boot, &machine->boot_caps, &package->counted) != STATUS_OK)
        return 0;
    return &package->counted.found;
}

struct cpu_package *run_package_find(const struct run *run, struct measured_cpu *cpu)
{
    const struct cpu_record *record = cpu->cpu;
    struct known_package *package;
    enum status status;

    if (measured_cpu_is_lost(cpu) || record->status != STATUS_OK)
        return 0;
    package = package_of(run->machine, &record->caps);
    if (package && package->has_cpu)
        return 0;
    status = package ? find(run->machine, record->cpu, &record->caps, &package->counted)
                     : STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        package->has_cpu = true;
        return &package->counted;
    }
    store_note(run->store, NOTE_ERROR, "CPU %u, what its package counts: %s", record->cpu,
               status_text(status));
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
        kinds |= package_kinds(cpu->event, &cpu->schedule->pass[i]);
    return kinds;
}

/* What the tables do not know is said by the CPU model's number, once. */
static void note_unknown(struct progress *p, const struct cpu_caps *caps,
                         const struct package *package)
{
    bool has_energy = false;

    for (unsigned i = 0; i < ENERGIES; i++)
        has_energy |= package->energy_step[i] != 0;
    if (!p->unknown_said)
        store_note(p->run->store, NOTE_REMARK,
                   "CPU model %u/%u: what it counts outside its cores is not known%s", caps->family,
                   caps->model, has_energy ? ", but for energy" : "");
    p->unknown_said = true;
}

void run_package_test(struct progress *p, struct measured_cpu *cpu)
{
    const struct run *run = p->run;
    const struct machine *machine = run->machine;
    const unsigned number = cpu->cpu->cpu;
    struct package_record record = {.cpu = number, .package = cpu->cpu->caps.package};
    struct package_task task;
    enum status status = STATUS_OK;

    if (!cpu->package)
        return;
    cpu->package->kinds = kinds_of(cpu);
    task = task_of(machine, number, &cpu->cpu->caps, cpu->package);
    task.record = &record;
    package_describe(&cpu->package->found, &record);
    if (cpu->package->kinds)
        status = cpus_run(&machine->cpus, number, check_uncore, &task, INSPECT_BOUND_US);
    store_append(run->store, RECORD_PACKAGE, &record, sizeof(record));
    if (cpu->package->found.status == STATUS_PACKAGE_UNKNOWN)
        note_unknown(p, &cpu->cpu->caps, &cpu->package->found);
    note_package(run->store, &record);
    note_package_kept(run->store, number, &task.restore_error, "test of its package's counters");
    if (status == STATUS_OK)
        return;
    store_note(run->store, NOTE_ERROR, "CPU %u, test of its package's counters: %s", number,
               status_text(status));
    cpu->left_open |= status == STATUS_TIMEOUT;
    measured_cpu_give_up(cpu);
    run->machine->given_up[number] = true;
}
