/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two packages of one CPU each: the boot CPU is in package 0, and the second CPU is in package 1.
 */
#ifndef CONFORM_UNCORE_PACKAGES_H
#define CONFORM_UNCORE_PACKAGES_H

#include "two_cpus.h"
#include "uncore.h"

#define LINES0 700u
#define LINES1 1000u

extern volatile uint32_t lines1; /* number of lines that the second CPU walks */

/* Loads lines that were never accessed before. */
void walk_new_lines(uint32_t lines);

/*
 * run_job() runs a job on the second CPU. begin_job() starts a job, which waits at the gate, and
 * end_job() lets it finish.
 */
void run_job(void (*job)(void));
void begin_job(void (*job)(void));
void end_job(void);

#endif
