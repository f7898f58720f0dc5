/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine check's registers say about whether the run can go on. Intel SDM vol. 3B,
 * "Machine-Check Architecture".
 */
#ifndef BARECOUNT_PMU_CPU_MACHINE_CHECK_H
#define BARECOUNT_PMU_CPU_MACHINE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns `status`, the value of an IA32_MCi_STATUS, if it holds a newer error than its earlier
 * value `found`; else 0. If OVER is set, an error was lost, which counts as a newer one.
 */
uint64_t mc_new_error(uint64_t found, uint64_t status);

/*
 * Whether the run cannot go on after an error in a bank, or only after a repair, which nothing here
 * makes. `cap`: IA32_MCG_CAP, `mcg_status`: IA32_MCG_STATUS. False if `error` is 0.
 */
bool mc_is_fatal(uint64_t cap, uint64_t mcg_status, uint64_t error);

#endif
