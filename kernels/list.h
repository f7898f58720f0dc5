/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of kernels that a person asks for. */
#ifndef BARECOUNT_KERNELS_LIST_H
#define BARECOUNT_KERNELS_LIST_H

#include "kernels/chosen.h"
#include "pmu/cpu/other.h"
#include "pmu/events/list.h"

/*
 * What --list-kernels says: the kernels that are offered by their families, those whose name or
 * family holds a pattern, of any case; "": all. With `cpus`, another machine's, which of them no
 * such CPU can run; null: of that nothing. False: there is none.
 */
bool kernels_list(const struct kernel_offer *offer, const struct other_cpus *cpus,
                  const char *pattern, struct out *to);

/* A line about those of a plan that no such CPU can run; nothing when there are none. */
void kernels_list_lacking(const struct chosen_kernel *kernel, unsigned kernels,
                          const struct other_cpu *cpu, struct out *to);

#endif
