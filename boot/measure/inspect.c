/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets a CPU describe itself before anything is measured on it. */
#include "boot/measure/measure.h"
#include "pmu/journal/evidence.h"
#include "pmu/cpu/msr.h"

static bool get(const struct msr_port *msrs, uint32_t msr, uint64_t *value)
{
    return msrs->read(msrs->context, msr, value);
}

static void inspect_intel(const struct msr_port *msrs, struct cpu_record *record)
{
    const struct cpu_caps *caps = &record->caps;
    uint64_t value = 0;

    /*
     * The high half contains the microcode revision after software has written 0 to the MSR and
     * executed CPUID (Intel SDM vol. 3A "Update Signature and Verification"). The firmware did both
     * when it loaded the update.
     */
    if (get(msrs, MSR_IA32_BIOS_SIGN_ID, &value))
        record->microcode = (uint32_t)(value >> 32);
    if (caps->pmu_version > 0 &&
        (!get(msrs, MSR_IA32_MISC_ENABLE, &value) || !(value & MISC_ENABLE_PERFMON)))
        record->flags |= CPU_PERFMON_HIDDEN;
    if (caps_has(caps, FEATURE_PDCM) && get(msrs, MSR_IA32_PERF_CAPABILITIES, &value))
        record->perf_capabilities = value;
    if (get(msrs, MSR_UNCORE_PERF_STATUS, &value) && value & UNCORE_RATIO)
        record->flags |= CPU_HAS_UNCORE_RATIO;
}

static void inspect_registers(const struct msr_port *msrs, struct cpu_record *record)
{
    struct cpu_caps *caps = &record->caps;

    evidence_probe(msrs, record);
    if (record->flags & CPU_HAS_APERF && evidence_mperf_differs(cpu_clocks, cpu_tsc))
        record->flags |= CPU_MPERF_DIFFERS;
    if (caps->vendor == VENDOR_INTEL)
        inspect_intel(msrs, record);
    record->tsc_ratio = tsc_read_ratio(caps, msrs->read, msrs->context);
    record->refused_msr = pmu_probe(msrs, caps);
    pmu_take(msrs, caps, &record->found);
    if (pmu_was_in_use(&record->found, caps))
        record->flags |= CPU_WAS_IN_USE;
    pmu_give_back(msrs, caps, &record->found);
}

void inspect_cpu(void *argument)
{
    struct inspect_task *task = argument;
    struct cpu_record *record = task->record;
    struct machine_msrs noted;
    struct zen_place place;
    const struct msr_port *msrs = &CPU_MSRS;

    if (task->answers) {
        machine_leaves_read(cpu_read_cpuid, &task->answers->leaves);
        machine_msrs_start(&noted, &CPU_MSRS, &task->answers->registers);
        msrs = &noted.port;
    }
    caps_read(cpu_read_cpuid, &record->caps);
    caps_caches(cpu_read_cpuid, &record->caps, record->cache);
    record->caches_bytes = caps_caches_bytes(record->cache);
    zen_place(cpu_read_cpuid, &record->caps, &place);
    cpu_record_place(record, &place);
    cpu_enter(task->context, &record->caps);
    if (cpu_cr4() & CR4_PGE)
        record->flags |= CPU_HAS_GLOBAL_PAGES;
    if (record->caps.vendor != VENDOR_OTHER && caps_has(&record->caps, FEATURE_MSR))
        inspect_registers(msrs, record);
    cpu_leave(task->context, &record->caps);
}
