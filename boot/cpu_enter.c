/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cpu.h"
#include "boot/cpu_traps.h"

#define XCR0_X87_SSE_AVX 7ull

void cpu_read_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    uint32_t values[4];

    cpu_cpuid(leaf, subleaf, values);
    *regs = (struct cpuid_regs){values[0], values[1], values[2], values[3]};
}

static bool port_read(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    return msr_read(msr, value);
}

static bool port_write(void *context, uint32_t msr, uint64_t value)
{
    (void)context;
    return msr_write(msr, value);
}

const struct msr_port CPU_MSRS = {.read = port_read, .write = port_write};

/* Firmware may leave AVX off (an AP has CR4.OSXSAVE clear); kernels that need it get it on. */
void cpu_enter(struct cpu_context *context, const struct cpu_caps *caps)
{
    context->flags = cpu_flags_then_cli();
    context->nmis = 0;
    context->recovery = 0;
    traps_install(context);
    cpu_fxsave(context->fx_state);
    context->cr4 = cpu_cr4();
    if (!caps_has(caps, FEATURE_XSAVE))
        return;
    cpu_set_cr4(context->cr4 | CR4_OSXSAVE);
    context->xcr0 = cpu_xcr0();
    if (caps_has(caps, FEATURE_AVX))
        cpu_set_xcr0(context->xcr0 | XCR0_X87_SSE_AVX);
}

void cpu_leave(struct cpu_context *context, const struct cpu_caps *caps)
{
    if (caps_has(caps, FEATURE_XSAVE)) {
        cpu_set_xcr0(context->xcr0);
        cpu_set_cr4(context->cr4);
    }
    cpu_fxrstor(context->fx_state);
    traps_remove(context);
    if (context->flags & RFLAGS_IF)
        cpu_sti();
}
