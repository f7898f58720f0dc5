/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests other than a measurement. list_kernels() and list_events() return false if there is
 * nothing to list.
 */
#ifndef BARECOUNT_LINUX_LIST_H
#define BARECOUNT_LINUX_LIST_H

#include "pmu/cpu/other.h"
#include "scripts/linux/run.h"

/*
 * `other` are the CPUs of --for, or null for this machine. list_kernels() lists all kernels; with
 * `other`, it also says on which of these CPUs' cores the image cannot run a kernel. list_events()
 * lists the events of this machine's first usable CPU, or of the CPUs in `other`.
 */
bool list_kernels(const struct kernel_offer *offer, const struct other_cpus *other,
                  const char *pattern);
bool list_events(const struct linux_run *run, const struct other_cpus *other, const char *pattern);

/*
 * Finds the plan's events on the first usable CPU, puts them into run->events, and adds their
 * errors to the plan's errors. If there is no memory for the events, prints an error and returns
 * false.
 */
bool list_check_events(struct linux_run *run);

/*
 * For --check-plan with --for: checks the plan for another CPU, prints the result, and adds the
 * errors to run->plan. If there is no memory for the events, prints an error and returns false.
 */
bool list_check_other(struct linux_run *run, const struct other_cpus *other);

/*
 * Runs once, on any CPU and without output, the kernel that a line of a plan's [kernels] names. If
 * the kernel cannot be run, prints the reason and returns false.
 */
bool list_once(struct linux_run *run, const char *line);

#endif
