/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes a CPU other than the current one, by family, model and stepping, or by name. Only
 * barecount-linux uses this code; the image's linker leaves it out.
 */
#ifndef BARECOUNT_PMU_CPU_OTHER_H
#define BARECOUNT_PMU_CPU_OTHER_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define OTHER_CORE_TYPES  3u
#define OTHER_WORDS_BYTES 160u /* for other_cpu_words(), or an error of other_cpus_find() */

struct cpu_model {
    const char *names;  /* of libpfm4, perf, perfmon and so on, separated by blanks */
    const char *models; /* model numbers as in index.csv; `names` stand for the first model */
    uint8_t vendor;     /* enum cpu_vendor */
    uint8_t family;
    uint8_t stepping_low, stepping_high;
    uint8_t core_type;          /* CORE_TYPE_* on a hybrid */
    uint8_t native_model;       /* CPUID.1AH; 0: all cores of this type are of one kind */
    uint8_t alone_count;        /* general counters of a core with one thread; 0: as in `pmu` */
    struct cpuid_regs pmu;      /* CPUID.0AH; AMD: 8000_0022H */
    struct cpuid_regs counters; /* CPUID.23H, subleaf 1, or zeros */
    const char *features;       /* null: not known */
};

struct other_cpu {
    const struct cpu_model *model; /* null: unknown model, but CPUID was read */
    bool is_read;                  /* `caps` is from the CPU's own CPUID */
    /*
     * If is_read is false, unknown fields such as crystal_hz are 0, and `features` has only
     * FEATURE_HYBRID, _AMD_CORE, _AMD_PREC_RET, _UMASK2 and _EQ. kernel_features then contains all
     * features that a CPU of the model can have.
     */
    struct cpu_caps caps;
};

/* Whether the CPU's features are known; if they are not, kernel_features contains all features. */
static inline bool other_cpu_features_known(const struct other_cpu *cpu)
{
    return cpu->is_read || cpu->model->features;
}

/* On a hybrid, one CPU of each kind of core, the performance core first. */
struct other_cpus {
    unsigned count;
    struct other_cpu cpu[OTHER_CORE_TYPES];
};

/*
 * Finds a CPU by numbers ("6/143", "0x6/0x8f", "6/143/4") or by a name, ignoring case, blanks,
 * dashes and underscores. If there is none, returns false and says why.
 */
bool other_cpus_find(const char *text, struct other_cpus *found, struct out *why);

/* Writes, for example, "Intel family 6 model 85 stepping 0-4 (skx, skylakex)". */
void other_cpu_words(const struct other_cpu *cpu, struct out *out);

/* Null: unknown model. */
const struct cpu_model *cpu_model_of(const struct cpu_caps *caps);

/* A row of the table; null past its end. */
const struct cpu_model *cpu_model_at(unsigned index);

#endif
