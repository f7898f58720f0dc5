/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests other than a measurement. */
#ifndef BARECOUNT_LINUX_LIST_H
#define BARECOUNT_LINUX_LIST_H

#include "pmu/cpu/other.h"
#include "scripts/linux/run.h"

/*
 * Print a list for the CPUs in `other`, which --for names, or for this machine if `other` is null.
 * Return false if there is nothing to list.
 */
bool list_kernels(const struct kernel_offer *offer, const struct other_cpus *other,
                  const char *pattern);
bool list_events(const struct linux_run *run, const struct other_cpus *other, const char *pattern);

/* Finds the plan's events on the first usable CPU. False: an error was printed. */
bool list_check_events(struct linux_run *run);

/*
 * For --check-plan with --for: checks the plan for another CPU and prints the result. False: there
 * was no memory.
 */
bool list_check_other(struct linux_run *run, const struct other_cpus *other);

/*
 * Runs a kernel once. `line` selects the kernel, as a line of a plan's [kernels] does. If the
 * kernel cannot be run, prints the reason and returns false.
 */
bool list_once(struct linux_run *run, const char *line);

#endif
