/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay MACHINE.TXT EVENTS PLAN...: prints what the program finds on the machine that the file
 * describes, and how it would count the plans' events there. Lines are "CPU WHAT VALUES". In most
 * values, underscores replace spaces.
 */
#include "pmu/counters/errata.h"
#include "pmu/cpu/features.h"
#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/msr.h"
#include "pmu/cpu/mwait.h"
#include "pmu/cpu/srat.h"
#include "pmu/cpu/tsc.h"
#include "pmu/files/render.h"
#include "pmu/journal/evidence.h"
#include "pmu/plan/cpu_events.h"
#include "pmu/plan/state.h"
#include "pmu/uncore/models.h"
#include "pmu/uncore/words.h"
#include "scripts/linux/files.h"
#include "tests/unit/fakes/machine_file.h"

#define PACKAGES_MAX 64u

static struct plan plan;
static struct cpu_events events;
static struct cpu_record record[TOLD_CPUS_MAX];
static struct package {
    unsigned cpu; /* the package's first CPU */
    uint32_t number;
    struct uncore uncore;
} package[PACKAGES_MAX];
static unsigned packages;

/* What files_memory() allocates is never freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static const char *one_word(const char *text)
{
    static char word[256];

    snprintf(word, sizeof(word), "%s", text[0] ? text : "-");
    for (char *at = word; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    return word;
}

/* Inspects a CPU as boot/measure/inspect.c does. */
static void inspect(struct cpu_record *cpu)
{
    const unsigned unknown = told.unknown;
    struct zen_place place;

    caps_read(told_cpuid, &cpu->caps);
    caps_caches(told_cpuid, &cpu->caps, cpu->cache);
    zen_place(told_cpuid, &cpu->caps, &place);
    cpu_record_place(cpu, &place);
    cpu->tsc_ratio = tsc_read_ratio(&cpu->caps, told_read_msr, NULL);
    if (cpu->caps.vendor == VENDOR_AMD)
        told.unknown = unknown; /* not counted: files of older images lack AMD's registers */
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

static void print_features(unsigned cpu, const struct cpu_caps *caps)
{
    static const char *const NAMES[] = {
        [2] = "pdcm", "ds",         "msr",       "xsave",        "hybrid",
        "tsc_const",  "apic",       "tsx_abort", "thermal",      "package_thermal",
        "aperf",      "mca",        "turbo",     "hwp",          "eist",
        "monitor",    "hypervisor", "amd_boost", "amd_prefetch", "umask2",
        "eq",         "acr",        "arch_pebs", "amd_core",
    };

    printf("%u features", cpu);
    for (unsigned bit = 2; bit < sizeof(NAMES) / sizeof(NAMES[0]); bit++)
        if (caps->features >> bit & 1)
            printf(" %s", NAMES[bit]);
    printf("\n%u kernel_features", cpu);
    for (unsigned bit = 0; bit < CPU_FEATURES_COUNT; bit++)
        if (caps->kernel_features >> bit & 1)
            printf(" %s", cpu_feature_name(bit));
    printf("\n");
}

static void print_caches(const struct cpu_record *cpu)
{
    printf("%u caches", cpu->cpu);
    for (unsigned i = 0; i < CPU_CACHES_MAX && cpu->cache[i].type != CACHE_NONE; i++)
        printf(" L%u%c:%u", cpu->cache[i].level, " dcu"[cpu->cache[i].type], cpu -> cache[i].kib);
    printf("\n");
}

static void print_clock(const struct cpu_record *cpu)
{
    uint32_t source;
    const uint64_t hz = tsc_frequency(&cpu->caps, cpu->tsc_ratio, 0, &source);

    printf("%u clock %llu %s\n", cpu->cpu, (unsigned long long)hz,
           one_word(tsc_source_word(source)));
}

/*
 * Prints the errata of the events in EVENT, and the counters that are left out because of errata.
 * `fixed` is -1 for a general counter.
 */
static void print_errata(unsigned cpu, const struct cpu_caps *caps)
{
    static const struct {
        uint16_t code;
        int8_t fixed;
    } EVENT[] = {{0xc0, -1}, {0xc0, 0}, {0xc4, -1}, {0xc5, -1}, {0x81d0, -1}, {0x412e, -1}};

    for (unsigned i = 0; i < sizeof(EVENT) / sizeof(EVENT[0]); i++) {
        const struct event event = {.select = EVENT[i].code, .fixed = EVENT[i].fixed};
        const struct erratum *erratum = event_erratum(&event, caps, EVENT[i].fixed >= 0);

        if (erratum)
            printf("%u erratum %x %s %s\n", cpu, EVENT[i].code,
                   EVENT[i].fixed >= 0 ? "fixed" : "general", one_word(erratum->name));
    }
    for (unsigned counter = 0; counter < GP_COUNTERS_MAX; counter++)
        if (errata_left_out(caps) >> counter & 1)
            printf("%u left_out %u\n", cpu, counter);
}

static void print_prefetch(unsigned cpu, const struct cpu_caps *caps)
{
    const struct plan_state wish = {.prefetch = SWITCH_OFF};
    struct cpu_state state = {0};
    const unsigned unknown = told.unknown; /* not counted: machine.txt lacks this MSR */

    state_set(&TOLD_MSRS, caps, &wish, STATE_PREFETCH, &state);
    printf("%u prefetch %x %llx %llx\n", cpu, state.item[0].msr,
           (unsigned long long)state.item[0].found, (unsigned long long)state.item[0].asked);
    told.unknown = unknown;
}

static void print_complex(const struct cpu_record *cpu)
{
    printf("%u complex", cpu->cpu);
    printf(cpu->flags & CPU_HAS_CCX ? " %u" : " -", cpu->ccx);
    printf(cpu->flags & CPU_HAS_CCD ? " %u\n" : " -\n", cpu->ccd);
}

static void print_found(unsigned index)
{
    const struct cpu_caps *caps = &record[index].caps;
    struct srat srat = {0};

    if (told.table[2].used > 0)
        srat_read(told.table[2].bytes, told.table[2].used, &srat);
    printf("%u cpu %s %u %u %u %x\n", record[index].cpu, caps_vendor_name(caps), caps->family,
           caps->model, caps->stepping, caps->signature);
    printf("%u type %s\n", record[index].cpu, one_word(caps_core_type_name(caps)));
    printf("%u name %s\n", record[index].cpu, one_word(zen_core_name(caps)));
    printf("%u topology %u %u %u %u %u %d\n", record[index].cpu, caps->x2apic_id, caps->package,
           caps->core, caps->thread, siblings_of(index),
           (int)srat_cpu_node(&srat, caps->x2apic_id));
    printf("%u pmu %u 0x%x %u 0x%x %u\n", record[index].cpu, caps->pmu_version, caps_general(caps),
           caps->gp_width_bits, caps->fixed_map, caps->fixed_width_bits);
    print_complex(&record[index]);
    print_features(record[index].cpu, caps);
    print_caches(&record[index]);
    print_clock(&record[index]);
    print_errata(record[index].cpu, caps);
    print_prefetch(record[index].cpu, caps);
    printf("%u monitor %s\n", record[index].cpu, mwait_ends(caps) ? "ends" : "may_sleep");
}

static void find_package(const struct cpu_record *cpu)
{
    struct package *found = &package[packages];
    struct mcfg mcfg = {0};
    uint64_t in_memory = 0;
    struct uncore_port port = {.read = told_read_uncore, .write = told_write_uncore};

    for (unsigned i = 0; i < packages; i++)
        if (package[i].number == cpu->caps.package)
            return;
    if (packages == PACKAGES_MAX)
        told_bad("more packages than there is room for");
    packages++;
    found->cpu = cpu->cpu;
    found->number = cpu->caps.package;
    if (told.table[1].used > 0)
        mcfg_read(told.table[1].bytes, told.table[1].used, &mcfg);
    for (uint32_t i = 0; i < mcfg.ranges; i++)
        port.has_pci |= mcfg.range[i].segment == 0;
    port.in_memory = &in_memory;
    uncore_find(&port, &cpu->caps, &found->uncore);
}

static void print_package(const struct package *found)
{
    static const char *const ENERGY[ENERGIES] = {
        [ENERGY_PACKAGE] = "package",
        [ENERGY_DRAM] = "dram",
        [ENERGY_CORE] = "cores",
        [ENERGY_GRAPHICS] = "graphics",
    };
    const struct uncore *uncore = &found->uncore;
    struct uncore_record described;

    uncore_describe(uncore, &described);
    printf("%u uncore_model %s\n", found->cpu, one_word(described.model));
    for (uint32_t i = 0; i < uncore->groups; i++)
        printf("%u uncore %s %u %s\n", found->cpu, uncore_kind_name(uncore->group[i].type.kind),
               uncore->group[i].units, status_text(uncore->group[i].status));
    for (unsigned i = 0; i < ENERGIES; i++)
        if (uncore->energy_msr[i] != 0)
            printf("%u energy %s %x %llu\n", found->cpu, ENERGY[i], uncore->energy_msr[i],
                   (unsigned long long)uncore->energy_step[i]);
}

/* The uncore whose events this CPU counts, or null. */
static const struct uncore *uncore_of(void *context)
{
    const struct cpu_record *cpu = context;

    for (unsigned i = 0; i < packages; i++)
        if (package[i].cpu == cpu->cpu)
            return &package[i].uncore;
    return NULL;
}

/*
 * Prints the selects of the built-in events, except architectural events and events that only a
 * fixed counter counts. Prints "-" for an event that this CPU cannot count.
 */
static void print_retired(unsigned cpu, const struct cpu_caps *caps)
{
    unsigned builtins;

    event_builtins(caps->vendor, &builtins);
    printf("%u retired", cpu);
    for (unsigned i = 0; i < builtins; i++) {
        struct event event;

        event_builtin(i, caps, RING_OS, &event);
        if (event.arch != EVENT_NOT_ARCH || event.fixed_only)
            continue;
        if (event.status == STATUS_OK)
            printf(" %llx", (unsigned long long)event.select);
        else
            printf(" -");
    }
    printf("\n");
}

static void print_pass(unsigned cpu, const char *name, unsigned number)
{
    const struct pass *pass = &events.schedule->pass[number];

    for (unsigned i = 0; i < pass->slots; i++) {
        const struct row row = {
            .event = &events.event[pass->slot[i].event], .has_slot = true, .slot = pass->slot[i]};
        char counter[64];
        struct out out = out_buffer(counter, sizeof(counter));

        render_counter(&row, &out);
        printf("%u event %s %u %s %s\n", cpu, name, number, out_end(&out), row.event->name);
    }
}

static void print_events(struct cpu_record *cpu, const char *name, const struct tables_port *tables,
                         bool is_first)
{
    const struct cpu_events_port port = {.tables = tables, .uncore = uncore_of, .context = cpu};

    cpu_events_find(&events, &port, &plan, &cpu->caps, STATUS_OK, is_first ? &plan : NULL);
    for (unsigned i = 0; i < events.schedule->passes; i++)
        print_pass(cpu->cpu, name, i);
    for (unsigned i = 0; i < events.events; i++)
        if (events.event[i].status != STATUS_OK)
            printf("%u uncounted %s %s %s\n", cpu->cpu, name, events.event[i].name,
                   one_word(status_text(events.event[i].status)));
}

static void say_nothing(void *context, const char *sentence)
{
    (void)context;
    (void)sentence;
}

static void read_plan(const char *path)
{
    size_t bytes;
    const char *text = files_read(path, PLAN_FILE_BYTES_MAX, &bytes);

    if (!text)
        told_bad(path);
    plan_parse(text, bytes, &plan, files_memory);
}

static void replay_plan(const char *path, const struct tables_port *tables)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    read_plan(path);
    for (unsigned i = 0; i < told.cpus; i++) {
        told.now = told.cpu[i];
        print_events(&record[i], name, tables, i == 0);
    }
}

int main(int count, char **argument)
{
    FILE *file = count > 3 ? fopen(argument[1], "r") : NULL;
    const struct tables_port *tables;

    if (!file || !cpu_events_start(&events, files_memory)) {
        fprintf(stderr, "usage: replay MACHINE.TXT EVENTS PLAN...\n");
        return 2;
    }
    told_read(file);
    fclose(file);
    tables = files_events(argument[2]);
    for (unsigned i = 0; i < told.cpus; i++) {
        told.now = record[i].cpu = told.cpu[i];
        inspect(&record[i]);
        find_package(&record[i]);
    }
    for (unsigned i = 0; i < told.cpus; i++) {
        told.now = told.cpu[i];
        print_found(i);
        printf("%u table %s\n", told.cpu[i],
               one_word(tables_of(tables, &record[i].caps, say_nothing, NULL)->file));
        print_retired(told.cpu[i], &record[i].caps);
    }
    for (unsigned i = 0; i < packages; i++)
        print_package(&package[i]);
    for (int i = 3; i < count; i++)
        replay_plan(argument[i], tables);
    printf("%u unknown %u %u\n", told.cpu[0], told.unknown, told.unknown_leaves);
    return 0;
}
