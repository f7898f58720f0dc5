/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second CPU, as the tests that need one use it (two_cpus.c). */
#ifndef CONFORM_TWO_CPUS_H
#define CONFORM_TWO_CPUS_H

#include "conform.h"

/* Jobs that have ended; the second CPU is at the gate, which the boot CPU opens; what it counted.
 */
extern volatile uint32_t ap_ends, ap_at_gate, gate_open;
extern volatile uint64_t ap_count[2];

/* By INIT and SIPI. */
void start_ap(void (*job)(void));

/* On the second CPU: until the gate is open. */
void wait_at_gate(void);

/* Whether *counter passes `before`, in about five seconds at the most. */
bool wait_for(const volatile uint32_t *counter, uint32_t before);

#endif
