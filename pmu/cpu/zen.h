/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUID says about AMD's and Hygon's cores beyond cpu_caps: AMD APM vol. 3, appendix E.4. */
#ifndef BARECOUNT_PMU_CPU_ZEN_H
#define BARECOUNT_PMU_CPU_ZEN_H

#include "pmu/cpu/caps.h"

/* Numbers within the package. */
struct zen_place {
    bool has_ccx, has_ccd;
    uint32_t ccx; /* core complex, whose cores share an L3 */
    uint32_t ccd; /* core die */
};

/*
 * Finds the core complex and the core die of an AMD or Hygon CPU. No leaf gives the die of Zen 2
 * and Zen 3.
 */
void zen_place(cpuid_read *cpuid, const struct cpu_caps *caps, struct zen_place *place);

/*
 * The name of a CPU's core, such as "Zen 4c", or "" if not known. The name is "Zen 5 or Zen 5c" if
 * the model has both and CPUID does not tell them apart.
 */
const char *zen_core_name(const struct cpu_caps *caps);

/* All kinds of core in the CPU's model, such as "Zen 5 and Zen 5c"; "" if not known. */
const char *zen_cores_name(const struct cpu_caps *caps);

#endif
