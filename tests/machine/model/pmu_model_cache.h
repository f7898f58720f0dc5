/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of a core (pmu_model_cache.c). */
#ifndef I386_TCG_PMU_MODEL_CACHE_H
#define I386_TCG_PMU_MODEL_CACHE_H

#include "cpu.h"

#define PMU_LEVELS 3 /* levels 0 to 2: L1D, L2, LLC; level 3 is memory */
#define PMU_LAST 2
#define PMU_DIRTY (1ull << 63) /* in a tag of the LLC */

typedef struct PMUCache {
    unsigned sets; /* 0: the CPU has no such cache */
    unsigned ways;
    uint64_t *tags; /* line number + 1; 0: empty; in each set, the most recently used is first */
} PMUCache;

/*
 * Empties the caches, whose sizes come from CPUID leaf 4 (AMD: 8000_001DH). Returns the size of a
 * line in bytes.
 */
unsigned pmu_caches_reset(CPUX86State *env, PMUCache caches[PMU_LEVELS]);

/*
 * Looks a line up, inserts it if it is missing, and returns whether it was there. Inserting a line
 * evicts the least recently used line of the set. *gone is the evicted line's tag; 0: no line.
 */
bool pmu_cache_touch(PMUCache *cache, uint64_t line, uint64_t *gone);

/* Returns a pointer to the line's tag, or NULL if the line is not cached. */
uint64_t *pmu_cache_find(PMUCache *cache, uint64_t line);

/* Overlapping misses of loads. */
typedef struct PMUOverlap {
    unsigned left; /* 1 + number of later instructions whose misses can join; 0: no group */
    unsigned lines;
    uint32_t longest; /* in cycles */
    uint32_t waiting; /* set of registers that depend on data that the group loads */
} PMUOverlap;

/*
 * To be called when an instruction that misses retires, and when any instruction retires while a
 * group is open. loads[i] is the number of lines that the instruction's loads found at level i.
 * Adds to stalls[i] the stall cycles that these lines cause. The slowest lines join the group
 * first.
 */
void pmu_overlap_retire(PMUOverlap *overlap, uint64_t registers,
                        const uint32_t loads[PMU_LEVELS + 1], uint32_t stalls[PMU_LEVELS + 1]);

#endif
