/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The encodings of events. The architectural events come from Intel SDM volume 3B, "Pre-defined
 * Architectural Performance Events" and "Fixed-Function Performance Counters". Intel's other events
 * are core events of Intel's perfmon project. AMD's events are in the Processor Programming
 * References of families 17h, 19h and 1Ah, "Core Performance Monitor Counters". A counter with any
 * other encoding stays 0.
 */
#include "qemu/osdep.h"
#include "pmu_model_state.h"
#include "pmu_model_cpus.h"
#include "pmu_model_file.h"

#define NEHALEM PMU_CPU_NEHALEM
#define SANDY PMU_CPU_SANDY_BRIDGE
#define HASWELL PMU_CPU_HASWELL
#define SKYLAKE (PMU_CPU_SKYLAKE_CLIENT | PMU_CPU_SKYLAKE_SERVER)
#define LION_COVE PMU_CPU_LION_COVE
#define COUGAR_COVE PMU_CPU_COUGAR_COVE
#define ICE_LAKE (PMU_CPU_ICE_LAKE_CLIENT | PMU_CPU_ICE_LAKE_SERVER | PMU_CPU_HYBRID_CORE)
#define ICE_LAKE_ON (ICE_LAKE | LION_COVE | COUGAR_COVE)
#define DARKMONT PMU_CPU_DARKMONT
#define CRESTMONT_ON (PMU_CPU_CRESTMONT | PMU_CPU_SKYMONT | DARKMONT)
#define GRACEMONT (PMU_CPU_HYBRID_ATOM | PMU_CPU_CRESTMONT | PMU_CPU_SKYMONT)
#define ATOMS (GRACEMONT | DARKMONT)
#define NEW_BRANCHES (COUGAR_COVE | DARKMONT)
#define LISTS_SLOTS (1u << 31)
#define ARCH_EVENT_SLOTS 7 /* bit in CPUID.23H.03H:EAX */
#define PMU_FIXED_SLOTS (32 + 3) /* bit in pmu_counter_bits() */

#define SANDY_TO_SKYLAKE (SANDY | HASWELL | SKYLAKE)
#define SANDY_TO_LION_COVE (SANDY_TO_SKYLAKE | ICE_LAKE | LION_COVE)
#define SANDY_ON (SANDY_TO_SKYLAKE | ICE_LAKE_ON)
#define NEHALEM_TO_SKYLAKE (NEHALEM | SANDY_TO_SKYLAKE)
#define ALL_CORES (NEHALEM | SANDY_ON)
#define ALL (ALL_CORES | ATOMS | PMU_CPU_OTHER)
#define ZEN PMU_CPU_ZEN
#define ZEN_3 PMU_CPU_ZEN_3
#define ZEN_4 PMU_CPU_ZEN_4
#define ZENS (ZEN | ZEN_3 | ZEN_4)

typedef struct PMUEvent {
    uint32_t encoding; /* see pmu_event_source() */
    uint8_t source;
    uint32_t cpus; /* PMUCpu */
} PMUEvent;

static const PMUEvent events[] = {
    /* Architectural */
    { 0x003c, PMU_CYCLES, ALL },
    { 0x013c, PMU_BUS_CYCLES, ALL },
    { 0x00c0, PMU_INSTRUCTIONS, ALL },
    { 0x4f2e, PMU_LLC_REFERENCES, ALL },
    { 0x412e, PMU_LLC_MISSES, ALL },
    { 0x00c4, PMU_BRANCHES, ALL },
    { 0x00c5, PMU_MISPREDICTS, ALL },
    { 0x01a4, PMU_SLOTS, ICE_LAKE_ON | LISTS_SLOTS }, /* TOPDOWN.SLOTS_P */

    /* INST_RETIRED, UOPS_RETIRED */
    { 0x01c0, PMU_INSTRUCTIONS, NEHALEM },   /* .ANY_P */
    { 0x02c2, PMU_INSTRUCTIONS, ALL_CORES }, /* .RETIRE_SLOTS; since Ice Lake: .SLOTS */
    { 0x02c2, PMU_INSTRUCTIONS, PMU_CPU_SKYMONT | DARKMONT }, /* TOPDOWN_RETIRING.ALL_P */

    /* BR_INST_RETIRED */
    { 0x01c4, PMU_CONDITIONAL, NEHALEM_TO_SKYLAKE }, /* .CONDITIONAL */
    { 0x11c4, PMU_CONDITIONAL, ICE_LAKE },           /* .COND */
    { 0x111c4, PMU_CONDITIONAL, LION_COVE },         /* .COND; Lion Cove lacks 0x11c4 */
    { 0x7ec4, PMU_CONDITIONAL, GRACEMONT },          /* .COND */
    { 0x01c4, PMU_CONDITIONAL_TAKEN, ICE_LAKE },     /* .COND_TAKEN */
    { 0x101c4, PMU_CONDITIONAL_TAKEN, LION_COVE },   /* .COND_TAKEN */
    { 0xfec4, PMU_CONDITIONAL_TAKEN, GRACEMONT },    /* .COND_TAKEN */
    { 0x10c4, PMU_NOT_TAKEN, SANDY_TO_LION_COVE },   /* .NOT_TAKEN; since Ice Lake: .COND_NTAKEN */
    { 0x20c4, PMU_NEAR_TAKEN, SANDY_TO_LION_COVE },  /* .NEAR_TAKEN */
    { 0xc0c4, PMU_NEAR_TAKEN, GRACEMONT },           /* .NEAR_TAKEN */
    { 0x02c4, PMU_NEAR_CALLS, NEHALEM | SANDY_TO_LION_COVE }, /* .NEAR_CALL */
    { 0xf9c4, PMU_NEAR_CALLS, GRACEMONT },           /* .NEAR_CALL */
    { 0x08c4, PMU_NEAR_RETURNS, SANDY_ON | DARKMONT }, /* .NEAR_RETURN */
    { 0xf7c4, PMU_NEAR_RETURNS, GRACEMONT },         /* .NEAR_RETURN */
    { 0x40c4, PMU_FAR_BRANCHES, SANDY_TO_LION_COVE }, /* .FAR_BRANCH */
    { 0x100c4, PMU_FAR_BRANCHES, COUGAR_COVE },      /* .FAR_BRANCH */
    { 0xbfc4, PMU_FAR_BRANCHES, GRACEMONT },         /* .FAR_BRANCH */
    { 0x80c4, PMU_INDIRECT_BRANCHES, ICE_LAKE | LION_COVE }, /* .INDIRECT */
    { 0x07c4, PMU_CONDITIONAL, NEW_BRANCHES },       /* .COND */
    { 0x03c4, PMU_CONDITIONAL_TAKEN, NEW_BRANCHES }, /* .COND_TAKEN */
    { 0x04c4, PMU_NOT_TAKEN, NEW_BRANCHES },         /* .COND_NTAKEN */
    { 0xfbc4, PMU_NEAR_TAKEN, NEW_BRANCHES },        /* .NEAR_TAKEN */
    { 0x30c4, PMU_NEAR_CALLS, NEW_BRANCHES },        /* .NEAR_CALL */
    { 0x50c4, PMU_INDIRECT_BRANCHES, NEW_BRANCHES }, /* .NEAR_INDIRECT */
    /* .ALL_BRANCHES on Nehalem, .ALL_BRANCHES_PEBS since Sandy Bridge */
    { 0x04c4, PMU_BRANCHES, NEHALEM_TO_SKYLAKE },

    /* BR_MISP_RETIRED */
    { 0x01c5, PMU_MISPREDICTED_CONDITIONAL, SANDY_TO_SKYLAKE }, /* .CONDITIONAL */
    { 0x11c5, PMU_MISPREDICTED_CONDITIONAL, ICE_LAKE },         /* .COND */
    { 0x7ec5, PMU_MISPREDICTED_CONDITIONAL, GRACEMONT },        /* .COND */
    { 0x111c5, PMU_MISPREDICTED_CONDITIONAL, LION_COVE },       /* .COND */
    { 0x07c5, PMU_MISPREDICTED_CONDITIONAL, COUGAR_COVE },      /* .COND */
    { 0x20c5, PMU_MISPREDICTED_TAKEN, SANDY_TO_LION_COVE },     /* .NEAR_TAKEN; Sandy: .TAKEN */
    { 0xfbc5, PMU_MISPREDICTED_TAKEN, COUGAR_COVE },            /* .NEAR_TAKEN */
    { 0x80c5, PMU_MISPREDICTED_TAKEN, GRACEMONT },              /* .NEAR_TAKEN */
    { 0x08c5, PMU_MISPREDICTED_RETURNS, SKYLAKE | ICE_LAKE_ON | DARKMONT }, /* .RET */
    { 0xf7c5, PMU_MISPREDICTED_RETURNS, GRACEMONT },            /* .RETURN */
    { 0x04c5, PMU_MISPREDICTS, SANDY_TO_SKYLAKE },              /* .ALL_BRANCHES_PEBS */

    /* MEM_INST_RETIRED; MEM_UOPS_RETIRED on Sandy Bridge to Broadwell and on E-cores */
    { 0x010b, PMU_LOADS, NEHALEM },               /* .LOADS */
    { 0x020b, PMU_STORES, NEHALEM },              /* .STORES */
    { 0x81d0, PMU_LOADS, SANDY_ON | ATOMS },  /* .ALL_LOADS */
    { 0x82d0, PMU_STORES, SANDY_ON | ATOMS }, /* .ALL_STORES */

    /* MEM_LOAD_RETIRED; MEM_LOAD_UOPS_RETIRED on Sandy Bridge to Broadwell and on E-cores */
    { 0x01cb, PMU_LOADS_L1_HIT, NEHALEM },                                   /* .L1D_HIT */
    { 0x01d1, PMU_LOADS_L1_HIT, SANDY_TO_SKYLAKE | ICE_LAKE | ATOMS },       /* .L1_HIT */
    { 0x101d1, PMU_LOADS_L1_HIT, LION_COVE | COUGAR_COVE },                  /* .L1_HIT */
    { 0x08d1, PMU_LOADS_L1_MISS, HASWELL | SKYLAKE | ICE_LAKE_ON | PMU_CPU_HYBRID_ATOM },
    { 0x40d1, PMU_LOADS_L1_MISS, CRESTMONT_ON },                             /* .L1_MISS */

    { 0x0151, PMU_L1D_REPLACEMENTS, NEHALEM | SANDY_TO_SKYLAKE | ICE_LAKE }, /* L1D.REPLACEMENT */
    { 0x0551, PMU_L1D_REPLACEMENTS, LION_COVE | COUGAR_COVE },
    { 0x04a3, PMU_STALLED_SLOTS, SANDY_ON },     /* with CMASK = 4: CYCLE_ACTIVITY.STALLS_TOTAL */
    { 0x02a4, PMU_BACKEND_SLOTS, ICE_LAKE_ON },  /* TOPDOWN.BACKEND_BOUND_SLOTS */

    /* AMD */
    { 0x0076, PMU_CYCLES, ZENS },                    /* LsNotHaltedCyc */
    { 0x10120, PMU_REFERENCE_CYCLES, ZEN_4 },        /* LsNotHaltedP0Cyc.P0FreqCyc */
    { 0x00c0, PMU_INSTRUCTIONS, ZENS },              /* ExRetInstr */
    { 0x00c2, PMU_BRANCHES, ZENS },                  /* ExRetBrn */
    { 0x00c3, PMU_MISPREDICTS, ZENS },               /* ExRetBrnMisp */
    { 0x00c4, PMU_TAKEN, ZENS },                     /* ExRetBrnTkn */
    { 0x00c5, PMU_MISPREDICTED_TAKEN, ZENS },        /* ExRetBrnTknMisp */
    { 0x00c6, PMU_FAR_BRANCHES, ZENS },              /* ExRetBrnFar */
    { 0x00c8, PMU_NEAR_RETURNS, ZENS },              /* ExRetNearRet */
    { 0x00c9, PMU_MISPREDICTED_RETURNS, ZENS },      /* ExRetNearRetMispred */
    { 0x00d1, PMU_CONDITIONAL, ZENS },               /* ExRetCond */
    { 0x00d2, PMU_MISPREDICTED_CONDITIONAL, ZEN },   /* ExRetCondMisp */
    { 0x100c7, PMU_MISPREDICTED_CONDITIONAL, ZEN_3 | ZEN_4 }, /* ExRetMsprdBrnchInstrDirMsmtch */
    { 0x002b, PMU_SMIS, ZENS },                      /* LsSmiRx */
    { 0x002c, PMU_INTERRUPTS, ZEN | ZEN_3 },         /* LsIntTaken */
    { 0x012c, PMU_INTERRUPTS, ZEN_4 },               /* LsIntTaken */
    { 0x0825, PMU_SPECULATIVE_LOCKS, ZENS },         /* LsLocks.SpecLockMapCommit (rr) */
    { 0x0529, PMU_LOADS, ZENS },                     /* LsDispatch: LdDispatch, LdStDispatch */
    { 0x0629, PMU_STORES, ZENS },                    /* LsDispatch: StoreDispatch, LdStDispatch */
    { 0x5b43, PMU_L1D_REPLACEMENTS, ZEN },           /* LsRefillsFromSys, from anywhere */
    { 0x5f44, PMU_L1D_REPLACEMENTS, ZEN_3 },         /* LsAnyFillsFromSys, from anywhere */
    { 0xdf44, PMU_L1D_REPLACEMENTS, ZEN_4 },         /* LsAnyFillsFromSys, from anywhere */
};

/* For each kind of branch, the plain sources that count it. */
#define IS(source) (1u << PMU_##source)
#define TAKEN_NEAR (IS(BRANCHES) | IS(TAKEN) | IS(NEAR_TAKEN))
static const uint32_t kinds[PMU_KIND_MASK + 1] = {
    [PMU_COND_NOT_TAKEN] = IS(BRANCHES) | IS(CONDITIONAL) | IS(NOT_TAKEN),
    [PMU_COND_TAKEN] = TAKEN_NEAR | IS(CONDITIONAL) | IS(CONDITIONAL_TAKEN),
    [PMU_JUMP] = TAKEN_NEAR,
    [PMU_JUMP_INDIRECT] = TAKEN_NEAR | IS(INDIRECT_BRANCHES),
    [PMU_CALL] = TAKEN_NEAR | IS(NEAR_CALLS),
    [PMU_CALL_INDIRECT] = TAKEN_NEAR | IS(NEAR_CALLS) | IS(INDIRECT_BRANCHES),
    [PMU_RETURN] = TAKEN_NEAR | IS(NEAR_RETURNS),
    [PMU_FAR] = IS(BRANCHES) | IS(TAKEN) | IS(FAR_BRANCHES),
};

unsigned pmu_plain_count(PMUSource source, int class)
{
    uint32_t is = kinds[class & PMU_KIND_MASK] | IS(INSTRUCTIONS);

    is |= class & PMU_LOAD ? IS(LOADS) : 0;
    is |= class & PMU_STORE ? IS(STORES) : 0;
    return is >> source & 1;
}

uint32_t pmu_arch_events(const CPUX86State *env)
{
    bool slots = env->pmu.version >= 5 && pmu_counter_bits(&env->pmu) >> PMU_FIXED_SLOTS & 1;

    return env->pmu.file ? pmu_file_arch_events(env)
                         : pmu_low_bits(slots ? ARCH_EVENT_SLOTS + 1 : ARCH_EVENT_SLOTS);
}

PMUSource pmu_event_source(const CPUX86State *env, uint32_t encoding)
{
    return pmu_event_source_on(env, env->pmu.core_type, encoding);
}

PMUSource pmu_event_source_on(const CPUX86State *env, uint8_t core_type, uint32_t encoding)
{
    bool lists_slots = core_type == env->pmu.core_type &&
                       pmu_arch_events(env) >> ARCH_EVENT_SLOTS & 1;
    uint32_t is = pmu_cpu_kind_of(env, core_type) | (lists_slots ? LISTS_SLOTS : 0);

    for (int i = 0; i < ARRAY_SIZE(events); i++) {
        if (events[i].encoding == encoding && events[i].cpus & is) {
            return events[i].source;
        }
    }
    return PMU_NOTHING;
}

PMUSource pmu_fixed_source(int index)
{
    /*
     * Fixed counter 5 stays 0, because the model has no front-end stalls. Fixed counter 6 counts
     * instructions, because each instruction that retires takes a slot.
     */
    static const uint8_t sources[PMU_FIXED_MAX] = {
        PMU_INSTRUCTIONS, PMU_CYCLES, PMU_REFERENCE_CYCLES, PMU_SLOTS, PMU_BAD_SPECULATION_SLOTS,
        PMU_NOTHING, PMU_INSTRUCTIONS,
    };

    return index >= 0 && index < PMU_FIXED_MAX ? sources[index] : PMU_NOTHING;
}
