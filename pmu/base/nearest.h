/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that are most like one that is not known: few letters differ, or it stands within them.
 * They are offered one by one.
 */
#ifndef BARECOUNT_PMU_BASE_NEAREST_H
#define BARECOUNT_PMU_BASE_NEAREST_H

#include "pmu/base/piece.h"

#define NEAREST_MAX 3u

/* The best so far, best first. All but `wanted` starts as zeros. */
struct nearest {
    struct piece wanted;
    unsigned count;
    unsigned distance[NEAREST_MAX];
    struct piece name[NEAREST_MAX];
};

void nearest_consider(struct nearest *best, struct piece name);

/* "; nearest: A, B", or nothing when no name is alike. */
void nearest_say(const struct nearest *best, struct out *out);

#endif
