/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU features that a kernel can need, as a mask: its bits and names are those of
 * KERNEL_FEATURE_LIST in kernels/kernel.h, which a unit test holds them against. Intel SDM vol. 2A
 * "CPUID—CPU Identification"; vol. 1 "Detection of Intel AVX Instructions" and "Detection of
 * AVX-512 Foundation Instructions".
 */
#ifndef BARECOUNT_PMU_CPU_FEATURES_H
#define BARECOUNT_PMU_CPU_FEATURES_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define CPU_FEATURES_COUNT 43u

/*
 * Sets caps->vector_state, and caps->kernel_features: what CPUID promises, without what works in
 * registers whose state the CPU cannot enable.
 */
void cpu_features_read(cpuid_read *cpuid, struct cpu_caps *caps);

/* The name of a bit; a null pointer from CPU_FEATURES_COUNT on. */
const char *cpu_feature_name(unsigned bit);

/* "sha, avx512f": the names of a mask. */
void cpu_features_words(uint64_t mask, struct out *out);

#endif
