/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deep a CPU can wait: CPUID.05H, Intel SDM vol. 2A "CPUID" (MONITOR/MWAIT leaf), and vol. 2B
 * "MWAIT" for the hint in EAX.
 */
#ifndef BARECOUNT_PMU_CPU_MWAIT_H
#define BARECOUNT_PMU_CPU_MWAIT_H

#include "pmu/cpu/caps.h"

/*
 * The hint of the deepest state that the leaf lists; 0, state C1, when it lists none. Where the
 * time stamp is not invariant it may stand still in C3 and deeper (vol. 3B "Time-Stamp Counter"),
 * and CPUs that wait there would come back behind the others: then C2 is the deepest.
 */
uint32_t mwait_deepest_hint(const struct cpuid_regs *leaf_05h, bool has_invariant_tsc);

/*
 * False on models where a store to the watched line may not end MWAIT, so that a CPU might never
 * come back. Linux wakes those by an interrupt (arch/x86, X86_BUG_MONITOR), which is off here.
 */
bool mwait_ends(const struct cpu_caps *caps);

/*
 * Whether CPUs gain by waiting so: the hint is for more than C1, and this is no virtual machine.
 * There MWAIT is a busy loop or an exit to the host, for each of the CPUs, and may keep the host
 * from running the one that measures.
 */
static inline bool mwait_gains(const struct cpu_caps *caps, uint32_t hint)
{
    return hint >> 4 != 0 && !caps_has(caps, FEATURE_HYPERVISOR);
}

#endif
