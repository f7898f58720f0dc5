/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Masks and restores the interrupt sources of the running CPU's local APIC (Intel SDM vol. 3A
 * "Local Vector Table").
 */
#ifndef BARECOUNT_BOOT_CPU_APIC_H
#define BARECOUNT_BOOT_CPU_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_MAX 7u

struct apic_state {
    bool present; /* a local APIC is enabled */
    bool x2apic;  /* registers are MSRs */
    uint64_t base;
    uint32_t lvt[APIC_LVT_MAX];
    uint32_t entries;    /* valid entries in `lvt` */
    uint64_t timer_left; /* TSC deadline, or a one-shot timer's remaining ticks; 0: no restart */
};

/* Sets `present`, `x2apic` and `base` from the value of IA32_APIC_BASE. */
void apic_locate(struct apic_state *state, uint64_t apic_base);

/* Access a register by its xAPIC offset; state->present must be true. */
uint32_t apic_read(const struct apic_state *state, uint32_t offset);
void apic_write(const struct apic_state *state, uint32_t offset, uint32_t value);

/* Saves and masks all interrupt sources. */
void apic_mask(struct apic_state *state, uint64_t apic_base);

/*
 * Updates `timer_left`. Call this after pending interrupts were delivered, because the firmware's
 * handler may set the timer again.
 */
void apic_look_at_timer(struct apic_state *state);

/*
 * Returns the number of pending interrupts, or 0 if there is no APIC. *taken is the number of
 * pending interrupts that the core would accept if IF were set (Intel SDM vol. 3A "Interrupt, Task,
 * and Processor Priority").
 */
unsigned apic_pending(const struct apic_state *state, unsigned *taken);

/*
 * Delivers counter overflows as NMIs until apic_restore(). Call this again after each NMI, because
 * the APIC masks the counters' entry when it delivers the NMI.
 */
void apic_pmi_as_nmi(const struct apic_state *state);

void apic_restore(const struct apic_state *state);

#endif
