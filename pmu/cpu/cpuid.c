/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/cpu/cpuid.h"

struct cpuid_regs cpuid_leaf(cpuid_read *cpuid, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs top, regs = {0};

    cpuid(leaf & 0x80000000u, 0, &top);
    if (leaf <= top.eax && (top.eax & 0x80000000u) == (leaf & 0x80000000u))
        cpuid(leaf, subleaf, &regs);
    return regs;
}
