/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUID says about AMD's and Hygon's cores beyond cpu_caps: AMD APM vol. 3, appendix E.4. */
#ifndef BARECOUNT_PMU_CPU_ZEN_H
#define BARECOUNT_PMU_CPU_ZEN_H

#include "pmu/cpu/caps.h"

/*
 * Numbers within the package. Numbers that are derived from the APIC ID, such as cpu_caps.core,
 * need not be consecutive.
 */
struct zen_place {
    bool has_ccx, has_ccd; /* whether CPUID gives ccx and ccd */
    uint32_t ccx;          /* core complex: the CPUs with the same number share an L3 */
    uint32_t ccd;          /* core die */
};

/*
 * Finds the core complex and the core die of an AMD or Hygon CPU from Zen on, in CPUID.80000026H.
 * If the CPU lacks that leaf, the complex is found from the L3 in CPUID.8000001DH. On Zen 1, the
 * die is then the node in CPUID.8000001EH; on Zen 2 and Zen 3, no leaf gives the die.
 */
void zen_place(cpuid_read *cpuid, const struct cpu_caps *caps, struct zen_place *place);

/*
 * The name of a CPU's core, such as "Zen 4c". If CPUID does not say which of the model's two kinds
 * of core this core is, the name is, for example, "Zen 5 or Zen 5c". If no name is known, the
 * result is "".
 */
const char *zen_core_name(const struct cpu_caps *caps);

/* The names of all kinds of core in the CPU's model, such as "Zen 5 and Zen 5c"; "": not known. */
const char *zen_cores_name(const struct cpu_caps *caps);

#endif
