/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of kernels that a person asks for. */
#ifndef BARECOUNT_KERNELS_LIST_H
#define BARECOUNT_KERNELS_LIST_H

#include "kernels/chosen.h"
#include "pmu/events/list.h"

/*
 * What --list-kernels says: the kernels that are offered by their families, those whose name or
 * family holds a pattern, of any case; "": all. False: there is none.
 */
bool kernels_list(const struct kernel_offer *offer, const char *pattern, struct out *to);

#endif
