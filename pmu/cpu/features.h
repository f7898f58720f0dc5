/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU features that kernels can need, with the bits and names of KERNEL_FEATURE_LIST (Intel SDM
 * vol. 2A "CPUID—CPU Identification", vol. 1 "Detection of Intel AVX Instructions" and "Detection
 * of AVX-512 Foundation Instructions").
 */
#ifndef BARECOUNT_PMU_CPU_FEATURES_H
#define BARECOUNT_PMU_CPU_FEATURES_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define CPU_FEATURES_COUNT 43u

/*
 * Sets caps->vector_state and caps->kernel_features. A feature is set only if XCR0 can enable its
 * registers.
 */
void cpu_features_read(cpuid_read *cpuid, struct cpu_caps *caps);

/* Null: no such feature. */
const char *cpu_feature_name(unsigned bit);

/* Writes the names of the features in `mask`, such as "sha, avx512f". */
void cpu_features_words(uint64_t mask, struct out *out);

#endif
