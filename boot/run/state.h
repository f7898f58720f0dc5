/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the plan's [state] to a CPU (pmu/plan/state.h). Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_STATE_H
#define BARECOUNT_BOOT_RUN_STATE_H

#include "boot/run/measured_cpu.h"

/*
 * Applies the settings, appends RECORD_STATE and reports what was set. Settings with the value
 * `keep` are only read.
 */
void cpu_state_set(struct progress *p, struct measured_cpu *cpu);

/*
 * Restores the settings and notes failures. Any status but STATUS_OK means that the CPU no longer
 * answers.
 */
enum status cpu_state_restore(struct progress *p, struct measured_cpu *cpu);

/* Whether a setting is still to be restored. */
bool cpu_state_is_set(const struct measured_cpu *cpu);

#endif
