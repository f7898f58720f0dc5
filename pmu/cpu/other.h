/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identity, performance monitor and kernel features of a CPU that the program is not running on,
 * found by family, model and stepping, or by name.
 */
#ifndef BARECOUNT_PMU_CPU_OTHER_H
#define BARECOUNT_PMU_CPU_OTHER_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define OTHER_CORE_TYPES  2u
#define OTHER_WORDS_BYTES 160u /* room for an error, and for other_cpu_words() */

/* A group of CPU models with the same properties. */
struct cpu_model {
    const char *names;  /* of libpfm4, perf, perfmon and others, separated by blanks */
    const char *models; /* as index.csv lists them; a name selects the first */
    uint8_t vendor;     /* enum cpu_vendor */
    uint8_t family;
    uint8_t stepping_low, stepping_high;
    uint8_t core_type;     /* CORE_TYPE_* on a hybrid; else 0 */
    uint8_t alone_count;   /* general counters of a core with one thread; 0: the same */
    struct cpuid_regs pmu; /* CPUID.0AH; zeros unless Intel */
    const char *features;  /* names of pmu/cpu/features.h; null: not known */
};

struct other_cpu {
    const struct cpu_model *model;
    /*
     * Fields that are not known, such as features, clock and place, are 0. kernel_features has the
     * features that a product of the model can have, even if firmware may disable them; all
     * features if not known.
     */
    struct cpu_caps caps;
};

/* A machine's CPUs: on a hybrid one of each core type, performance cores first. */
struct other_cpus {
    unsigned count;
    struct other_cpu cpu[OTHER_CORE_TYPES];
};

/*
 * Finds "6/143" or "0x6/0x8f" (with "/4": the stepping), or a name, ignoring case, blanks, dashes
 * and underscores. False: `why` has an error message without the option's name.
 */
bool other_cpus_find(const char *text, struct other_cpus *found, struct out *why);

/* Writes "Intel family 6 model 85 stepping 0-4 (skx, skylakex, skylakeserver)". */
void other_cpu_words(const struct other_cpu *cpu, struct out *out);

/* A row of the table; null past its end. */
const struct cpu_model *cpu_model_at(unsigned index);

#endif
