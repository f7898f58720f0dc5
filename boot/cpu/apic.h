/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC's own interrupt sources (timer, LINT pins, performance, thermal, error, CMCI) of
 * the running CPU: masked while it measures, then put back. Intel SDM vol. 3A "Local Vector Table".
 */
#ifndef BARECOUNT_BOOT_CPU_APIC_H
#define BARECOUNT_BOOT_CPU_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_MAX 7u

struct apic_state {
    bool present; /* false: there is no enabled local APIC; nothing was touched */
    bool x2apic;  /* registers are MSRs, not memory */
    uint64_t base;
    uint32_t lvt[APIC_LVT_MAX];
    uint32_t entries;    /* how many of the table this APIC has */
    uint64_t timer_left; /* what the timer still had before it; 0: nothing is to be restarted */
};

/* Where the APIC is; nothing else of the state. `apic_base` is IA32_APIC_BASE. */
void apic_locate(struct apic_state *state, uint64_t apic_base);

/* A register of an APIC that is present, by its offset in xAPIC mode. */
uint32_t apic_read(const struct apic_state *state, uint32_t offset);
void apic_write(const struct apic_state *state, uint32_t offset, uint32_t value);

/* `apic_base` is IA32_APIC_BASE. */
void apic_mask(struct apic_state *state, uint64_t apic_base);

/*
 * To be called when what was pending has been delivered: the firmware may have set its timer anew.
 */
void apic_look_at_timer(struct apic_state *state);

/*
 * How many interrupts wait to be taken (IRR), and in *taken how many of these the CPU would take
 * with IF set: those of a class above the processor's priority (Intel SDM vol. 3A "Interrupt, Task,
 * and Processor Priority"). 0 without an APIC.
 */
unsigned apic_pending(const struct apic_state *state, unsigned *taken);

/*
 * Lets the performance counters' interrupt come as an NMI, until apic_restore(). The APIC masks it
 * with each that it delivers.
 */
void apic_pmi_as_nmi(const struct apic_state *state);

void apic_restore(const struct apic_state *state);

#endif
