/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches, branch predictor and cycles of the core, by simple formulas that match no real core
 * (README.md).
 */
#include "qemu/osdep.h"
#include "pmu_model_uncore.h"
#include "pmu_model_cache.h"
#include "pmu_model_cpus.h"

#define TABLE 256
#define RETURNS 16
#define HISTORY 256 /* number of possible histories of eight outcomes */
#define MISPREDICT_CYCLES 15
#define SPLIT 64

/* The memory accesses of the current instruction so far. */
typedef struct PMUAccesses {
    uint64_t pc;
    uint32_t lines[PMU_LEVELS + 1]; /* number of lines found at each level; last: in memory */
    uint32_t loads[PMU_LEVELS + 1]; /* the part of lines[] that loads access */
    bool split[2]; /* whether a load, or a store, crosses a boundary of SPLIT bytes */
} PMUAccesses;

struct PMUCore {
    CPUX86State *env;
    uint8_t plain[PMU_CLASSES][PMU_PLAIN];
    PMUCache cache[PMU_LEVELS];
    unsigned line_shift; /* log2 of a line's size in bytes */
    PMUAccesses accesses;
    PMUOverlap overlap;
    PMUTraffic traffic;
    uint8_t outcomes[TABLE];
    uint8_t counters[TABLE][HISTORY];
    uint64_t target[TABLE];
    uint64_t returns[RETURNS];
    unsigned returns_top;
    unsigned returns_held;
    bool cycle_open;
    int cycle_ring;
    unsigned cycle_retired;
    uint64_t reference_rest; /* fraction of a reference cycle, in units of 1 / ratio_now */
    unsigned ratio_now;
    unsigned bus_ratio;
    uint32_t bus_rest; /* reference cycles since the last bus cycle */
};

/* Returns PMU_LEVELS if the line is in memory. */
static int look_up_last(PMUCore *core, uint64_t line, bool store)
{
    uint64_t gone;
    bool found = pmu_cache_touch(&core->cache[PMU_LAST], line, &gone);
    bool dirty = found && *pmu_cache_find(&core->cache[PMU_LAST], line) & PMU_DIRTY;

    pmu_uncore_line(core->env, &core->traffic, line, store,
                    !found ? PMU_MISSED : dirty ? PMU_FOUND_DIRTY : PMU_FOUND_CLEAN);
    if (gone) {
        pmu_uncore_line_gone(core->env, &core->traffic, (gone & ~PMU_DIRTY) - 1,
                             gone & PMU_DIRTY);
    }
    return found ? PMU_LAST : PMU_LEVELS;
}

static int look_up(PMUCore *core, uint64_t line, bool store)
{
    uint64_t gone;

    for (int level = 0; level < PMU_LAST; level++) {
        if (pmu_cache_touch(&core->cache[level], line, &gone)) {
            return level;
        }
    }
    return look_up_last(core, line, store);
}

void pmu_core_access(PMUCore *core, uint64_t address, unsigned bytes, bool store)
{
    uint64_t pc = core->env->segs[R_CS].base + core->env->pmu.eip;
    uint64_t line = address >> core->line_shift;
    uint64_t last = (address + bytes - 1) >> core->line_shift;

    /* Discards the accesses of an earlier instruction that has faulted. */
    if (core->accesses.pc != pc) {
        core->accesses = (PMUAccesses){ .pc = pc };
        if (core->traffic.any) {
            memset(&core->traffic, 0, sizeof(core->traffic));
        }
    }
    core->accesses.split[store] |= address / SPLIT != (address + bytes - 1) / SPLIT;
    for (; line <= last; line++) {
        int level = look_up(core, line, store);
        uint64_t *tag = store ? pmu_cache_find(&core->cache[PMU_LAST], line) : NULL;

        core->accesses.lines[level]++;
        if (tag) {
            *tag |= PMU_DIRTY;
        }
        core->accesses.loads[level] += !store;
    }
}

/*
 * Returns the stall cycles of the instruction's loads that do not overlap with earlier stalls. This
 * function is not inlined, so that most instructions need no array on the stack.
 */
static __attribute__((noinline)) uint32_t wait_for_loads(PMUCore *core, PMUStep *step)
{
    uint32_t stalls[PMU_LEVELS + 1] = { 0 };

    pmu_overlap_retire(&core->overlap, core->env->pmu.registers, core->accesses.loads, stalls);
    step->llc_cycles = stalls[PMU_LAST];
    step->memory_cycles = stalls[PMU_LEVELS];
    return stalls[1] + stalls[2] + stalls[3];
}

static bool may_stall(const PMUCore *core, int class)
{
    return core->accesses.pc || class & PMU_LOAD || core->overlap.left;
}

/* Returns the stall cycles that the instruction's memory accesses cause. */
static uint32_t take_accesses(PMUCore *core, uint64_t pc, int class, PMUStep *step)
{
    PMUAccesses *a = &core->accesses;
    uint64_t *added = step->added;
    uint32_t cycles = 0;
    bool missed;

    if (a->pc != pc) {
        *a = (PMUAccesses){ 0 };
    }
    added[PMU_L1D_REPLACEMENTS] += a->lines[1] + a->lines[2] + a->lines[3];
    added[PMU_LLC_REFERENCES] += a->lines[2] + a->lines[3];
    added[PMU_LLC_MISSES] += a->lines[3];
    added[PMU_SPLIT_LOADS] += a->split[false];
    added[PMU_SPLIT_STORES] += a->split[true];
    added[PMU_SPLITS] += a->split[false] + a->split[true];
    missed = a->loads[1] + a->loads[2] + a->loads[3] > 0;
    if (class & PMU_LOAD) {
        added[missed ? PMU_LOADS_L1_MISS : PMU_LOADS_L1_HIT] += 1;
    }
    step->traffic = a->pc && core->traffic.any ? &core->traffic : NULL;
    if (missed || core->overlap.left) {
        cycles = wait_for_loads(core, step);
    }
    *a = (PMUAccesses){ 0 };
    return cycles;
}

static bool conditional_was_wrong(PMUCore *core, uint64_t pc, bool taken)
{
    uint8_t *outcomes = &core->outcomes[pc % TABLE];
    uint8_t *counter = &core->counters[pc % TABLE][*outcomes];
    bool predicted = *counter >= 2;

    if (taken && *counter < 3) {
        ++*counter;
    } else if (!taken && *counter > 0) {
        --*counter;
    }
    *outcomes = *outcomes << 1 | taken;
    return predicted != taken;
}

static bool indirect_was_wrong(PMUCore *core, uint64_t pc, uint64_t next)
{
    uint64_t predicted = core->target[pc % TABLE];

    core->target[pc % TABLE] = next;
    return predicted != next;
}

static void push_return(PMUCore *core, uint64_t after)
{
    core->returns[core->returns_top] = after;
    core->returns_top = (core->returns_top + 1) % RETURNS;
    core->returns_held = MIN(core->returns_held + 1, RETURNS);
}

static bool return_was_wrong(PMUCore *core, uint64_t next)
{
    if (!core->returns_held) {
        return true;
    }
    core->returns_held--;
    core->returns_top = (core->returns_top + RETURNS - 1) % RETURNS;
    return core->returns[core->returns_top] != next;
}

static bool branch_was_wrong(PMUCore *core, uint64_t pc, uint64_t after, uint64_t next, int class)
{
    switch (class & PMU_KIND_MASK) {
    case PMU_COND_NOT_TAKEN:
        return conditional_was_wrong(core, pc, false);
    case PMU_COND_BACKWARD: case PMU_COND_FORWARD:
        return conditional_was_wrong(core, pc, true);
    case PMU_JUMP_INDIRECT:
        return indirect_was_wrong(core, pc, next);
    case PMU_CALL:
        push_return(core, after);
        return false;
    case PMU_CALL_INDIRECT:
        push_return(core, after);
        return indirect_was_wrong(core, pc, next);
    case PMU_RETURN:
        return return_was_wrong(core, next);
    default:
        return false;
    }
}

static uint32_t reference_cycles(PMUCore *core, uint32_t cycles)
{
    unsigned now, base;
    uint32_t whole;

    pmu_state_ratios(core->env->pmu.state->msrs, &now, &base);
    if (now != core->ratio_now) {
        core->reference_rest = core->reference_rest * now / core->ratio_now;
        core->ratio_now = now;
    }
    if (now == base) {
        return cycles;
    }
    core->reference_rest += (uint64_t)cycles * base;
    whole = core->reference_rest / now;
    core->reference_rest %= now;
    return whole;
}

static uint32_t bus_cycles(PMUCore *core, uint32_t reference)
{
    uint64_t all = (uint64_t)core->bus_rest + reference;

    if (all < core->bus_ratio) { /* spares most cycles two divisions */
        core->bus_rest = all;
        return 0;
    }
    core->bus_rest = all % core->bus_ratio;
    return all / core->bus_ratio;
}

static void open_cycle(PMUCore *core, int ring, PMUStep *step)
{
    uint32_t reference = reference_cycles(core, 1);

    core->cycle_open = true;
    core->cycle_ring = ring;
    core->cycle_retired = 0;
    step->opens_cycle = true;
    step->added[PMU_CYCLES] += 1;
    step->added[PMU_REFERENCE_CYCLES] += reference;
    step->added[PMU_BUS_CYCLES] += bus_cycles(core, reference);
    step->added[PMU_SLOTS] += PMU_WIDTH;
}

/*
 * Divides the reference and bus cycles of a stall evenly among the stalled cycles. The remainder
 * counts in the cycle of the instruction.
 */
static void stall(PMUCore *core, PMUStep *step, int kind, PMUSource slots, uint32_t cycles)
{
    PMUStall *stalled = &step->stall[kind];
    uint32_t reference, bus;

    stalled->cycles = cycles;
    if (!cycles) {
        return;
    }
    reference = reference_cycles(core, cycles);
    bus = bus_cycles(core, reference);
    memset(stalled->each, 0, sizeof(stalled->each));
    stalled->each[PMU_CYCLES] = 1;
    stalled->each[PMU_REFERENCE_CYCLES] = reference / cycles;
    stalled->each[PMU_BUS_CYCLES] = bus / cycles;
    stalled->each[PMU_SLOTS] = PMU_WIDTH;
    stalled->each[PMU_STALLED_SLOTS] = PMU_WIDTH;
    stalled->each[slots] = PMU_WIDTH;
    step->added[PMU_REFERENCE_CYCLES] += reference % cycles;
    step->added[PMU_BUS_CYCLES] += bus % cycles;
    core->cycle_open = false;
}

void pmu_core_retire(PMUCore *core, uint64_t pc, uint64_t after, uint64_t next, int class, int ring,
                     PMUStep *step)
{
    const uint8_t *plain = core->plain[class];
    uint32_t cache_cycles = 0;
    bool wrong = false;

    step->opens_cycle = false;
    if (!core->cycle_open || core->cycle_ring != ring) {
        open_cycle(core, ring, step);
    }
    if (may_stall(core, class)) {
        cache_cycles = take_accesses(core, pc, class, step);
    }
    if (plain[PMU_BRANCHES]) {
        wrong = branch_was_wrong(core, pc, after, next, class);
        step->added[PMU_MISPREDICTS] += wrong;
        step->added[PMU_MISPREDICTED_CONDITIONAL] += wrong && plain[PMU_CONDITIONAL];
        step->added[PMU_MISPREDICTED_TAKEN] += wrong && plain[PMU_NEAR_TAKEN];
        step->added[PMU_MISPREDICTED_RETURNS] += wrong && plain[PMU_NEAR_RETURNS];
    }
    if (++core->cycle_retired == PMU_WIDTH || plain[PMU_TAKEN]) {
        core->cycle_open = false;
    }
    stall(core, step, PMU_STALL_CACHE, PMU_BACKEND_SLOTS, cache_cycles);
    stall(core, step, PMU_STALL_MISPREDICT, PMU_BAD_SPECULATION_SLOTS,
          wrong ? MISPREDICT_CYCLES : 0);
    if (wrong) {
        core->overlap.left = 0;
    }
}

const uint8_t *pmu_core_plain(const PMUCore *core, int class)
{
    return core->plain[class];
}

void pmu_core_end_cycle(PMUCore *core)
{
    core->cycle_open = false;
    core->overlap.left = 0;
}

PMUCore *pmu_core_new(CPUX86State *env)
{
    PMUCore *core = g_new0(PMUCore, 1);

    core->env = env;
    for (int class = 0; class < PMU_CLASSES; class++) {
        for (int source = PMU_NOTHING; source < PMU_PLAIN; source++) {
            core->plain[class][source] = pmu_plain_count(source, class);
        }
    }
    return core;
}

void pmu_core_reset(PMUCore *core)
{
    core->line_shift = ctz32(pmu_caches_reset(core->env, core->cache));
    core->accesses = (PMUAccesses){ 0 };
    core->overlap = (PMUOverlap){ 0 };
    memset(core->outcomes, 0, sizeof(core->outcomes));
    memset(core->counters, 1, sizeof(core->counters));
    memset(core->target, 0, sizeof(core->target));
    core->returns_top = 0;
    core->returns_held = 0;
    core->cycle_open = false;
    core->reference_rest = 0;
    core->ratio_now = 1;
    core->bus_ratio = pmu_cpu_bus_ratio(core->env);
    core->bus_rest = 0;
}
