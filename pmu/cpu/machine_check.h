/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine check's registers say about going on. Intel SDM vol. 3B, "Machine-Check
 * Architecture".
 */
#ifndef BARECOUNT_PMU_CPU_MACHINE_CHECK_H
#define BARECOUNT_PMU_CPU_MACHINE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * `status`, an IA32_MCi_STATUS that was `found` earlier, if it holds an error since then; else 0.
 * With OVER, an error was lost, perhaps since then: that is new too.
 */
uint64_t mc_new_error(uint64_t found, uint64_t status);

/*
 * Whether an error in a bank forbids going on, or does so until a repair, which nobody makes here.
 * `cap`: IA32_MCG_CAP, `mcg_status`: IA32_MCG_STATUS; 0 as the error: false.
 */
bool mc_is_fatal(uint64_t cap, uint64_t mcg_status, uint64_t error);

#endif
