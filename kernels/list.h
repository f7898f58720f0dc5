/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements --list-kernels. */
#ifndef BARECOUNT_KERNELS_LIST_H
#define BARECOUNT_KERNELS_LIST_H

#include "kernels/chosen.h"
#include "pmu/cpu/other.h"
#include "pmu/events/list.h"

/*
 * Writes the kernels whose name or family contains a pattern, grouped by family. Ignores case. If
 * `cpus` is not null, also says for each kernel which core types cannot run it. Returns false if no
 * kernel matches.
 */
bool kernels_list(const struct kernel_offer *offer, const struct other_cpus *cpus,
                  const char *pattern, struct out *to);

/*
 * Writes how many of a plan's kernels the CPU cannot run, which features it lacks, and the names of
 * some of these kernels. Writes nothing if the CPU can run all kernels.
 */
void kernels_list_lacking(const struct chosen_kernel *kernel, unsigned kernels,
                          const struct other_cpu *cpu, struct out *to);

#endif
