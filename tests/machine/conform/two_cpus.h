/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second CPU, for tests that need one (two_cpus.c). */
#ifndef CONFORM_TWO_CPUS_H
#define CONFORM_TWO_CPUS_H

#include "conform.h"

/*
 * ap_ends: number of jobs that the second CPU has finished. ap_at_gate: not 0 once the second CPU
 * waits at the gate. gate_open: 1 opens the gate. ap_count: values that the second CPU hands over.
 */
extern volatile uint32_t ap_ends, ap_at_gate, gate_open;
extern volatile uint64_t ap_count[2];

/* Starts the second CPU by INIT and SIPI; it then runs the job. */
void start_ap(void (*job)(void));

/* Called by the second CPU. */
void wait_at_gate(void);

/* Waits up to about five seconds until *counter is not `before`. Returns false on a timeout. */
bool wait_for(const volatile uint32_t *counter, uint32_t before);

#endif
