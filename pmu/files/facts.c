/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a run's machine and plan. */
#include "pmu/base/status.h"
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"
#include "pmu/events/emulation.h"
#include "pmu/files/facts.h"
#include "pmu/files/tried.h"

struct facts {
    take_fact *take;
    void *context;
};

__attribute__((format(printf, 3, 4))) static void put(const struct facts *facts, const char *name,
                                                      const char *format, ...)
{
    char text[FACT_BYTES];

    OUT_FORMAT(text, sizeof(text), format);
    facts->take(facts->context, name, text);
}

static void put_firmware(const struct facts *facts, const struct run_record *run)
{
    put(facts, "Firmware", "%s %s, UEFI %u.%u", run->firmware_vendor, run->smbios.firmware_version,
        run->uefi_revision >> 16, (run->uefi_revision & 0xffff) / 10);
    if (run->secure_boot == SECURE_BOOT_ON)
        put(facts, "", "Secure Boot is on");
}

static void put_linux(const struct facts *facts, const struct linux_record *is)
{
    char paranoid[16] = "unknown";

    if (is->perf_event_paranoid != PARANOID_UNKNOWN)
        out_put(paranoid, sizeof(paranoid), "%d", is->perf_event_paranoid);
    put(facts, "Linux", "%s; perf_event_paranoid %s, NMI watchdog %s%s%s", is->kernel, paranoid,
        is->nmi_watchdog ? "on" : "off", is->isolated_cpus[0] ? "; isolated CPUs " : "",
        is->isolated_cpus);
    if (is->nmi_watchdog)
        put(facts, "! Linux",
            "the NMI watchdog holds a counter of each CPU, so each pass has one counter less; "
            "sysctl kernel.nmi_watchdog=0 frees the counter");
}

static void put_cpu(const struct facts *facts, const struct run_record *run,
                    const struct cpu_caps *caps)
{
    const char *brand = caps->brand;

    while (*brand == ' ')
        brand++;
    put(facts, "CPU", "%s", brand[0] ? brand : caps->vendor_id);
    put(facts, "", "%s%s%s, family %u, model %u, stepping %u; CPUs: %u, usable: %u",
        caps_vendor_name(caps), zen_cores_name(caps)[0] ? " " : "", zen_cores_name(caps),
        caps->family, caps->model, caps->stepping, run->cpus_found, run->cpus_usable);
}

static void put_tsc(const struct facts *facts, const struct run_record *run,
                    const struct cpu_caps *caps)
{
    uint64_t khz = run->tsc_hz / 1000, measured_khz = run->tsc_measured_hz / 1000;
    uint32_t error_ppm = tsc_error_ppm(run->tsc_source, run->tsc_hz, run->tsc_measured_hz);
    char within[32] = "";

    if (error_ppm > 0)
        out_put(within, sizeof(within), ", within %u ppm", error_ppm);
    put(facts, "TSC", "%llu.%03llu MHz, %s%s%s", (unsigned long long)(khz / 1000),
        (unsigned long long)(khz % 1000), tsc_source_name(run->tsc_source), within,
        !caps || caps_has(caps, FEATURE_TSC_CONST) ? "" : "; not invariant");
    if (tsc_is_doubtful(run->tsc_hz, run->tsc_measured_hz))
        put(facts, "! TSC",
            "the ACPI timer says %llu.%llu MHz: MHz and ns may be wrong by the difference",
            (unsigned long long)(measured_khz / 1000),
            (unsigned long long)(measured_khz % 1000 / 100));
}

#define STEPPING 0xfu

static void put_tried(const struct facts *facts, const struct cpu_caps *caps)
{
    char machines[COUNTED_BYTES];
    uint32_t count = 0;

    for (unsigned i = 0; TRIED[i].machines > 0; i++)
        if (TRIED[i].signature == (caps->signature & ~STEPPING))
            count = TRIED[i].machines;
    if (count > 0)
        put(facts, "", "tried on %s of this model: docs/evidence.md",
            counted(count, "machine", machines));
    else
        put(facts, "", "no machine of this model has been tried yet (plan `check`)");
}

static unsigned bits_set(uint32_t value)
{
    unsigned count = 0;

    for (; value; value &= value - 1)
        count++;
    return count;
}

void facts_pmu(const struct cpu_caps *caps, take_fact *take, void *context)
{
    const struct facts facts = {take, context};
    char counters[COUNTED_BYTES], fixed[COUNTED_BYTES];

    if (caps->pmu_version == 0 && caps->vendor != VENDOR_INTEL)
        put(&facts, "PMU", "%s: %s", caps_vendor_name(caps), status_text(STATUS_VENDOR));
    else if (caps->pmu_version == 0)
        put(&facts, "PMU", "none: %s", status_text(STATUS_NO_PMU));
    else if (caps->vendor == VENDOR_AMD)
        put(&facts, "PMU", "%s: %s of %u bits",
            caps->pmu_version >= 2 ? "PerfMonV2" : "without PerfMonV2",
            counted(caps_general_count(caps), "counter", counters), caps->gp_width_bits);
    else
        put(&facts, "PMU", "version %u: %s of %u bits, %s of %u bits", caps->pmu_version,
            counted(caps_general_count(caps), "counter", counters), caps->gp_width_bits,
            counted(bits_set(caps->fixed_map), "fixed one", fixed), caps->fixed_width_bits);
}

void facts_machine(const struct run_record *run, const struct cpu_caps *caps, take_fact *take,
                   void *context)
{
    const struct facts facts = {take, context};
    const struct smbios *smbios = &run->smbios;
    const bool is_named = smbios->maker[0] || smbios->product[0];

    put(&facts, "Machine", "%s%s%s", smbios->maker, smbios->maker[0] ? " " : "",
        is_named ? smbios->product : "SMBIOS does not name it");
    if (run->hypervisor[0])
        put(&facts, "", "virtual machine; hypervisor: %s", run->hypervisor);
    if (run->emulated)
        put(&facts, "", EMULATION_WORDS);
    if (run->source == SOURCE_LINUX)
        put_linux(&facts, &run->linux_host);
    else
        put_firmware(&facts, run);
    if (caps)
        put_cpu(&facts, run, caps);
    if (caps && run->source == SOURCE_BARE_METAL && !run->emulated && !run->hypervisor[0])
        put_tried(&facts, caps);
    put_tsc(&facts, run, caps);
    if (caps)
        facts_pmu(caps, take, context);
}

void facts_plan(const struct run_record *run, unsigned passes, take_fact *take, void *context)
{
    const struct facts facts = {take, context};
    char cpus[COUNTED_BYTES], kernels[COUNTED_BYTES], runs[COUNTED_BYTES], in[COUNTED_BYTES];
    const bool is_on_stick = run->plan_name[0] && run->source == SOURCE_BARE_METAL;

    put(&facts, "Plan", "%s%s: %s, %s, %s%s%s", is_on_stick ? "\\" : "",
        run->plan_name[0] ? run->plan_name : "built in", counted(run->cpus_planned, "CPU", cpus),
        counted(run->kernels, "kernel", kernels), counted(run->runs, "run", runs),
        passes > 0 ? " in " : "", passes > 0 ? counted(passes, "pass", in) : "");
    if (run->runs < run->runs_asked)
        put(&facts, "", "%u runs would exceed %s; to get them, set runs=%u in the plan",
            run->runs_asked, run->max_time_s > 0 ? "max_time" : "ten minutes", run->runs_asked);
}
