/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU features that a kernel can need, as a mask. A unit test verifies that the bits and names
 * equal those of KERNEL_FEATURE_LIST in kernels/kernel.h. See the Intel SDM, vol. 2A "CPUID—CPU
 * Identification", and vol. 1 "Detection of Intel AVX Instructions" and "Detection of AVX-512
 * Foundation Instructions".
 */
#ifndef BARECOUNT_PMU_CPU_FEATURES_H
#define BARECOUNT_PMU_CPU_FEATURES_H

#include "pmu/cpu/caps.h"
#include "pmu/base/out.h"

#define CPU_FEATURES_COUNT 43u

/*
 * Sets caps->vector_state and caps->kernel_features. A feature's bit is set if CPUID reports the
 * feature and XCR0 can enable the feature's registers.
 */
void cpu_features_read(cpuid_read *cpuid, struct cpu_caps *caps);

/* The name of the feature with this bit number; null if there is none. */
const char *cpu_feature_name(unsigned bit);

/* Writes the names of a mask's bits: "sha, avx512f". */
void cpu_features_words(uint64_t mask, struct out *out);

#endif
