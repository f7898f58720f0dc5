/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID, through a port: Intel SDM vol. 2A. */
#ifndef BARECOUNT_PMU_CPU_CPUID_H
#define BARECOUNT_PMU_CPU_CPUID_H

#include <stdint.h>

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

/* Executes CPUID on the CPU that runs. */
typedef void cpuid_read(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/* A leaf of CPUID, or zeros beyond the highest: there a CPU answers with the data of another. */
struct cpuid_regs cpuid_leaf(cpuid_read *cpuid, uint32_t leaf, uint32_t subleaf);

#endif
