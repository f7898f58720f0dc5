/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/net/remote.h"
#include "boot/plan/kernels.h"
#include "boot/plan/remarks.h"
#include "boot/plan/session.h"

#include "pmu/cpu/msr.h"
#include "pmu/cpu/tsc.h"

#define SPIN_ITERATIONS    (1u << 20)
#define SPIN_INSTRUCTIONS  (2ull * SPIN_ITERATIONS)
#define CORE_TYPE_BOUND_US 1000000u

/* A virtual machine has its name in this leaf; this is that of QEMU's emulation. */
#define LEAF_HYPERVISOR 0x40000000u
#define TCG_EBX         0x54474354u /* TCGT */
#define TCG_ECX         0x43544743u /* CGTC */
#define TCG_EDX         0x47435447u /* GTCG */

static bool is_emulated(const struct cpu_caps *caps)
{
    struct cpuid_regs regs;

    if (!caps_has(caps, FEATURE_HYPERVISOR))
        return false;
    cpu_read_cpuid(LEAF_HYPERVISOR, 0, &regs);
    return regs.ebx == TCG_EBX && regs.ecx == TCG_ECX && regs.edx == TCG_EDX;
}

/* MSR_PLATFORM_INFO of the boot CPU, or 0. Reading it needs our own fault handling. */
static uint64_t platform_info(const struct session *session)
{
    uint64_t value = 0;

    if (session->boot_caps.vendor != VENDOR_INTEL || !caps_has(&session->boot_caps, FEATURE_MSR) ||
        !cpu_peek_msr(&session->contexts[session->cpus.boot], MSR_PLATFORM_INFO, &value))
        return 0;
    return value;
}

static void find_clock(struct session *session)
{
    uint64_t start, ticks;
    uint32_t count = SPIN_ITERATIONS;

    session->tsc_measured_hz = firmware_measure_tsc();
    session->tsc_hz = tsc_frequency(&session->boot_caps, platform_info(session),
                                    session->tsc_measured_hz, &session->tsc_source);
    start = cpu_tsc();
    __asm__ volatile("1: decl %0; jnz 1b" : "+r"(count) : : "cc");
    ticks = cpu_tsc() - start;
    session->picoseconds_per_instruction =
        ticks * 1000000 / (session->tsc_hz / 1000000) / SPIN_INSTRUCTIONS + 1;
}

bool session_start(struct session *session)
{
    size_t contexts_bytes;

    session->start_tsc = cpu_tsc();
    caps_read(cpu_read_cpuid, &session->boot_caps);
    session->emulated = is_emulated(&session->boot_caps);
    cpus_find(&session->cpus, session->boot_caps.x2apic_id);
    contexts_bytes = session->cpus.count * (size_t)sizeof(struct cpu_context);
    session->contexts = firmware_memory(contexts_bytes);
    if (!session->contexts) {
        say("\nbarecount cannot start: the firmware has no %llu bytes of memory for its CPUs, "
            "%u.\n",
            (unsigned long long)contexts_bytes, session->cpus.count);
        return false;
    }
    find_clock(session);
    firmware_describe(&session->machine);
    remarks_find(session);
    session->has_files = files_open(&REMOTE_FILES, &session->has_all_volumes);
    return kernels_find(session);
}

/* Argument: where it goes. */
static void read_core_type(void *argument)
{
    struct cpuid_regs type;

    cpu_read_cpuid(0x1a, 0, &type);
    *(volatile uint8_t *)argument = (uint8_t)(type.eax >> 24);
}

void session_find_core_types(struct session *session)
{
    const struct cpus *cpus = &session->cpus;

    if (!caps_has(&session->boot_caps, FEATURE_HYBRID) || session->has_core_types)
        return;
    session->has_core_types = true;
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].usable)
            cpus_run(cpus, i, read_core_type, &session->core_type[i], CORE_TYPE_BOUND_US);
}

uint64_t session_us(const struct session *session)
{
    return (cpu_tsc() - session->start_tsc) / (session->tsc_hz / 1000000);
}

bool session_supports(const struct cpu_caps *caps, uint64_t cpu_features)
{
    return caps_lacks(caps, cpu_features) == 0;
}
