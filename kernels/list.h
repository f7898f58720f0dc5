/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements --list-kernels. */
#ifndef BARECOUNT_KERNELS_LIST_H
#define BARECOUNT_KERNELS_LIST_H

#include "kernels/chosen.h"
#include "pmu/events/list.h"

/* A function that may write lines below a listed kernel. */
typedef void kernel_remark(void *context, const struct kernel_record *kernel, struct out *to);

/*
 * Writes the kernels whose name or family contains a pattern, grouped by family. Ignores case.
 * `remark` may be null. Returns false if no kernel matches.
 */
bool kernels_list(const struct kernel_offer *offer, const char *pattern, kernel_remark *remark,
                  void *context, struct out *to);

#endif
