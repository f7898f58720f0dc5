/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests other than a run. The lists return false if there is nothing to list. */
#ifndef BARECOUNT_LINUX_LIST_H
#define BARECOUNT_LINUX_LIST_H

#include "pmu/cpu/other.h"
#include "scripts/linux/run.h"

/* `other` is the machine to list for; null: this one. */
bool list_kernels(const struct kernel_offer *offer, const struct other_cpus *other,
                  const char *pattern);
bool list_events(const struct linux_run *run, const struct other_cpus *other, const char *pattern);

/*
 * Finds the plan's events on the first CPU and puts them into run->events; their errors are added
 * to the plan's. False if there is no memory for them, which is printed.
 */
bool list_check_events(struct linux_run *run);

/*
 * For --check-plan with --for: prints the whole answer; errors are added to the plan's. False:
 * there is no memory for the plan's events, which is printed.
 */
bool list_check_other(struct linux_run *run, const struct other_cpus *other);

/*
 * Runs the kernel of a line of a plan's [kernels] once, on any CPU and silently. False if it could
 * not, and the reason was printed.
 */
bool list_once(struct linux_run *run, const char *line);

#endif
