/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges from the registers of a machine check whether the run can go on. See the Intel SDM
 * vol. 3B, "Machine-Check Architecture".
 */
#ifndef BARECOUNT_PMU_CPU_MACHINE_CHECK_H
#define BARECOUNT_PMU_CPU_MACHINE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Compares two values of an IA32_MCi_STATUS: the earlier value `found`, and `status`. Returns
 * `status` if its error is new, otherwise zero. OVER says that an error was lost; an error with
 * OVER is always treated as new.
 */
uint64_t mc_new_error(uint64_t found, uint64_t status);

/*
 * Whether an error in a bank ends the run. An error after which a CPU could go on only with a
 * repair also ends the run, because this program repairs nothing. `cap` is IA32_MCG_CAP, and
 * `mcg_status` is IA32_MCG_STATUS. False if `error` is 0.
 */
bool mc_is_fatal(uint64_t cap, uint64_t mcg_status, uint64_t error);

#endif
