/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts and interrupts other CPUs through the Interrupt Command Register (ICR) of the local APIC
 * (Intel SDM vol. 3A "Issuing Interprocessor Interrupts", "MP Initialization Protocol Algorithm").
 */
#ifndef BARECOUNT_BOOT_CPU_START_H
#define BARECOUNT_BOOT_CPU_START_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Writes a command without a target to the ICR, so that start_was_sent() sees only later commands.
 * False if no local APIC is enabled or the APIC stays busy.
 */
bool start_mark(void);

/*
 * Whether the last command was a STARTUP. *vector is the number of the 4 KiB page where the CPU
 * starts.
 */
bool start_was_sent(uint8_t *vector);

/*
 * False if no local APIC is enabled, if the APIC stays busy, or if the APIC ID needs x2APIC mode
 * and this mode is off.
 */
bool start_send_init(uint64_t apic_id);
bool start_send_nmi(uint64_t apic_id);
bool start_send_startup(uint64_t apic_id, uint8_t vector);

#endif
