/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deeply a CPU can sleep in MWAIT (Intel SDM vol. 2A "CPUID", MONITOR/MWAIT leaf, and vol. 2B
 * "MWAIT").
 */
#ifndef BARECOUNT_PMU_CPU_MWAIT_H
#define BARECOUNT_PMU_CPU_MWAIT_H

#include "pmu/cpu/caps.h"

/*
 * The hint for the deepest state in CPUID.05H. Hint 0 stands for C1. Without an invariant TSC, the
 * state is at most C2, because a deeper state may stop the TSC (SDM vol. 3B "Time-Stamp Counter").
 */
uint32_t mwait_deepest_hint(const struct cpuid_regs *leaf_05h, bool has_invariant_tsc);

/*
 * False if a store may fail to end MWAIT. On Goldmont and Lunar Lake, Linux wakes a CPU with an
 * interrupt (arch/x86/kernel/cpu/intel.c, X86_BUG_MONITOR). This program cannot wake CPUs with
 * interrupts, because its CPUs wait with interrupts off.
 */
bool mwait_ends(const struct cpu_caps *caps);

/*
 * Whether MWAIT is better than a busy loop: the state must be deeper than C1, and there must be no
 * hypervisor. Under a hypervisor, MWAIT may exit to the host and delay the CPU that measures.
 */
static inline bool mwait_gains(const struct cpu_caps *caps, uint32_t hint)
{
    return hint >> 4 != 0 && !caps_has(caps, FEATURE_HYPERVISOR);
}

#endif
