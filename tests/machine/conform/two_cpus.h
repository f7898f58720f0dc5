/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second CPU, for tests that need one (two_cpus.c). */
#ifndef CONFORM_TWO_CPUS_H
#define CONFORM_TWO_CPUS_H

#include "conform.h"

/*
 * ap_ends: number of jobs that the second CPU has finished. ap_at_gate: not 0 once the second CPU
 * waits at the gate. gate_open: the boot CPU sets it to 1 to open the gate. ap_count: counts and
 * other values that the second CPU hands over.
 */
extern volatile uint32_t ap_ends, ap_at_gate, gate_open;
extern volatile uint64_t ap_count[2];

/* Starts the second CPU by INIT and SIPI. The second CPU then runs the job. */
void start_ap(void (*job)(void));

/* The second CPU calls this to wait until the gate is open. */
void wait_at_gate(void);

/* Waits up to about five seconds until *counter is not `before`. Returns whether that happened. */
bool wait_for(const volatile uint32_t *counter, uint32_t before);

#endif
