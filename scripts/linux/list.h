/* SPDX-License-Identifier: BSD-2-Clause */
/* What barecount-linux answers beside a run. All return false when there is nothing. */
#ifndef BARECOUNT_LINUX_LIST_H
#define BARECOUNT_LINUX_LIST_H

#include "scripts/linux/run.h"

bool list_kernels(const struct kernel_offer *offer, const char *pattern);
bool list_events(const struct linux_run *run, const char *pattern);

/* For --check-plan: finds the plan's events for the first CPU, whose errors are the plan's. */
void list_check_events(struct linux_run *run);

/* Runs a kernel once, on whatever CPU, and says nothing; false after saying why not. */
bool list_once(const struct linux_run *run, const char *name, uint64_t n);

#endif
