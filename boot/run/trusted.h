/* SPDX-License-Identifier: BSD-2-Clause */
/* What an earlier run has found out about the counters of this type of CPU. Boot CPU only. */
#ifndef BARECOUNT_BOOT_RUN_TRUSTED_H
#define BARECOUNT_BOOT_RUN_TRUSTED_H

#include "boot/run/measured_cpu.h"

/*
 * Writes the trust map that an earlier run made of this CPU to the journal, and notes which of the
 * scheduled events that map calls wrong. The CPU's events must already be scheduled. Does nothing
 * if there is no such map, or if the plan has counters=each.
 */
void run_trust_take(struct progress *p, const struct measured_cpu *cpu);

#endif
