/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares a CPU's interrupts, NMIs, SSE and AVX for a measurement, and restores them. */
#include "boot/cpu/cpu.h"
#include "boot/cpu/traps.h"
#include "pmu/cpu/msr.h"

#define TASK_PRIORITY_MAX 15ull /* blocks all vectors */
#define DRAIN_TURNS       8u

/*
 * Limits of waits, in time stamp ticks: many seconds for has_ender to become false, about a
 * millisecond for an NMI that was sent.
 */
#define ENDER_TICKS (1ull << 36)
#define NMI_TICKS   (1ull << 22)

void cpu_read_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    uint32_t values[4];

    cpu_cpuid(leaf, subleaf, values);
    *regs = (struct cpuid_regs){values[0], values[1], values[2], values[3]};
}

/* Gives up if a device keeps interrupting. */
static void drain_interrupts(struct cpu_context *context)
{
    unsigned taken = 0, pending;

    for (unsigned turn = 0; context->flags & RFLAGS_IF && turn < DRAIN_TURNS; turn++) {
        cpu_sti();
        cpu_pause();
        cpu_flags_then_cli();
        apic_pending(&context->apic, &taken);
        if (taken == 0)
            break;
    }
    pending = apic_pending(&context->apic, &taken);
    if (pending > context->pending)
        context->pending = pending;
}

/*
 * Makes the APIC hold back interrupts that bypass the local vector table (Intel SDM vol. 3A "Task
 * Priority"). UEFI's task priority levels (TPL) do not use CR8.
 */
static void raise_priority(struct cpu_context *context)
{
    if (!context->apic.present)
        return;
    context->task_priority = cpu_cr8();
    cpu_set_cr8(TASK_PRIORITY_MAX);
}

static void mask_interrupts(struct cpu_context *context, const struct cpu_caps *caps)
{
    uint64_t apic_base = 0;

    if (caps_has(caps, FEATURE_MSR | FEATURE_APIC) && msr_read(MSR_IA32_APIC_BASE, &apic_base))
        apic_mask(&context->apic, apic_base);
    else
        context->apic.present = false;
}

/*
 * Waits for NMIs that were sent to end a kernel, because the firmware must not receive them. The
 * fence orders the read of `has_ender` after the last write to `windows` (boot/cpu/watch.c).
 */
static void await_nmis(const struct cpu_context *context)
{
    uint64_t start = cpu_tsc();

    cpu_fence();
    while (context->has_ender && cpu_tsc() - start < ENDER_TICKS)
        cpu_pause();
    start = cpu_tsc();
    while (context->end_sent && cpu_tsc() - start < NMI_TICKS)
        cpu_pause();
}

void cpu_sse_on(void)
{
    cpu_set_cr4(cpu_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT);
}

/*
 * Enables SSE (off in U-Boot) and AVX (off on OVMF's APs). FXSAVE saves enough, because the calling
 * convention makes the other vector registers volatile (UEFI specification, "x64 Calling
 * Conventions").
 */
void cpu_enter(struct cpu_context *context, const struct cpu_caps *caps)
{
    context->flags = cpu_flags_then_cli();
    context->nmis = context->machine_checks = 0;
    context->recovery = 0;
    traps_install(context);
    await_nmis(context);
    context->has_ender = context->end_sent = false;
    context->end_asked = 0;
    mask_interrupts(context, caps);
    traps_remove(context);
    drain_interrupts(context);
    raise_priority(context);
    traps_install(context);
    apic_look_at_timer(&context->apic);
    context->cr4 = cpu_cr4();
    cpu_sse_on();
    cpu_fxsave(context->fx_state);
    if (!caps_has(caps, FEATURE_XSAVE))
        return;
    cpu_set_cr4(cpu_cr4() | CR4_OSXSAVE);
    context->xcr0 = cpu_xcr0();
    if (caps->vector_state != 0)
        cpu_set_xcr0(context->xcr0 | caps->vector_state);
}

bool cpu_peek_msr(struct cpu_context *context, uint32_t msr, uint64_t *value)
{
    uint64_t flags = cpu_flags_then_cli();
    bool ok;

    context->recovery = 0;
    traps_install(context);
    ok = msr_read(msr, value);
    traps_remove(context);
    if (flags & RFLAGS_IF)
        cpu_sti();
    return ok;
}

void cpu_leave(struct cpu_context *context, const struct cpu_caps *caps)
{
    await_nmis(context);
    if (caps_has(caps, FEATURE_XSAVE))
        cpu_set_xcr0(context->xcr0);
    cpu_fxrstor(context->fx_state);
    cpu_set_cr4(context->cr4);
    if (context->apic.present)
        cpu_set_cr8(context->task_priority);
    apic_restore(&context->apic);
    traps_remove(context);
    if (context->flags & RFLAGS_IF)
        cpu_sti();
}
