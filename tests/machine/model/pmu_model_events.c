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
#define BROADWELL PMU_CPU_BROADWELL
#define SKYLAKE (PMU_CPU_SKYLAKE_CLIENT | PMU_CPU_SKYLAKE_SERVER)
#define LION_COVE PMU_CPU_LION_COVE
#define COUGAR_COVE PMU_CPU_COUGAR_COVE
#define SUNNY_COVE (PMU_CPU_ICE_LAKE_CLIENT | PMU_CPU_ICE_LAKE_SERVER)
#define GOLDEN_COVE (PMU_CPU_SAPPHIRE_RAPIDS | PMU_CPU_HYBRID_CORE)
#define ICE_LAKE (SUNNY_COVE | GOLDEN_COVE)
#define GOLDEN_COVE_ON (GOLDEN_COVE | LION_COVE | COUGAR_COVE)
#define ICE_LAKE_ON (SUNNY_COVE | GOLDEN_COVE_ON)
#define DARKMONT PMU_CPU_DARKMONT
#define CRESTMONT_ON (PMU_CPU_CRESTMONT | PMU_CPU_SKYMONT | DARKMONT)
#define GRACEMONT (PMU_CPU_HYBRID_ATOM | PMU_CPU_CRESTMONT | PMU_CPU_SKYMONT)
#define ATOMS (GRACEMONT | DARKMONT)
#define NEW_BRANCHES (COUGAR_COVE | DARKMONT)
#define LISTS_SLOTS (1u << 31)
#define ARCH_EVENT_SLOTS 7 /* bit in CPUID.23H.03H:EAX */
#define PMU_FIXED_SLOTS (32 + 3) /* bit in pmu_counter_bits() */

#define SANDY_TO_SKYLAKE (SANDY | HASWELL | BROADWELL | SKYLAKE)
#define SANDY_TO_LION_COVE (SANDY_TO_SKYLAKE | ICE_LAKE | LION_COVE)
#define SANDY_ON (SANDY_TO_SKYLAKE | ICE_LAKE_ON)
#define SKYLAKE_ON (SKYLAKE | ICE_LAKE_ON)
#define BROADWELL_ON (BROADWELL | SKYLAKE_ON)
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
    { 0x100c4, PMU_FORWARD_TAKEN, LION_COVE },       /* .COND_TAKEN_FWD */
    { 0x02c4, PMU_FORWARD_TAKEN, NEW_BRANCHES },     /* .COND_TAKEN_FWD */
    { 0x01c4, PMU_BACKWARD_TAKEN, LION_COVE | NEW_BRANCHES }, /* .COND_TAKEN_BWD */
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
    { 0xebc4, PMU_INDIRECT_BRANCHES, GRACEMONT },    /* .INDIRECT, .NON_RETURN_IND */
    { 0x7fc4, PMU_NOT_TAKEN, PMU_CPU_SKYMONT },      /* .COND_NTAKEN */
    { 0x07c4, PMU_CONDITIONAL, NEW_BRANCHES },       /* .COND */
    { 0x03c4, PMU_CONDITIONAL_TAKEN, NEW_BRANCHES }, /* .COND_TAKEN */
    { 0x04c4, PMU_NOT_TAKEN, NEW_BRANCHES },         /* .COND_NTAKEN */
    { 0xfbc4, PMU_NEAR_TAKEN, NEW_BRANCHES },        /* .NEAR_TAKEN */
    { 0x30c4, PMU_NEAR_CALLS, NEW_BRANCHES },        /* .NEAR_CALL */
    { 0x50c4, PMU_INDIRECT_BRANCHES, NEW_BRANCHES }, /* .NEAR_INDIRECT */
    { 0x58c4, PMU_INDIRECT_OR_RETURNS, DARKMONT },   /* .NEAR_INDIRECT_OR_RETURN */
    { 0xc0c4, PMU_NEAR_JUMPS, NEW_BRANCHES },        /* .NEAR_JMP */
    { 0xfdc4, PMU_DIRECT_CALLS, GRACEMONT },         /* .REL_CALL */
    { 0xfbc4, PMU_INDIRECT_CALLS, GRACEMONT },       /* .IND_CALL */
    { 0xdfc4, PMU_DIRECT_JUMPS, GRACEMONT },         /* .REL_JMP */
    { 0xefc4, PMU_INDIRECT_JUMPS, GRACEMONT },       /* .INDIRECT_JMP */
    { 0x20c4, PMU_DIRECT_CALLS, NEW_BRANCHES },      /* .NEAR_DIRECT_CALL */
    { 0x10c4, PMU_INDIRECT_CALLS, NEW_BRANCHES },    /* .NEAR_INDIRECT_CALL */
    { 0x80c4, PMU_DIRECT_JUMPS, NEW_BRANCHES },      /* .NEAR_DIRECT_JMP */
    { 0x40c4, PMU_INDIRECT_JUMPS, NEW_BRANCHES },    /* .NEAR_INDIRECT_JMP */
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
    { 0x08d1, PMU_LOADS_L1_MISS, HASWELL | BROADWELL_ON | PMU_CPU_HYBRID_ATOM },
    { 0x40d1, PMU_LOADS_L1_MISS, CRESTMONT_ON },                             /* .L1_MISS */

    { 0x0151, PMU_L1D_REPLACEMENTS, NEHALEM | SANDY_TO_SKYLAKE | ICE_LAKE }, /* L1D.REPLACEMENT */
    { 0x0551, PMU_L1D_REPLACEMENTS, LION_COVE | COUGAR_COVE },
    { 0x04a3, PMU_STALLED_SLOTS, SANDY_ON },     /* with CMASK = 4: CYCLE_ACTIVITY.STALLS_TOTAL */
    { 0x02a4, PMU_BACKEND_SLOTS, ICE_LAKE_ON },  /* TOPDOWN.BACKEND_BOUND_SLOTS */

    /* INST_RETIRED.NOP, .X87, .MMX */
    { 0x02c0, PMU_NOPS, SKYLAKE_ON },
    { 0x02c0, PMU_X87_COMPUTATIONS, NEHALEM | HASWELL | BROADWELL },
    { 0x04c0, PMU_MMX, NEHALEM },

    /* MEM_INST_RETIRED.LOCK_LOADS, .SPLIT_LOADS, .SPLIT_STORES, .ALL_SWPF */
    { 0x21d0, PMU_LOCKED_LOADS, SANDY_ON | ATOMS },
    { 0x41d0, PMU_SPLIT_LOADS, SANDY_ON | ATOMS },
    { 0x42d0, PMU_SPLIT_STORES, SANDY_ON | ATOMS },
    { 0x43d0, PMU_SPLITS, ATOMS }, /* MEM_UOPS_RETIRED.SPLIT */
    { 0x84d0, PMU_PREFETCHES, LION_COVE | COUGAR_COVE },

    /* FP_ARITH_INST_RETIRED */
    { 0x01c7, PMU_FP_SCALAR_DOUBLE, BROADWELL_ON },
    { 0x02c7, PMU_FP_SCALAR_SINGLE, BROADWELL_ON },
    { 0x04c7, PMU_FP_128_DOUBLE, BROADWELL_ON },
    { 0x08c7, PMU_FP_128_SINGLE, BROADWELL_ON },
    { 0x10c7, PMU_FP_256_DOUBLE, BROADWELL_ON },
    { 0x20c7, PMU_FP_256_SINGLE, BROADWELL_ON },
    { 0x03c7, PMU_FP_SCALAR, BROADWELL_ON },                            /* .SCALAR */
    { 0xfcc7, PMU_FP_VECTOR, BROADWELL | SKYLAKE | ICE_LAKE },          /* .VECTOR */
    { 0x3cc7, PMU_FP_VECTOR, BROADWELL | LION_COVE | COUGAR_COVE },     /* .PACKED, .VECTOR */
    { 0x0cc7, PMU_FP_128, LION_COVE | COUGAR_COVE },                    /* .VECTOR_128B */
    { 0x30c7, PMU_FP_256, LION_COVE | COUGAR_COVE },                    /* .VECTOR_256B */
    { 0x15c7, PMU_FP_DOUBLE, BROADWELL },                               /* .DOUBLE */
    { 0x2ac7, PMU_FP_SINGLE, BROADWELL },                               /* .SINGLE */
    { 0x18c7, PMU_FP_4_FLOPS, BROADWELL_ON },                           /* .4_FLOPS */
    { 0x60c7, PMU_FP_8_FLOPS, SKYLAKE | ICE_LAKE },                     /* .8_FLOPS */

    /* SW_PREFETCH_ACCESS.NTA, .T0, .T1_T2, .PREFETCHW, .ANY */
    { 0x0132, PMU_PREFETCHES_NTA, SKYLAKE | SUNNY_COVE },
    { 0x0232, PMU_PREFETCHES_T0, SKYLAKE | SUNNY_COVE },
    { 0x0432, PMU_PREFETCHES_T1_T2, SKYLAKE | SUNNY_COVE },
    { 0x0832, PMU_PREFETCHES_W, SKYLAKE | SUNNY_COVE },
    { 0x0f32, PMU_PREFETCHES, SKYLAKE | SUNNY_COVE },
    { 0x0140, PMU_PREFETCHES_NTA, GOLDEN_COVE_ON },
    { 0x0240, PMU_PREFETCHES_T0, GOLDEN_COVE_ON },
    { 0x0440, PMU_PREFETCHES_T1_T2, GOLDEN_COVE_ON },
    { 0x0840, PMU_PREFETCHES_W, GOLDEN_COVE_ON },
    { 0x0f40, PMU_PREFETCHES, GOLDEN_COVE_ON },

    { 0x40cc, PMU_PAUSES, SKYLAKE | SUNNY_COVE },                  /* MISC_RETIRED.PAUSE_INST */
    { 0x20e0, PMU_LFENCES, GOLDEN_COVE_ON },                       /* MISC2_RETIRED.LFENCE */
    { 0x02e0, PMU_LFENCES, ATOMS },                                /* MISC_RETIRED1.LFENCE */
    { 0xffe0, PMU_FLUSHES, ATOMS },                                /* .CL_INST */
    { 0x01e0, PMU_COUNTER_READS, PMU_CPU_SKYMONT },                /* .RDPMC_RDTSC_P */
    { 0x03e7, PMU_VECTOR_ADDS_128, GOLDEN_COVE_ON },               /* INT_VEC_RETIRED.ADD_128 */
    { 0x13e7, PMU_VECTOR_ADDS_128, GOLDEN_COVE_ON },               /* .128BIT; TCG lacks VNNI */
    { 0x0ce7, PMU_VECTOR_ADDS_256, GOLDEN_COVE_ON },               /* .ADD_256 */
    { 0x80e7, PMU_VECTOR_MULTIPLICATIONS_256, GOLDEN_COVE_ON },    /* .MUL_256 */
    { 0xace7, PMU_VECTOR_256, GOLDEN_COVE_ON },                    /* .256BIT */

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
    { 0x044b, PMU_PREFETCHES_NTA, ZENS },            /* LsPrefInstrDisp.PrefetchNTA */
    { 0x014b, PMU_PREFETCHES_T, ZENS },              /* .PREFETCH */
    { 0x024b, PMU_PREFETCHES_W, ZENS },              /* .PREFETCHW */
    { 0x074b, PMU_PREFETCHES, ZENS },
    { 0x01cb, PMU_X87, ZENS },                       /* ExRetMmxFpInstr.X87Instr */
    { 0x02cb, PMU_MMX, ZENS },                       /* ExRetMmxFpInstr.MmxInstr */
    { 0x00d4, PMU_DIVISIONS, ZENS },                 /* ExDivCount */
    { 0x0825, PMU_SPECULATIVE_LOCKS, ZENS },         /* LsLocks.SpecLockMapCommit (rr) */
    { 0x0529, PMU_LOADS, ZENS },                     /* LsDispatch: LdDispatch, LdStDispatch */
    { 0x0629, PMU_STORES, ZENS },                    /* LsDispatch: StoreDispatch, LdStDispatch */
    { 0x5b43, PMU_L1D_REPLACEMENTS, ZEN },           /* LsRefillsFromSys, from anywhere */
    { 0x5f44, PMU_L1D_REPLACEMENTS, ZEN_3 },         /* LsAnyFillsFromSys, from anywhere */
    { 0xdf44, PMU_L1D_REPLACEMENTS, ZEN_4 },         /* LsAnyFillsFromSys, from anywhere */
};

/*
 * For each kind of instruction, except floating-point computations: the plain sources that count
 * it.
 */
#define IS(source) (1ull << PMU_##source)
#define TAKEN_NEAR (IS(BRANCHES) | IS(TAKEN) | IS(NEAR_TAKEN))
#define COND_TAKEN (IS(CONDITIONAL) | IS(CONDITIONAL_TAKEN))
#define INDIRECT (IS(INDIRECT_BRANCHES) | IS(INDIRECT_OR_RETURNS))
static const uint64_t kinds[PMU_FP] = {
    [PMU_COND_NOT_TAKEN] = IS(BRANCHES) | IS(CONDITIONAL) | IS(NOT_TAKEN),
    [PMU_COND_BACKWARD] = TAKEN_NEAR | COND_TAKEN | IS(BACKWARD_TAKEN),
    [PMU_COND_FORWARD] = TAKEN_NEAR | COND_TAKEN | IS(FORWARD_TAKEN),
    [PMU_JUMP] = TAKEN_NEAR | IS(DIRECT_JUMPS) | IS(NEAR_JUMPS),
    [PMU_JUMP_INDIRECT] = TAKEN_NEAR | INDIRECT | IS(INDIRECT_JUMPS) | IS(NEAR_JUMPS),
    [PMU_CALL] = TAKEN_NEAR | IS(NEAR_CALLS) | IS(DIRECT_CALLS),
    [PMU_CALL_INDIRECT] = TAKEN_NEAR | INDIRECT | IS(NEAR_CALLS) | IS(INDIRECT_CALLS),
    [PMU_RETURN] = TAKEN_NEAR | IS(NEAR_RETURNS) | IS(INDIRECT_OR_RETURNS),
    [PMU_FAR] = IS(BRANCHES) | IS(TAKEN) | IS(FAR_BRANCHES),
    [PMU_NOP] = IS(NOPS),
    [PMU_LOCK] = IS(LOCKED_LOADS),
    [PMU_PAUSE] = IS(PAUSES),
    [PMU_LFENCE] = IS(LFENCES),
    [PMU_FLUSH] = IS(FLUSHES),
    [PMU_COUNTER_READ] = IS(COUNTER_READS),
    [PMU_PREFETCHNTA] = IS(PREFETCHES) | IS(PREFETCHES_NTA),
    [PMU_PREFETCHT0] = IS(PREFETCHES) | IS(PREFETCHES_T) | IS(PREFETCHES_T0),
    [PMU_PREFETCHT1_T2] = IS(PREFETCHES) | IS(PREFETCHES_T) | IS(PREFETCHES_T1_T2),
    [PMU_PREFETCHW] = IS(PREFETCHES) | IS(PREFETCHES_W),
    [PMU_DIVIDE] = IS(DIVISIONS),
    [PMU_X87_COMPUTES] = IS(X87) | IS(X87_COMPUTATIONS),
    [PMU_X87_OTHER] = IS(X87),
    [PMU_MMX_INSTRUCTION] = IS(MMX),
    [PMU_ADD_128] = IS(VECTOR_ADDS_128),
    [PMU_ADD_256] = IS(VECTOR_ADDS_256) | IS(VECTOR_256),
    [PMU_MULTIPLY_256] = IS(VECTOR_MULTIPLICATIONS_256) | IS(VECTOR_256),
};

/*
 * The unit masks of FP_ARITH_INST_RETIRED, in the order of the sources. Bit i stands for the i-th
 * kind of PMU_FP. Bits 6 and 7 stand for computations of 512 bits, which TCG does not support.
 */
static const uint8_t fp_masks[] = { 0x01, 0x02, 0x04, 0x08, 0x10, 0x20,
                                    0x03, 0xfc, 0x0c, 0x30, 0x15, 0x2a, 0x18, 0x60 };

static unsigned fp_count(PMUSource source, int kind)
{
    int i = source - PMU_FP_SCALAR_DOUBLE;
    bool counts = i >= 0 && i < ARRAY_SIZE(fp_masks) && fp_masks[i] >> (kind - PMU_FP) % 6 & 1;

    return counts ? kind >= PMU_FP_TWICE ? 2 : 1 : 0;
}

unsigned pmu_plain_count(PMUSource source, int class)
{
    int kind = class & PMU_KIND_MASK;
    uint64_t is = IS(INSTRUCTIONS) | (kind < PMU_FP ? kinds[kind] : 0);

    if (kind >= PMU_FP && fp_count(source, kind)) {
        return fp_count(source, kind);
    }
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
