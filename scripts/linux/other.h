/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernels another CPU, which --for names, can run. */
#ifndef BARECOUNT_LINUX_OTHER_H
#define BARECOUNT_LINUX_OTHER_H

#include "kernels/chosen.h"
#include "pmu/cpu/other.h"

/* Like kernels_list(), but also says for each kernel which core types cannot run it. */
bool other_list_kernels(const struct kernel_offer *offer, const char *pattern,
                        const struct other_cpus *cpus, struct out *to);

/*
 * Prints how many kernels of the plan in `context`, a struct linux_run, the CPU cannot run, which
 * features it lacks, and the names of some of these kernels. Prints nothing if the CPU can run all
 * kernels.
 */
void other_say_kernels(void *context, const struct other_cpu *cpu);

#endif
