/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings of the plan's [state] on a CPU of the run (pmu/plan/state.h). Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_STATE_H
#define BARECOUNT_BOOT_RUN_STATE_H

#include "boot/run/measured_cpu.h"

/*
 * Sets them on the CPU, appends RECORD_STATE, and says what was set and what was not. A CPU that
 * does not answer here is left alone from then on. What the plan keeps is only looked at.
 */
void cpu_state_set(struct progress *p, struct measured_cpu *cpu);

/*
 * Puts back what was set, and notes what could not be. STATUS_OK also when there was nothing to do;
 * else the CPU cannot be asked any more, and its state is what was set.
 */
enum status cpu_state_restore(struct progress *p, struct measured_cpu *cpu);

/* Whether something of it is not put back. */
bool cpu_state_is_set(const struct measured_cpu *cpu);

#endif
