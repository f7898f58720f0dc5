/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the machine's CPUs, clock and kernels, and makes remarks on the machine. */
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/net/remote.h"
#include "boot/plan/kernels.h"
#include "boot/plan/machine.h"
#include "kernels/time.h"
#include "pmu/cpu/msr.h"
#include "pmu/cpu/tsc.h"
#include "pmu/base/text.h"
#include "boot/efi/early_notes.h"

#define CORE_TYPE_BOUND_US 1000000u

static bool peek_msr(void *context, uint32_t msr, uint64_t *value)
{
    return cpu_peek_msr(context, msr, value);
}

static void find_clock(struct machine *machine)
{
    const uint64_t ratio =
        tsc_read_ratio(&machine->boot_caps, peek_msr, &machine->contexts[machine->cpus.boot]);
    uint64_t start, ticks;

    machine->tsc_measured_hz = firmware_measure_tsc();
    machine->tsc_nominal_hz = tsc_nominal_hz(&machine->boot_caps, ratio);
    machine->tsc_hz =
        tsc_frequency(&machine->boot_caps, ratio, machine->tsc_measured_hz, &machine->tsc_source);
    start = cpu_tsc();
    time_loop();
    ticks = cpu_tsc() - start;
    machine->picoseconds_per_instruction =
        ticks * 1000000 / (machine->tsc_hz / 1000000) / TIME_LOOP_INSTRUCTIONS + 1;
}

static void describe(struct machine *machine)
{
    struct run_record *record = &machine->record;

    record->source = SOURCE_BARE_METAL;
    text_copy(record->version, sizeof(record->version), BARECOUNT_VERSION);
    record->emulated = machine->emulation.emulated;
    text_copy(record->hypervisor, sizeof(record->hypervisor), machine->emulation.hypervisor);
    record->tsc_hz = machine->tsc_hz;
    record->tsc_measured_hz = machine->tsc_measured_hz;
    record->tsc_source = machine->tsc_source;
    record->cpus_found = machine->cpus.count;
    record->cpus_usable = machine->cpus.usable;
    firmware_describe(record);
}

bool machine_find(struct machine *machine)
{
    size_t contexts_bytes;
    char cpus[COUNTED_BYTES];

    machine->start_tsc = cpu_tsc();
    caps_read(cpu_read_cpuid, &machine->boot_caps);
    emulation_find(cpu_read_cpuid, &machine->boot_caps, &machine->emulation);
    cpus_find(&machine->cpus, machine->boot_caps.x2apic_id);
    contexts_bytes = machine->cpus.count * (size_t)sizeof(struct cpu_context);
    machine->contexts = firmware_memory(contexts_bytes);
    if (!machine->contexts) {
        say("\nbarecount cannot start: too little memory for %s (%llu bytes needed).\n",
            counted(machine->cpus.count, "CPU", cpus), (unsigned long long)contexts_bytes);
        return false;
    }
    find_clock(machine);
    describe(machine);
    remarks_find(machine);
    machine->has_files = files_open(&REMOTE_FILES, &machine->has_all_volumes);
    return kernels_find(machine);
}

static void read_core_type(void *argument)
{
    struct cpu_caps caps;

    caps_read(cpu_read_cpuid, &caps);
    *(volatile uint8_t *)argument = (uint8_t)caps_hybrid_type(&caps);
}

void machine_find_core_types(struct machine *machine)
{
    const struct cpus *cpus = &machine->cpus;

    if (!caps_has(&machine->boot_caps, FEATURE_HYBRID) || machine->has_core_types)
        return;
    machine->has_core_types = true;
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].usable)
            cpus_run(cpus, i, read_core_type, &machine->core_type[i], CORE_TYPE_BOUND_US);
}

uint64_t machine_us(const struct machine *machine)
{
    return (cpu_tsc() - machine->start_tsc) / (machine->tsc_hz / 1000000);
}

bool machine_supports(const struct cpu_caps *caps, uint64_t cpu_features)
{
    return caps_lacks(caps, cpu_features) == 0;
}

#define LIST_BYTES 144u
#define RANGES_MAX 10u /* CPUs beyond these ranges are only counted */

static const char *const LACKS[] = {
    [CPU_DISABLED] = "disabled by the firmware; its setup may enable them",
    [CPU_UNHEALTHY] = "not healthy, according to the firmware's self-test",
    [CPU_UNKNOWN] = "not described by the firmware's MP services",
};

/* Lists CPUs as "2, 5-7"; returns their number. */
static unsigned list_cpus(const struct cpus *cpus, enum cpu_lack lack, struct out *out)
{
    unsigned count = 0, ranges = 0, more = 0;

    for (unsigned i = 0, end; i < cpus->count; i = end) {
        end = i + 1;
        if (cpus->cpu[i].lack != lack)
            continue;
        while (end < cpus->count && cpus->cpu[end].lack == lack)
            end++;
        count += end - i;
        if (ranges == RANGES_MAX) {
            more += end - i;
            continue;
        }
        out_printf(out, "%s%u", ranges++ > 0 ? ", " : "", i);
        if (end - i > 1)
            out_printf(out, "-%u", end - 1);
    }
    if (more > 0)
        out_printf(out, " and %u more", more);
    return count;
}

static void remark_cpus(const struct cpus *cpus)
{
    char left_out[COUNTED_BYTES];

    if (cpus->only_boot)
        early_remark("only the boot CPU is measured: %s; an update of the firmware may "
                     "help",
                     cpus->only_boot);
    for (enum cpu_lack lack = CPU_DISABLED; lack <= CPU_UNKNOWN; lack++) {
        char list[LIST_BYTES];
        struct out out = out_buffer(list, sizeof(list));

        if (list_cpus(cpus, lack, &out) > 0)
            early_remark("not measured: CPU %s: %s", out_end(&out), LACKS[lack]);
    }
    if (cpus->left_out > 0)
        early_remark("not measured: %s, number %u and above: this program has no room for more",
                     counted(cpus->left_out, "CPU", left_out), CPUS_MAX);
}

void remarks_find(const struct machine *machine)
{
    char time[FIRMWARE_TIME_BYTES];
    struct smbios_dimms dimms;

    remark_cpus(&machine->cpus);
    if (!machine->emulation.emulated && /* an emulator's time stamp counter is the host's */
        tsc_timer_is_doubtful(machine->tsc_source, machine->tsc_nominal_hz, machine->tsc_hz))
        early_remark("TSC: %llu Hz according to the ACPI timer, but %s says %llu MHz: "
                     "MHz, ns and GB/s may be wrong by the difference",
                     (unsigned long long)machine->tsc_hz,
                     tsc_source_word(tsc_nominal_source(&machine->boot_caps)),
                     (unsigned long long)(machine->tsc_nominal_hz / 1000000));
    firmware_find_dimms(&dimms);
    if (dimms.least_mib < dimms.most_mib)
        early_remark("DIMMs have %llu to %llu MiB: the upper part of memory may have fewer "
                     "channels; run.json gives the address of each buffer",
                     (unsigned long long)dimms.least_mib, (unsigned long long)dimms.most_mib);
    if (!firmware_time(time))
        early_remark("the machine's clock is not set (it says %s): runs have numbers, but no "
                     "date; the firmware's setup can set it",
                     time);
    if (cpu_cr4() & CR4_PGE)
        early_remark("the firmware uses global pages (CR4.PGE), so that each window starts with an "
                     "empty TLB: counts of kernels with a buffer include TLB misses");
    if (firmware_watchdog_runs())
        early_remark("the firmware's watchdog cannot be stopped: it may reset the machine "
                     "five minutes after the start of the program; the next boot then "
                     "recovers the finished kernels");
}
