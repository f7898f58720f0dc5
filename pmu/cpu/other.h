/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a CPU other than the one that the program runs on, by family, model and stepping, or by
 * name. Gives the CPU's identity, performance monitor and kernel features.
 */
#ifndef BARECOUNT_PMU_CPU_OTHER_H
#define BARECOUNT_PMU_CPU_OTHER_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define OTHER_CORE_TYPES  3u
#define OTHER_WORDS_BYTES 160u /* enough for an error message or other_cpu_words() */

/* A group of CPU models with the same properties. */
struct cpu_model {
    const char *names;  /* used by libpfm4, perf, perfmon and so on; separated by blanks */
    const char *models; /* numbers as in index.csv; a name in `names` stands for the first */
    uint8_t vendor;     /* enum cpu_vendor */
    uint8_t family;
    uint8_t stepping_low, stepping_high;
    uint8_t core_type;     /* CORE_TYPE_* on a hybrid; else 0 */
    uint8_t native_model;  /* nonzero only if a machine has two kinds of core of this type */
    uint8_t alone_count;   /* general counters of a core with one thread; 0: as many as with two */
    struct cpuid_regs pmu; /* CPUID.0AH of an Intel CPU, 8000_0022H of an AMD CPU */
    struct cpuid_regs counters; /* CPUID.23H, subleaf 1; zeros if selects lack UMASK2 and EQ */
    const char *features;       /* names from pmu/cpu/features.h; null: not known */
};

struct other_cpu {
    const struct cpu_model *model; /* null: the model is not known, but CPUID was read */
    bool is_read; /* `caps` is from the CPU's own CPUID, not a guess from the model */
    /*
     * If is_read is false: unknown fields, such as crystal_hz and x2apic_id, are 0. Of the flags in
     * `features`, only FEATURE_HYBRID, _AMD_CORE, _AMD_PREC_RET, _UMASK2 and _EQ can be set.
     * kernel_features contains every feature that any CPU of the model can have, even if firmware
     * can disable it. If the model's features are not known, kernel_features contains all features.
     */
    struct cpu_caps caps;
};

/* Whether the CPU's kernel_features are known; if not, kernel_features contains all features. */
static inline bool other_cpu_features_known(const struct other_cpu *cpu)
{
    return cpu->is_read || cpu->model->features;
}

/* One CPU of a machine; on a hybrid, one CPU of each kind of core, the performance core first. */
struct other_cpus {
    unsigned count;
    struct other_cpu cpu[OTHER_CORE_TYPES];
};

/*
 * Finds a CPU by numbers ("6/143", "0x6/0x8f", or "6/143/4" with a stepping) or by a name. In a
 * name, ignores case, blanks, dashes and underscores. If there is no such CPU, returns false and
 * writes an error message to `why`; the message does not name the option.
 */
bool other_cpus_find(const char *text, struct other_cpus *found, struct out *why);

/* Writes "Intel family 6 model 85 stepping 0-4 (skx, skylakex, skylakeserver)". */
void other_cpu_words(const struct other_cpu *cpu, struct out *out);

/* The model of a CPU; null if it is not known. */
const struct cpu_model *cpu_model_of(const struct cpu_caps *caps);

/* A row of the table of models; null past its end. */
const struct cpu_model *cpu_model_at(unsigned index);

#endif
