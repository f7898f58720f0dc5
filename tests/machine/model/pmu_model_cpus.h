/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of CPU that the model tells apart, and what each has. */
#ifndef I386_TCG_PMU_MODEL_CPUS_H
#define I386_TCG_PMU_MODEL_CPUS_H

#include "cpu.h"

/* One bit each; pmu_model_msr_state.c names sets of them. */
typedef enum PMUCpu {
    PMU_CPU_NEHALEM = 1 << 0,        /* and Westmere */
    PMU_CPU_SANDY_BRIDGE = 1 << 1,   /* and Ivy Bridge; clients */
    PMU_CPU_HASWELL = 1 << 2,        /* and Broadwell; clients */
    PMU_CPU_SKYLAKE_CLIENT = 1 << 3,
    PMU_CPU_SKYLAKE_SERVER = 1 << 4, /* and Cascade Lake, Cooper Lake */
    PMU_CPU_ICE_LAKE_SERVER = 1 << 5,
    PMU_CPU_HYBRID_CORE = 1 << 6,
    PMU_CPU_HYBRID_ATOM = 1 << 7,
    PMU_CPU_OTHER = 1 << 8, /* architectural MSRs alone */
} PMUCpu;

/* By CPUID.1AH's core type, else by CPUID.1's family and model. */
PMUCpu pmu_cpu_kind(const CPUX86State *env);

/* The same, were its core type this one; 0: it is no hybrid. */
PMUCpu pmu_cpu_kind_of(const CPUX86State *env, uint8_t core_type);

/* Counters are 48 bits wide everywhere. Ratios are of 100 MHz, or of 133 1/3 MHz on Nehalem. */
typedef struct PMUCpuFigures {
    PMUCpu kind;
    uint8_t version;
    uint8_t gp_count;
    uint8_t fixed_count;
    bool full_width;
    bool metrics;
    uint32_t power;      /* CPUID.06H:EAX */
    uint8_t base;        /* ratios: base, and the lowest */
    uint8_t min;
    uint8_t bus_ratio;   /* see pmu_cpu_bus_ratio() */
    uint8_t energy_unit; /* a unit is 2^-n J */
    uint8_t watts;       /* of the package, at all times */
} PMUCpuFigures;

const PMUCpuFigures *pmu_cpu_figures(const CPUX86State *env);

/* Reference cycles in a cycle of the clock of event 3C/01; 1: it is the time stamp's. */
unsigned pmu_cpu_bus_ratio(const CPUX86State *env);

#endif
