/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * given_back MACHINE.TXT PLAN EVENTS: prints what the program finds on a machine that answers as
 * the file says, and how it would count the plan's events there: lines "CPU WHAT VALUES".
 */
#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/srat.h"
#include "pmu/files/render.h"
#include "pmu/journal/evidence.h"
#include "pmu/plan/cpu_events.h"
#include "pmu/uncore/words.h"
#include "scripts/linux/files.h"
#include "tests/unit/fakes/machine_file.h"

static struct plan plan;
static struct cpu_events events;
static struct cpu_record record[TOLD_CPUS_MAX];
static uint32_t packages[TOLD_CPUS_MAX];
static unsigned packages_count;

/* What boot/measure/inspect.c does on a CPU. */
static void inspect(struct cpu_record *cpu)
{
    caps_read(told_cpuid, &cpu->caps);
    if (cpu->caps.vendor != VENDOR_INTEL || !caps_has(&cpu->caps, FEATURE_MSR))
        return;
    evidence_probe(&TOLD_MSRS, cpu);
    cpu->refused_msr = pmu_probe(&TOLD_MSRS, &cpu->caps);
    pmu_take(&TOLD_MSRS, &cpu->caps, &cpu->found);
}

static unsigned siblings_of(unsigned index)
{
    const struct cpu_caps *caps = &record[index].caps;
    unsigned count = 0;

    for (unsigned i = 0; i < told.cpus; i++)
        count += i != index &&
                 record[i].caps.x2apic_id >> caps->smt_shift == caps->x2apic_id >> caps->smt_shift;
    return count;
}

static void print_found(unsigned index)
{
    const struct cpu_caps *caps = &record[index].caps;
    struct srat srat = {0};

    if (told.table[2].used > 0)
        srat_read(told.table[2].bytes, told.table[2].used, &srat);
    printf("%u cpu %s %u %u %u %x\n", record[index].cpu, caps_vendor_name(caps), caps->family,
           caps->model, caps->stepping, caps->signature);
    printf("%u topology %u %u %u %u %u %d\n", record[index].cpu, caps->x2apic_id, caps->package,
           caps->core, caps->thread, siblings_of(index),
           (int)srat_cpu_node(&srat, caps->x2apic_id));
    printf("%u pmu %u %u %u 0x%x %u\n", record[index].cpu, caps->pmu_version, caps->gp_count,
           caps->gp_width_bits, caps->fixed_map, caps->fixed_width_bits);
}

/* Finds the uncore of a package on its first CPU; null on the package's other CPUs. */
static const struct uncore *find_uncore(void *context)
{
    static struct uncore found;
    const struct cpu_record *cpu = context;
    struct mcfg mcfg = {0};
    uint64_t in_memory = 0;
    struct uncore_port port = {.read = told_read_uncore, .write = told_write_uncore};

    for (unsigned i = 0; i < packages_count; i++)
        if (packages[i] == cpu->caps.package)
            return NULL;
    packages[packages_count++] = cpu->caps.package;
    if (told.table[1].used > 0)
        mcfg_read(told.table[1].bytes, told.table[1].used, &mcfg);
    for (uint32_t i = 0; i < mcfg.ranges; i++)
        port.has_pci |= mcfg.range[i].segment == 0;
    port.in_memory = &in_memory;
    uncore_find(&port, &cpu->caps, &found);
    for (uint32_t i = 0; i < found.groups; i++)
        printf("%u uncore %s %u %s\n", cpu->cpu, uncore_kind_name(found.group[i].type.kind),
               found.group[i].units, status_text(found.group[i].status));
    return &found;
}

static void print_pass(unsigned cpu, unsigned number)
{
    const struct pass *pass = &events.schedule->pass[number];

    for (unsigned i = 0; i < pass->slots; i++) {
        const struct row row = {
            .event = &events.event[pass->slot[i].event], .has_slot = true, .slot = pass->slot[i]};
        char name[64];
        struct out out = out_buffer(name, sizeof(name));

        render_counter(&row, &out);
        printf("%u event %u %s %s\n", cpu, number, out_end(&out), row.event->name);
    }
}

static void print_events(struct cpu_record *cpu, const struct tables_port *tables, bool is_first)
{
    const struct cpu_events_port port = {.tables = tables, .uncore = find_uncore, .context = cpu};

    cpu_events_find(&events, &port, &plan, &cpu->caps, STATUS_OK, is_first ? &plan : NULL);
    for (unsigned i = 0; i < events.schedule->passes; i++)
        print_pass(cpu->cpu, i);
}

int main(int count, char **argument)
{
    FILE *file = count == 4 ? fopen(argument[1], "r") : NULL;
    size_t bytes = 0;
    const char *text = count == 4 ? files_read(argument[2], PLAN_FILE_BYTES_MAX, &bytes) : NULL;

    if (!file || !text || !cpu_events_start(&events, files_memory)) {
        fprintf(stderr, "usage: given_back MACHINE.TXT PLAN EVENTS\n");
        return 2;
    }
    told_read(file);
    fclose(file);
    plan_parse(text, bytes, &plan, files_memory);
    for (unsigned i = 0; i < told.cpus; i++) {
        told.now = record[i].cpu = told.cpu[i];
        inspect(&record[i]);
    }
    for (unsigned i = 0; i < told.cpus; i++) {
        told.now = told.cpu[i];
        print_found(i);
        print_events(&record[i], files_events(argument[3]), i == 0);
    }
    printf("%u unknown %u\n", told.cpu[0], told.unknown); /* registers that are not in the file */
    return 0;
}
