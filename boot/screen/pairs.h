/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels of several CPUs came to: a line for each first role, a column for each second. */
#ifndef BARECOUNT_BOOT_SCREEN_PAIRS_H
#define BARECOUNT_BOOT_SCREEN_PAIRS_H

#include "boot/plan/run.h"

/* Around the results of one such kernel of the run. */
void report_pairs_start(const struct run *run, unsigned kernel);
void report_pairs_add(const struct view *view, const struct result *result);
void report_pairs_end(const struct run *run, unsigned kernel);

#endif
