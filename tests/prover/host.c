/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects this host's CPU features. */
#include "tests/prover/host.h"

#include <cpuid.h>

#include "pmu/cpu/features.h"

#define OSXSAVE (1u << 27) /* bit of CPUID.1:ECX */

static uint32_t xcr0(void)
{
    uint32_t eax, edx;

    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

/*
 * Executes CPUID. For leaf 0DH, subleaf 0, clears the bits in EAX whose states the operating system
 * has not enabled.
 */
static void host_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    struct cpuid_regs one;

    __cpuid_count(leaf, subleaf, regs->eax, regs->ebx, regs->ecx, regs->edx);
    if (leaf != 0xd || subleaf != 0)
        return;
    __cpuid_count(1, 0, one.eax, one.ebx, one.ecx, one.edx);
    regs->eax &= one.ecx & OSXSAVE ? xcr0() : 0;
}

uint64_t host_lacks(uint64_t cpu_features)
{
    static struct cpu_caps caps;

    if (caps.max_leaf == 0)
        caps_read(host_cpuid, &caps);
    return caps_lacks(&caps, cpu_features);
}

void host_lacks_words(uint64_t lacking, char *text, size_t bytes)
{
    struct out out = out_buffer(text, bytes);

    out_text(&out, "host lacks ");
    cpu_features_words(lacking, &out);
    out_end(&out);
}
