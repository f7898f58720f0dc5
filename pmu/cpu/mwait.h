/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds how deeply a CPU can sleep in MWAIT. The Intel SDM describes CPUID.05H in vol. 2A "CPUID"
 * (MONITOR/MWAIT leaf), and the hint in EAX in vol. 2B "MWAIT".
 */
#ifndef BARECOUNT_PMU_CPU_MWAIT_H
#define BARECOUNT_PMU_CPU_MWAIT_H

#include "pmu/cpu/caps.h"

/*
 * Returns the hint for the deepest state that CPUID.05H lists, or 0, the hint for C1, if it lists
 * none. If the TSC is not invariant, the state is at most C2, because in deeper states the TSC may
 * stop (vol. 3B "Time-Stamp Counter") and would then lag behind the TSCs of other CPUs.
 */
uint32_t mwait_deepest_hint(const struct cpuid_regs *leaf_05h, bool has_invariant_tsc);

/*
 * False on models on which a store to the monitored line may fail to end MWAIT, so that the CPU
 * might never wake. On Goldmont and Lunar Lake, Linux ends MWAIT with an interrupt
 * (arch/x86/kernel/cpu/intel.c, X86_BUG_MONITOR), but this program waits with interrupts off.
 */
bool mwait_ends(const struct cpu_caps *caps);

/*
 * Whether MWAIT with this hint is better than a busy loop. True if the state is deeper than C1 and
 * there is no hypervisor. Under a hypervisor, MWAIT would return at once, or exit to the host and
 * perhaps delay the CPU that measures.
 */
static inline bool mwait_gains(const struct cpu_caps *caps, uint32_t hint)
{
    return hint >> 4 != 0 && !caps_has(caps, FEATURE_HYPERVISOR);
}

#endif
