/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Masks and restores the local APIC's interrupt sources (timer, LINT pins, performance counters,
 * thermal, error, CMCI) of the running CPU (Intel SDM vol. 3A "Local Vector Table").
 */
#ifndef BARECOUNT_BOOT_CPU_APIC_H
#define BARECOUNT_BOOT_CPU_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_MAX 7u

struct apic_state {
    bool present; /* false: no local APIC is enabled, and no register was touched */
    bool x2apic;  /* registers are MSRs, not memory */
    uint64_t base;
    uint32_t lvt[APIC_LVT_MAX];
    uint32_t entries;    /* number of entries in this APIC's local vector table */
    uint64_t timer_left; /* TSC deadline, or ticks left of a one-shot timer; 0: do not restart */
};

/* Fills in only the APIC's address and mode. `apic_base` is the value of IA32_APIC_BASE. */
void apic_locate(struct apic_state *state, uint64_t apic_base);

/* Access a register by its xAPIC offset; state->present must be true. */
uint32_t apic_read(const struct apic_state *state, uint32_t offset);
void apic_write(const struct apic_state *state, uint32_t offset, uint32_t value);

/* Saves and masks all local interrupt sources. `apic_base` is the value of IA32_APIC_BASE. */
void apic_mask(struct apic_state *state, uint64_t apic_base);

/*
 * Updates `timer_left`. Call this after pending interrupts have been delivered, because the
 * firmware's handler may have set the timer again.
 */
void apic_look_at_timer(struct apic_state *state);

/*
 * Returns the number of pending interrupts (IRR), or 0 if there is no APIC. *taken is the number of
 * those whose class is above the processor priority (Intel SDM vol. 3A "Interrupt, Task, and
 * Processor Priority"): the core would accept them if IF were set.
 */
unsigned apic_pending(const struct apic_state *state, unsigned *taken);

/*
 * Delivers counter overflows as NMIs until apic_restore(). Call this function again after each NMI,
 * because the APIC masks the counters' entry of the local vector table when it delivers an NMI.
 */
void apic_pmi_as_nmi(const struct apic_state *state);

void apic_restore(const struct apic_state *state);

#endif
