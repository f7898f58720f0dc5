/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU that the program does not run on: what CPUID would say there of identity, performance
 * monitor and the features that kernels need, by family, model and stepping, or by a name.
 */
#ifndef BARECOUNT_PMU_CPU_OTHER_H
#define BARECOUNT_PMU_CPU_OTHER_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define OTHER_CORE_TYPES  2u
#define OTHER_WORDS_BYTES 160u /* room for what is wrong, and for other_cpu_words() */

/* CPU models that are alike. */
struct cpu_model {
    const char *names;  /* libpfm4's, perf's, perfmon's and others, with blanks between them */
    const char *models; /* of the family, as index.csv lists them; a name means the first */
    uint8_t vendor;     /* enum cpu_vendor */
    uint8_t family;
    uint8_t stepping_low, stepping_high;
    uint8_t core_type;     /* of a hybrid, CORE_TYPE_*; else 0 */
    uint8_t alone_count;   /* general counters of a core that runs one thread; 0: as many */
    struct cpuid_regs pmu; /* CPUID.0AH; of other vendors than Intel zeros */
    const char *features;  /* pmu/cpu/features.h has their names; null: not known */
};

struct other_cpu {
    const struct cpu_model *model;
    /*
     * Zeros where nothing is known: features, clock, place. kernel_features: what a product of the
     * model can have, and its firmware may switch off; all, where that is not known.
     */
    struct cpu_caps caps;
};

/* A machine's: of a hybrid both core types, performance first. */
struct other_cpus {
    unsigned count;
    struct other_cpu cpu[OTHER_CORE_TYPES];
};

/*
 * Finds "6/143" or "0x6/0x8f" (with "/4": the stepping) or a name, whose case, blanks, dashes and
 * underscores do not matter. False: `why` has a sentence, without the option's name.
 */
bool other_cpus_find(const char *text, struct other_cpus *found, struct out *why);

/* "Intel family 6 model 85 stepping 0-4 (skx, skylakex, skylakeserver)". */
void other_cpu_words(const struct other_cpu *cpu, struct out *out);

/* The table; a null pointer from its end on. */
const struct cpu_model *cpu_model_at(unsigned index);

#endif
