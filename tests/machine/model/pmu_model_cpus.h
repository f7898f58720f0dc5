/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of CPU that the model distinguishes, and their properties. */
#ifndef I386_TCG_PMU_MODEL_CPUS_H
#define I386_TCG_PMU_MODEL_CPUS_H

#include "cpu.h"

/* Each kind is one bit, because tables combine kinds. */
typedef enum PMUCpu {
    PMU_CPU_NEHALEM = 1 << 0,        /* and Westmere */
    PMU_CPU_SANDY_BRIDGE = 1 << 1,   /* and Ivy Bridge; servers are treated as clients */
    PMU_CPU_HASWELL = 1 << 2,        /* servers are treated as clients */
    PMU_CPU_BROADWELL = 1 << 3, /* servers are treated as clients */
    PMU_CPU_SKYLAKE_CLIENT = 1 << 4,
    PMU_CPU_SKYLAKE_SERVER = 1 << 5, /* and Cascade Lake, Cooper Lake */
    PMU_CPU_ICE_LAKE_CLIENT = 1 << 6, /* and Tiger Lake, Rocket Lake */
    PMU_CPU_ICE_LAKE_SERVER = 1 << 7,
    PMU_CPU_SAPPHIRE_RAPIDS = 1 << 8, /* and Emerald Rapids, Granite Rapids */
    /* The cores of hybrids, by native model ID. */
    PMU_CPU_HYBRID_CORE = 1 << 9, /* P-cores with ID 0 to 2 */
    PMU_CPU_HYBRID_ATOM = 1 << 10, /* E-cores with ID 1; without a machine file also ID 0 */
    PMU_CPU_CRESTMONT = 1 << 11,   /* E-cores with ID 2 */
    PMU_CPU_LION_COVE = 1 << 12,  /* P-cores with ID 3 */
    PMU_CPU_SKYMONT = 1 << 13,    /* E-cores with ID 3 */
    PMU_CPU_COUGAR_COVE = 1 << 14, /* P-cores with ID 4 */
    PMU_CPU_DARKMONT = 1 << 15,   /* E-cores with ID 4 */
    PMU_CPU_OTHER = 1 << 16, /* any other Intel CPU; it has only architectural MSRs */
    /* AMD */
    PMU_CPU_ZEN = 1 << 17,   /* Zen, Zen 2 and Hygon */
    PMU_CPU_ZEN_3 = 1 << 18,
    PMU_CPU_ZEN_4 = 1 << 19, /* and Zen 5: PerfMonV2 */
} PMUCpu;

#define PMU_CPU_HASWELLS (PMU_CPU_HASWELL | PMU_CPU_BROADWELL)

/* The kind of this CPU, from CPUID.1AH on a hybrid, else from vendor, family and model. */
PMUCpu pmu_cpu_kind(const CPUX86State *env);

/*
 * The kind of a core with the type `core_type` and this CPU's native model ID. Type 0 means that
 * the CPU is no hybrid.
 */
PMUCpu pmu_cpu_kind_of(const CPUX86State *env, uint8_t core_type);

/* An AMD or Hygon CPU of family 17h or later. */
bool pmu_cpu_is_zen(const CPUX86State *env);

unsigned pmu_cpu_amd_family(const CPUX86State *env);

/*
 * Number of counters of an AMD CPU with PerfCtrExtCore. A CPU without this feature has AMD_LEGACY
 * counters.
 */
#define PMU_AMD_COUNTERS 6

/* CPUID bits of AMD, by leaf. */
#define PMU_AMD_ECX_PERF_CTR_EXT_CORE (1u << 23) /* 8000_0001 */
#define PMU_AMD_EBX_SCALABLE_MCA (1u << 3)       /* 8000_0007 */
#define PMU_AMD_EBX_IRPERF (1u << 1)             /* 8000_0008 */
#define PMU_AMD_EAX_PREC_RET (1u << 12)          /* 8000_0021 */
#define PMU_AMD_EAX_PERFMON_V2 (1u << 0)         /* 8000_0022 */

/* The unit of `base` and `min` is 100 MHz; on Nehalem it is 133 1/3 MHz. */
typedef struct PMUCpuFigures {
    PMUCpu kind;
    uint8_t version;
    uint8_t gp_count;
    uint8_t fixed_count;
    uint8_t fixed_absent;
    bool full_width;
    bool metrics;
    uint32_t power;      /* CPUID.06H:EAX */
    uint8_t base;
    uint8_t min;
    uint8_t bus_ratio;
    uint8_t energy_unit; /* a unit is 2^-n J */
    uint8_t watts;
} PMUCpuFigures;

const PMUCpuFigures *pmu_cpu_figures(const CPUX86State *env);

/* Reference cycles per cycle of the clock that event 3C/01 counts. */
unsigned pmu_cpu_bus_ratio(const CPUX86State *env);

#endif
