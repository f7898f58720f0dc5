/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a CPU before and behind its table. Boot CPU only. */
#ifndef BARECOUNT_BOOT_REPORT_CPU_H
#define BARECOUNT_BOOT_REPORT_CPU_H

#include "boot/report.h"

/* Who else had been using its counters, if somebody had. */
void report_use(const struct cpu_record *cpu);

/* Its clock: starts anew, adds a result, and says how fast run->cpu_now ran, if that is known. */
void report_clock_start(unsigned cpu);
void report_clock_add(const struct view *view, const struct result *result);
void report_clock(const struct run *run);

#endif
