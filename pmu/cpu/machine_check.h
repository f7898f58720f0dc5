/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges whether a run can go on after a machine check (Intel SDM vol. 3B "Machine-Check
 * Architecture").
 */
#ifndef BARECOUNT_PMU_CPU_MACHINE_CHECK_H
#define BARECOUNT_PMU_CPU_MACHINE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns `status`, an IA32_MCi_STATUS, if its error is new since the earlier value `found`, else
 * 0. OVER always means a new error.
 */
uint64_t mc_new_error(uint64_t found, uint64_t status);

/*
 * Whether a bank's error ends the run; an error that needs a repair does. `cap` is IA32_MCG_CAP,
 * `mcg_status` IA32_MCG_STATUS. False if `error` is 0.
 */
bool mc_is_fatal(uint64_t cap, uint64_t mcg_status, uint64_t error);

#endif
