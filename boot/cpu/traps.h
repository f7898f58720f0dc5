/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of a CPU between cpu_enter() and cpu_leave(). */
#ifndef BARECOUNT_BOOT_CPU_TRAPS_H
#define BARECOUNT_BOOT_CPU_TRAPS_H

#include "boot/cpu/cpu.h"

#define TRAP_NMI 2u
#define TRAP_BP  3u
#define TRAP_DF  8u
#define TRAP_MC  18u

/*
 * An interrupt gate to `entry`, for software of any ring up to `dpl`, with the stack of that number
 * in the TSS; 0: with the one that is in use.
 */
struct gate trap_gate(uint64_t entry, unsigned dpl, unsigned stack);

/* The same for an exception in a space: boot/cpu/space.h. Only on a stack of the TSS. */
struct gate trap_space_gate(unsigned vector, unsigned dpl, unsigned stack);

void traps_install(struct cpu_context *context);
void traps_remove(struct cpu_context *context);

#endif
