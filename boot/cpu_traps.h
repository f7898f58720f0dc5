/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of a CPU between cpu_enter() and cpu_leave(). */
#ifndef BARECOUNT_BOOT_CPU_TRAPS_H
#define BARECOUNT_BOOT_CPU_TRAPS_H

#include "boot/cpu.h"

/* An interrupt gate to `entry`, for software of any ring up to `dpl`. */
struct gate trap_gate(uint64_t entry, unsigned dpl);

void traps_install(struct cpu_context *context);
void traps_remove(struct cpu_context *context);

#endif
