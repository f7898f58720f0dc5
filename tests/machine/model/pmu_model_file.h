/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID leaves and MSRs of a CPU that a machine file describes (docs/machine-file.md). */
#ifndef I386_TCG_PMU_MODEL_FILE_H
#define I386_TCG_PMU_MODEL_FILE_H

#include "cpu.h"

/*
 * Sets `regs` (indices R_EAX etc.). If the file lacks the leaf, sets `regs` to 0 and returns false.
 */
bool pmu_file_leaf(const CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/*
 * Returns PMU_DONE and sets *value; PMU_FAULT if reading the MSR raised #GP; PMU_NOT_MINE if the
 * file does not contain the MSR, or if there is no file.
 */
int pmu_file_msr(const CPUX86State *env, uint32_t msr, uint64_t *value);

/*
 * Sets the properties of the PMU and the core type. The base ratio and the rate of the TSC are also
 * set, unless the user has set them.
 */
void pmu_file_defaults(CPUX86State *env);

/* AMD: whether the select of counter 2 has bit 43 (PREC_RET). */
bool pmu_file_prec_ret(const CPUX86State *env);

uint32_t pmu_file_arch_events(const CPUX86State *env);

/*
 * Adds those features of the file that the model implements. This also sets the highest leaf
 * numbers.
 */
void pmu_file_features(CPUX86State *env);

/* Replaces QEMU's leaves with the file's, except those that describe what QEMU itself does. */
void pmu_file_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                    uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

#endif
