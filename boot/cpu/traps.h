/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception handling between cpu_enter() and cpu_leave(). */
#ifndef BARECOUNT_BOOT_CPU_TRAPS_H
#define BARECOUNT_BOOT_CPU_TRAPS_H

#include "boot/cpu/cpu.h"

#define TRAP_NMI 2u
#define TRAP_BP  3u
#define TRAP_DF  8u
#define TRAP_MC  18u

/*
 * Makes an interrupt gate to `entry`, for INT in rings 0 to `dpl`. `stack` is the number of a stack
 * in the TSS; 0: the current stack.
 */
struct gate trap_gate(uint64_t entry, unsigned dpl, unsigned stack);

/* Like trap_gate(), but to the entry of exception `vector` in a space. `stack` must not be 0. */
struct gate trap_space_gate(unsigned vector, unsigned dpl, unsigned stack);

/* Loads the program's IDT. */
void traps_install(struct cpu_context *context);

/*
 * Returns a bank's IA32_MCi_STATUS if it reports an error that is new since traps_install() or the
 * last survived machine check, else 0.
 */
uint64_t traps_new_error(const struct cpu_context *context, uint32_t bank);

void traps_remove(struct cpu_context *context);

#endif
