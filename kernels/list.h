/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the list of kernels that a person asks for. */
#ifndef BARECOUNT_KERNELS_LIST_H
#define BARECOUNT_KERNELS_LIST_H

#include "kernels/chosen.h"
#include "pmu/cpu/other.h"
#include "pmu/events/list.h"

/*
 * Answers --list-kernels: lists the kernels that are offered by their families, those whose name or
 * family holds a pattern, of any case; "": all. With `cpus`, another machine's, it also says which
 * of them no such CPU can run; null: it does not. False: none is listed.
 */
bool kernels_list(const struct kernel_offer *offer, const struct other_cpus *cpus,
                  const char *pattern, struct out *to);

/* Names those of a plan that no such CPU can run; writes nothing when there are none. */
void kernels_list_lacking(const struct chosen_kernel *kernel, unsigned kernels,
                          const struct other_cpu *cpu, struct out *to);

#endif
