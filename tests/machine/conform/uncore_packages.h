/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two packages of a CPU each: the boot CPU is package 0's, the second one package 1's. */
#ifndef CONFORM_UNCORE_PACKAGES_H
#define CONFORM_UNCORE_PACKAGES_H

#include "two_cpus.h"
#include "uncore.h"

#define LINES0 700u
#define LINES1 1000u

extern volatile uint32_t lines1; /* what the second CPU walks through in its job */

/* Loads of lines that were never touched before. */
void walk_new_lines(uint32_t lines);

/* The second CPU does a job; or it begins one, comes to its gate, and goes on to its end. */
void run_job(void (*job)(void));
void begin_job(void (*job)(void));
void end_job(void);

#endif
