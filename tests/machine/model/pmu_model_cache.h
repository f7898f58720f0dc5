/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of a core (pmu_model_cache.c). */
#ifndef I386_TCG_PMU_MODEL_CACHE_H
#define I386_TCG_PMU_MODEL_CACHE_H

#include "cpu.h"

#define PMU_LEVELS 3 /* L1D, L2, LLC; level 3 is memory */
#define PMU_LAST 2   /* the LLC, which tracks dirty lines */
#define PMU_DIRTY (1ull << 63) /* bit of a tag in the LLC */

typedef struct PMUCache {
    unsigned sets; /* 0: no such cache */
    unsigned ways;
    uint64_t *tags; /* by set, most recently used first; 0: empty */
} PMUCache;

/*
 * Makes empty caches, by level, with the sizes of the data and unified caches in CPUID leaf 4.
 * Returns the line size.
 */
unsigned pmu_caches_reset(CPUX86State *env, PMUCache caches[PMU_LEVELS]);

/*
 * Looks a line up, and inserts it if it is missing. Returns whether the line was there. *gone is
 * the tag of the line that is evicted (the least recently used line of the set), or 0.
 */
bool pmu_cache_touch(PMUCache *cache, uint64_t line, uint64_t *gone);

/* The line's tag, or NULL if it is not cached. */
uint64_t *pmu_cache_find(PMUCache *cache, uint64_t line);

/* Overlapping misses of loads. */
typedef struct PMUOverlap {
    unsigned left; /* 1 + number of instructions that can still join; 0: no group */
    unsigned lines;
    uint32_t longest; /* longest latency of its misses */
    uint32_t waiting; /* registers that depend on the loaded data */
} PMUOverlap;

/*
 * Retires an instruction. `registers` is PMUModel.registers, and `loads` has the number of lines
 * that its loads found at each level. Adds the stall cycles of each level to `stalls`, where the
 * slowest lines come first. The call is needed only if the instruction misses or a group is open.
 */
void pmu_overlap_retire(PMUOverlap *overlap, uint64_t registers,
                        const uint32_t loads[PMU_LEVELS + 1], uint32_t stalls[PMU_LEVELS + 1]);

#endif
