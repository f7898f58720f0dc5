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
 * `found` and `status` are an earlier and the current value of an IA32_MCi_STATUS. Returns `status`
 * if it contains a new error, else 0. OVER always means a new error.
 */
uint64_t mc_new_error(uint64_t found, uint64_t status);

/*
 * Whether the error of a bank ends the run, for example because software would have to recover from
 * it first. `error` is the bank's IA32_MCi_STATUS, `cap` is IA32_MCG_CAP, and `mcg_status` is
 * IA32_MCG_STATUS. False if `error` is 0.
 */
bool mc_is_fatal(uint64_t cap, uint64_t mcg_status, uint64_t error);

#endif
