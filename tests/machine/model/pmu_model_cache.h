/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of a core (pmu_model_cache.c). */
#ifndef I386_TCG_PMU_MODEL_CACHE_H
#define I386_TCG_PMU_MODEL_CACHE_H

#include "cpu.h"

#define PMU_LEVELS 3 /* L1D, L2, LLC; a line that is in none is found at level 3, memory */
#define PMU_LAST 2   /* the LLC, whose lines can be dirty */
#define PMU_DIRTY (1ull << 63) /* in its tags */

typedef struct PMUCache {
    unsigned sets; /* 0: there is no such cache */
    unsigned ways;
    uint64_t *tags; /* by sets; in a set, the line touched last comes first; 0: empty */
} PMUCache;

/* As CPUID leaf 4 tells, empty: data caches and unified ones, by level. Returns bytes of a line. */
unsigned pmu_caches_reset(CPUX86State *env, PMUCache caches[PMU_LEVELS]);

/*
 * Looks a line up, and puts it there if it was not. The line of the set used longest ago goes; its
 * tag is left in *gone, which is 0 when none does.
 */
bool pmu_cache_touch(PMUCache *cache, uint64_t line, uint64_t *gone);

/* The line's tag, or NULL: it is not there. */
uint64_t *pmu_cache_find(PMUCache *cache, uint64_t line);

/* Misses of loads that overlap. */
typedef struct PMUOverlap {
    unsigned left; /* one more than the instructions that may still join; 0: no group */
    unsigned lines;
    uint32_t longest; /* cycles of stall since the first of them */
    uint32_t waiting; /* registers with what comes of their data */
} PMUOverlap;

/*
 * An instruction retires that used these registers (PMUModel.registers), and whose loads found so
 * many lines at each level. Adds to `stalls` the cycles for which it stalls for each; the slowest
 * come first. With no group open, an instruction without a miss changes nothing: spare the call.
 */
void pmu_overlap_retire(PMUOverlap *overlap, uint64_t registers,
                        const uint32_t loads[PMU_LEVELS + 1], uint32_t stalls[PMU_LEVELS + 1]);

#endif
