/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of CPUs before and behind their tables. Boot CPU only. */
#ifndef BARECOUNT_BOOT_SCREEN_CPU_H
#define BARECOUNT_BOOT_SCREEN_CPU_H

#include "boot/screen/table.h"

/* Who else had been using its counters, if somebody had. */
void report_use(const struct cpu_record *cpu);

/*
 * What the plan's [state] has set on it, in words: of the first of each type, and of the others
 * when it differs from that. Starts anew with a run.
 */
void report_state_start(void);
void report_state(const struct cpu_record *cpu, const char *words);

/* Its clock: starts anew, adds a result, and says how fast run->cpu_now ran, if that is known. */
void report_clock_start(unsigned cpu);
void report_clock_add(const struct view *view, const struct result *result);
void report_clock(const struct run *run);

/*
 * Rows of core cycles, of all CPUs: starts anew; takes a row just made, in the order of the
 * results; and says in how many they are stable, and differ. Says nothing of none.
 */
void report_cycles_start(void);
void report_cycles_add(const struct view *view, const struct result *result, const struct row *row);
void report_cycles_end(void);

/*
 * How noisy run->cpu_now was before its kernels and after them. Nothing without certificates, and
 * unless `always` nothing when there is nothing to tell: many CPUs would fill the screen with it.
 */
void report_noise(const struct run *run, const struct noise noise[2], bool always);

#endif
