/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of a core (pmu_model_cache.c). */
#ifndef I386_TCG_PMU_MODEL_CACHE_H
#define I386_TCG_PMU_MODEL_CACHE_H

#include "cpu.h"

#define PMU_LEVELS 3 /* L1D, L2, LLC; level 3 is memory */
#define PMU_LAST 2   /* the LLC, which tracks dirty lines */
#define PMU_DIRTY (1ull << 63) /* in a tag of the LLC */

typedef struct PMUCache {
    unsigned sets; /* 0: no such cache */
    unsigned ways;
    uint64_t *tags; /* by set, most recently used first; 0: empty */
} PMUCache;

/* Makes empty data and unified caches of CPUID leaf 4's sizes, by level. Returns the line size. */
unsigned pmu_caches_reset(CPUX86State *env, PMUCache caches[PMU_LEVELS]);

/*
 * Looks a line up, and inserts it if it is missing. *gone is the tag of the line that is evicted
 * (the least recently used of its set), or 0.
 */
bool pmu_cache_touch(PMUCache *cache, uint64_t line, uint64_t *gone);

/* The line's tag, or NULL if it is not cached. */
uint64_t *pmu_cache_find(PMUCache *cache, uint64_t line);

/* Overlapping misses of loads. */
typedef struct PMUOverlap {
    unsigned left; /* 1 + number of instructions that may still join; 0: no group */
    unsigned lines;
    uint32_t longest; /* stall cycles since the first one */
    uint32_t waiting; /* registers that depend on their data */
} PMUOverlap;

/*
 * Retires an instruction that used these registers (PMUModel.registers) and whose loads found this
 * many lines at each level. Adds the stall cycles of each level to `stalls`; the slowest lines come
 * first. Without an open group, an instruction that does not miss needs no call.
 */
void pmu_overlap_retire(PMUOverlap *overlap, uint64_t registers,
                        const uint32_t loads[PMU_LEVELS + 1], uint32_t stalls[PMU_LEVELS + 1]);

#endif
