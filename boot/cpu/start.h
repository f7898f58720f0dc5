/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands by which one CPU starts another, or interrupts it: the Interrupt Command Register of
 * the running CPU's local APIC (Intel SDM vol. 3A "Issuing Interprocessor Interrupts"; "MP
 * Initialization Protocol Algorithm" for what is to be sent, and the waits between).
 */
#ifndef BARECOUNT_BOOT_CPU_START_H
#define BARECOUNT_BOOT_CPU_START_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Leaves a command in the register that starts nobody, so that a STARTUP which is seen there later
 * was sent since. False: there is no enabled local APIC, or it does not come to rest.
 */
bool start_mark(void);

/* Whether the last command was a STARTUP, and its vector: the page, below 1 MiB, to start from. */
bool start_was_sent(uint8_t *vector);

/*
 * Each sends one command to one CPU. False: its APIC ID needs x2APIC mode, which is off, or the
 * APIC does not come to rest.
 */
bool start_send_init(uint64_t apic_id);
bool start_send_nmi(uint64_t apic_id);
bool start_send_startup(uint64_t apic_id, uint8_t vector);

#endif
