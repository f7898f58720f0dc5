/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second CPU, for tests that need one (two_cpus.c). */
#ifndef CONFORM_TWO_CPUS_H
#define CONFORM_TWO_CPUS_H

#include "conform.h"

/*
 * ap_ends: number of jobs that the second CPU has finished. ap_at_gate: not 0 once it waits at the
 * gate. gate_open: set by the boot CPU to open the gate. ap_count: the second CPU's counts.
 */
extern volatile uint32_t ap_ends, ap_at_gate, gate_open;
extern volatile uint64_t ap_count[2];

/* Starts the second CPU by INIT and SIPI. */
void start_ap(void (*job)(void));

/* The second CPU calls this to wait until the gate is open. */
void wait_at_gate(void);

/* Waits up to about five seconds until *counter is not `before`. Returns whether that happened. */
bool wait_for(const volatile uint32_t *counter, uint32_t before);

#endif
