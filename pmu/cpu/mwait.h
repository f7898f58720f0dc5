/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deeply a CPU can sleep in MWAIT: CPUID.05H, Intel SDM vol. 2A "CPUID" (MONITOR/MWAIT leaf);
 * vol. 2B "MWAIT" for the hint in EAX.
 */
#ifndef BARECOUNT_PMU_CPU_MWAIT_H
#define BARECOUNT_PMU_CPU_MWAIT_H

#include "pmu/cpu/caps.h"

/*
 * The hint for the deepest state that the leaf lists; 0, state C1, when it lists none. Without an
 * invariant TSC, at most C2: in C3 and deeper the TSC may stop (vol. 3B "Time-Stamp Counter") and
 * would then lag behind those of other CPUs.
 */
uint32_t mwait_deepest_hint(const struct cpuid_regs *leaf_05h, bool has_invariant_tsc);

/*
 * False on models where a store to the monitored line may not end MWAIT, so that the CPU might
 * never wake. Linux wakes these by an interrupt (arch/x86, X86_BUG_MONITOR), but interrupts are off
 * here.
 */
bool mwait_ends(const struct cpu_caps *caps);

/*
 * Whether waiting with this hint helps: it is deeper than C1, and there is no hypervisor, under
 * which each MWAIT would be a busy loop or an exit to the host and might delay the CPU that
 * measures.
 */
static inline bool mwait_gains(const struct cpu_caps *caps, uint32_t hint)
{
    return hint >> 4 != 0 && !caps_has(caps, FEATURE_HYPERVISOR);
}

#endif
