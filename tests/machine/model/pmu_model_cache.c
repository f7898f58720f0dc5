/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches of a core, set-associative with LRU replacement, and the stalls of loads that miss
 * (README.md).
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu_model_cache.h"

#define LEAF_CACHES 4
#define LEAF_CACHES_AMD 0x8000001du /* has the same fields as leaf 4 */
#define INSTRUCTION_CACHE 2 /* type in EAX[4:0] */

#define FILL_BUFFERS 10
#define WINDOW 192 /* instructions */

static const uint8_t stall_cycles[PMU_LEVELS + 1] = { 0, 10, 30, 150 };

unsigned pmu_caches_reset(CPUX86State *env, PMUCache caches[PMU_LEVELS])
{
    uint32_t leaf = env->pmu.amd ? LEAF_CACHES_AMD : LEAF_CACHES;
    uint32_t eax, ebx, ecx, edx;
    unsigned line_bytes = 0;

    for (int level = 0; level < PMU_LEVELS; level++) {
        g_free(caches[level].tags);
        caches[level] = (PMUCache){ 0 };
    }
    for (int i = 0; cpu_x86_cpuid(env, leaf, i, &eax, &ebx, &ecx, &edx), eax & 31; i++) {
        unsigned level = eax >> 5 & 7;

        if ((eax & 31) != INSTRUCTION_CACHE && level >= 1 && level <= PMU_LEVELS) {
            PMUCache *cache = &caches[level - 1];

            cache->sets = ecx + 1;
            cache->ways = (ebx >> 22) + 1;
            cache->tags = g_new0(uint64_t, (size_t)cache->sets * cache->ways);
            line_bytes = (ebx & 0xfff) + 1;
        }
    }
    return line_bytes;
}

static uint64_t *set_of(const PMUCache *cache, uint64_t line)
{
    unsigned mask = cache->sets - 1; /* used if the number of sets is a power of 2 */

    return cache->tags +
           (size_t)(cache->sets & mask ? line % cache->sets : line & mask) * cache->ways;
}

bool pmu_cache_touch(PMUCache *cache, uint64_t line, uint64_t *gone)
{
    uint64_t *set, here, tag = line + 1;
    unsigned way = 0;
    bool found;

    *gone = 0;
    if (!cache->sets) {
        return false;
    }
    set = set_of(cache, line);
    while (way < cache->ways - 1 && (set[way] & ~PMU_DIRTY) != tag) {
        way++;
    }
    here = set[way];
    found = (here & ~PMU_DIRTY) == tag;
    if (way > 0) {
        memmove(set + 1, set, way * sizeof(*set));
    }
    set[0] = found ? here : tag;
    if (!found) {
        *gone = here;
    }
    return found;
}

uint64_t *pmu_cache_find(PMUCache *cache, uint64_t line)
{
    uint64_t *set = cache->sets ? set_of(cache, line) : NULL;

    for (unsigned way = 0; set && way < cache->ways; way++) {
        if ((set[way] & ~PMU_DIRTY) == line + 1) {
            return &set[way];
        }
    }
    return NULL;
}

/*
 * Adds a load's miss of `cycles` cycles to the group, or to a new group if the group is full.
 * Returns how many cycles longer the miss takes than the group's longest earlier miss, or 0.
 */
static uint32_t miss(PMUOverlap *o, uint32_t cycles)
{
    uint32_t more;

    if (!o->left || o->lines == FILL_BUFFERS) {
        *o = (PMUOverlap){ .left = WINDOW };
    }
    more = cycles > o->longest ? cycles - o->longest : 0;
    o->lines++;
    o->longest += more;
    return more;
}

void pmu_overlap_retire(PMUOverlap *o, uint64_t registers, const uint32_t loads[PMU_LEVELS + 1],
                        uint32_t stalls[PMU_LEVELS + 1])
{
    bool missed = loads[1] + loads[2] + loads[3] > 0;

    if (o->left) {
        o->left--;
    }
    if (!o->left || registers & PMU_ENDS_OVERLAP ||
        (missed && PMU_ADDRESSES(registers) & o->waiting)) {
        *o = (PMUOverlap){ 0 };
    }
    for (int level = PMU_LEVELS; level > 0; level--) {
        for (uint32_t i = 0; i < loads[level]; i++) {
            stalls[level] += miss(o, stall_cycles[level]);
        }
    }
    if (missed || PMU_INPUTS(registers) & o->waiting) {
        o->waiting |= PMU_OUTPUTS(registers);
    } else {
        o->waiting &= ~PMU_OUTPUTS(registers);
    }
}
