/* SPDX-License-Identifier: BSD-2-Clause */
/* What barecount-linux answers beside a run. All return false when there is nothing. */
#ifndef BARECOUNT_LINUX_LIST_H
#define BARECOUNT_LINUX_LIST_H

#include "pmu/cpu/other.h"
#include "scripts/linux/run.h"

/* With `other`, of another machine; null: of this one. */
bool list_kernels(const struct kernel_offer *offer, const struct other_cpus *other,
                  const char *pattern);
bool list_events(const struct linux_run *run, const struct other_cpus *other, const char *pattern);

/*
 * Finds the plan's events for the first CPU, in run->events; their errors are the plan's. False,
 * after saying why: there is no memory for them.
 */
bool list_check_events(struct linux_run *run);

/*
 * For --check-plan with --for: tells the whole of it; errors stay in the plan. False, after saying
 * why: there is no memory for its events.
 */
bool list_check_other(struct linux_run *run, const struct other_cpus *other);

/*
 * Runs the kernel of a line of a plan's [kernels] once, on whatever CPU, and says nothing; false
 * after saying why not.
 */
bool list_once(struct linux_run *run, const char *line);

#endif
