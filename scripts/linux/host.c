/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the machine and its CPUs from what Linux reports. */
#include <cpuid.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "kernels/time.h"
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"
#include "scripts/linux/host.h"
#include "scripts/linux/perf.h"
#include "scripts/linux/sysfs.h"

#define CPUS           "/sys/devices/system/cpu/"
#define DMI            "/sys/class/dmi/id/"
#define NS_PER_S       1000000000ull
#define NS_PER_US      1000u
#define TSC_MEASURE_NS 50000000ull
#define TSC_TRIES      8u /* how often clock and TSC are read; the fastest reading is used */

static cpu_set_t found; /* CPUs that this process was allowed to use when it started */

void host_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    __cpuid_count(leaf, subleaf, regs->eax, regs->ebx, regs->ecx, regs->edx);
}

uint64_t host_tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high));
    return low | (uint64_t)high << 32;
}

static uint64_t clock_ns(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t host_us(void)
{
    return clock_ns(CLOCK_MONOTONIC) / NS_PER_US;
}

void host_time(char text[24])
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void read_both(uint64_t *ns, uint64_t *tsc)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < TSC_TRIES; i++) {
        uint64_t before = host_tsc(), now = clock_ns(CLOCK_MONOTONIC_RAW), after = host_tsc();

        if (after - before >= least)
            continue;
        least = after - before;
        *ns = now;
        *tsc = before + (after - before) / 2;
    }
}

static uint64_t measure_tsc(void)
{
    const struct timespec pause = {.tv_nsec = TSC_MEASURE_NS};
    uint64_t ns[2] = {0}, tsc[2] = {0};

    read_both(&ns[0], &tsc[0]);
    nanosleep(&pause, NULL);
    read_both(&ns[1], &tsc[1]);
    if (ns[1] <= ns[0])
        return 0;
    return (uint64_t)((double)(tsc[1] - tsc[0]) * (double)NS_PER_S / (double)(ns[1] - ns[0]));
}

static void find_clock(struct host *host, const struct cpu_caps *caps)
{
    struct run_record *machine = &host->machine;

    machine->tsc_measured_hz = measure_tsc();
    machine->tsc_hz = tsc_frequency(caps, 0, machine->tsc_measured_hz, &machine->tsc_source);
    if (machine->tsc_source == TSC_ACPI_TIMER)
        machine->tsc_source = TSC_MONOTONIC;
}

bool host_pin(unsigned cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
}

static void find_cpus(struct host *host)
{
    for (unsigned i = 0; i < PLAN_CPUS_MAX; i++) {
        struct host_cpu *cpu = &host->cpu[i];

        cpu->exists = sysfs_lists(CPUS "present", i);
        cpu->online = cpu->exists && sysfs_lists(CPUS "online", i);
        cpu->allowed = CPU_ISSET(i, &found);
        if (cpu->exists)
            host->cpus = i + 1;
        if (!cpu->online || !cpu->allowed)
            continue;
        cpu->allowed = host_pin(i);
        if (!cpu->allowed)
            continue;
        host->usable++;
        caps_read(host_cpuid, &cpu->caps);
        cpu->caps.features &= ~FEATURE_AMD_PREC_RET; /* Linux never sets PREC_RET */
        caps_caches(host_cpuid, &cpu->caps, cpu->cache);
        zen_place(host_cpuid, &cpu->caps, &cpu->place);
    }
    sched_setaffinity(0, sizeof(found), &found);
}

/* /proc/cpuinfo contains a line "microcode : 0x..." after each "processor : N". */
static void find_microcode(struct host *host)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    unsigned cpu = PLAN_CPUS_MAX, value;

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "processor : %u", &value) == 1)
            cpu = value;
        else if (cpu < PLAN_CPUS_MAX && sscanf(line, "microcode : %x", &value) == 1)
            host->cpu[cpu].microcode = value;
    }
    if (file)
        fclose(file);
}

static void find_names(struct run_record *machine)
{
    struct utsname name;

    sysfs_text(DMI "sys_vendor", machine->smbios.maker, sizeof(machine->smbios.maker));
    sysfs_text(DMI "product_name", machine->smbios.product, sizeof(machine->smbios.product));
    sysfs_text(DMI "product_uuid", machine->smbios.uuid, sizeof(machine->smbios.uuid));
    sysfs_text(DMI "bios_vendor", machine->firmware_vendor, sizeof(machine->firmware_vendor));
    sysfs_text(DMI "bios_version", machine->smbios.firmware_version,
               sizeof(machine->smbios.firmware_version));
    machine->source = SOURCE_LINUX;
    if (uname(&name) == 0)
        text_copy(machine->linux_host.kernel, sizeof(machine->linux_host.kernel), name.release);
    sysfs_text(CPUS "isolated", machine->linux_host.isolated_cpus,
               sizeof(machine->linux_host.isolated_cpus));
    machine->linux_host.perf_event_paranoid = perf_paranoid();
    machine->linux_host.nmi_watchdog = perf_nmi_watchdog();
}

void host_find(struct host *host)
{
    memset(host, 0, sizeof(*host));
    sched_getaffinity(0, sizeof(found), &found);
    find_cpus(host);
}

static void time_instructions(struct host *host)
{
    uint64_t started_us = host_us(), us;

    time_loop();
    us = host_us() - started_us;
    host->picoseconds_per_instruction = us * 1000000 / TIME_LOOP_INSTRUCTIONS + 1;
}

void host_describe(struct host *host)
{
    unsigned first = 0;

    find_microcode(host);
    find_names(&host->machine);
    while (first < host->cpus && host_cpu_trouble(host, first))
        first++;
    find_clock(host, &host->cpu[first % PLAN_CPUS_MAX].caps);
    emulation_find(host_cpuid, &host->cpu[first % PLAN_CPUS_MAX].caps, &host->emulation);
    host->machine.emulated = host->emulation.emulated;
    text_copy(host->machine.hypervisor, sizeof(host->machine.hypervisor),
              host->emulation.hypervisor);
    host->machine.cpus_found = host->cpus;
    host->machine.cpus_usable = host->usable;
    time_instructions(host);
}

void host_stay_off(const struct host *host, const bool *measured)
{
    cpu_set_t set = found;

    for (unsigned i = 0; i < host->cpus; i++)
        if (measured[i])
            CPU_CLR(i, &set);
    if (CPU_COUNT(&set) > 0)
        sched_setaffinity(0, sizeof(set), &set);
    else
        sched_setaffinity(0, sizeof(found), &found);
}

const char *host_cpu_trouble(const struct host *host, unsigned cpu)
{
    if (cpu >= host->cpus || !host->cpu[cpu].exists)
        return "does not exist";
    if (!host->cpu[cpu].online)
        return "is offline";
    return host->cpu[cpu].allowed ? NULL : "is not in this process's CPU set";
}

static uint32_t core_of(const struct host *host, unsigned cpu)
{
    const struct cpu_caps *caps = &host->cpu[cpu].caps;

    return caps->x2apic_id >> caps->smt_shift;
}

struct plan_cpu host_plan_cpu(const struct host *host, unsigned cpu)
{
    struct plan_cpu is = {.boot = cpu == 0,
                          .boot_core = core_of(host, cpu) == core_of(host, 0),
                          .first_of_core = true,
                          .core_type = caps_hybrid_type(&host->cpu[cpu].caps)};

    for (unsigned i = 0; i < cpu; i++)
        if (!host_cpu_trouble(host, i) && core_of(host, i) == core_of(host, cpu))
            is.first_of_core = false;
    return is;
}

uint32_t host_siblings(const struct host *host, unsigned cpu)
{
    uint32_t siblings = 0;

    for (unsigned i = 0; i < host->cpus; i++)
        siblings +=
            i != cpu && !host_cpu_trouble(host, i) && core_of(host, i) == core_of(host, cpu);
    return siblings;
}
