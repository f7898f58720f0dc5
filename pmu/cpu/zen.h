/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUID says about AMD's and Hygon's cores beyond cpu_caps: AMD APM vol. 3, appendix E.4. */
#ifndef BARECOUNT_PMU_CPU_ZEN_H
#define BARECOUNT_PMU_CPU_ZEN_H

#include "pmu/cpu/caps.h"

/* Numbers within the package, from the APIC ID as cpu_caps.core is, so that some may be missing. */
struct zen_place {
    bool has_ccx, has_ccd; /* CPUID says which */
    uint32_t ccx;          /* core complex: the CPUs with the same number share an L3 */
    uint32_t ccd;          /* die of the cores */
};

/*
 * The complex and the die of a CPU from Zen on: CPUID.80000026H. Without that leaf, the complex is
 * from the L3 of 8000001DH, and the die of a Zen 1 is the node of 8000001EH; no leaf says where the
 * dies of Zen 2 and Zen 3 are.
 */
void zen_place(cpuid_read *cpuid, const struct cpu_caps *caps, struct zen_place *place);

/*
 * The name of a CPU's core, as "Zen 4c"; "Zen 5 or Zen 5c" if its model has both and CPUID does not
 * tell which it is. "" if it is not known.
 */
const char *zen_core_name(const struct cpu_caps *caps);

/* The names of all cores of the CPU's model, as "Zen 5 and Zen 5c". */
const char *zen_cores_name(const struct cpu_caps *caps);

#endif
