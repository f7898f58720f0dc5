/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of each CPU model's uncore units and their addresses. */
#ifndef BARECOUNT_PMU_UNCORE_MODELS_H
#define BARECOUNT_PMU_UNCORE_MODELS_H

#include "pmu/uncore/uncore.h"

#define UNCORE_MODELS_OF_ONE 12u /* CPU models per row of a table */
#define UNCORE_ENERGY_MODELS 40u /* CPU models per row of a table */

/* The global register. On clients, its bit `all` enables all counters of CBos, ARB and clock. */
struct uncore_global {
    uint32_t msr;        /* 0: none */
    uint32_t status_msr; /* 0: none */
    uint32_t clear_msr;
    uint64_t all;
    uint64_t general, fixed;               /* Nehalem: EN_PC0, EN_FC0 */
    uint64_t pmi_freeze;                   /* PMI_FRZ; 0: none */
    uint64_t pmi_core;                     /* EN_PMI_COREx of all cores */
    uint64_t pmi_select, pmi_control;      /* PMI bit of a select and of the fixed control */
    uint64_t status_general, status_fixed; /* overflow bits of counter 0 and of the clock */
    uint64_t status_also;                  /* other bits that an overflow sets: OVF_PMI, CHG */
    const char *source;
};

/*
 * The addresses of a kind's units are first + step * i. find() adapts them to the machine; it
 * writes no register, and returns STATUS_OK or why there are no units. If find() is null, the
 * addresses are used unchanged.
 */
struct uncore_units {
    struct uncore_type type;
    enum status (*find)(const struct uncore_port *port, const struct cpu_caps *caps,
                        struct uncore_group *group);
    uint64_t first, step;
    uint32_t units; /* the maximum if there is a find() */
};

struct uncore_model {
    const char *name;
    uint32_t vendor, family;             /* enum cpu_vendor; display family */
    uint8_t model[UNCORE_MODELS_OF_ONE]; /* display models, ending with 0 */
    struct uncore_global global;
    /* Ends with null. KIND_ENERGY is not listed. */
    const struct uncore_units *units[UNCORE_GROUPS_MAX];
};

#define OF_INTEL .vendor = VENDOR_INTEL, .family = 6
#define OF_MSR_SELECTS                                                                             \
    .space = SPACE_MSR, .style = STYLE_SELECT, .select_bytes = 8, .counter_bytes = 8,              \
    .select_step = 1, .counter_step = 1
#define OF_CLOCK                                                                                   \
    .kind = KIND_CLOCK, .space = SPACE_MSR, .style = STYLE_FIXED, .counters = 1,                   \
    .select_bytes = 8, .counter_bytes = 8
#define OF_FREE_MEMORY .kind = KIND_IMC_FREE, .space = SPACE_MMIO, .style = STYLE_FREE

/* Whether a list, which ends with 0 or after `most` entries, contains a display model. */
static inline bool uncore_lists(const uint8_t *models, unsigned most, uint32_t model)
{
    for (unsigned i = 0; i < most && models[i]; i++)
        if (models[i] == model)
            return true;
    return false;
}

/* Returns null if the model is unknown. */
const struct uncore_model *uncore_model_of(const struct cpu_caps *caps);
unsigned uncore_models_count(void);
const struct uncore_model *uncore_model_at(unsigned index);

struct uncore_table {
    const struct uncore_model *model;
    unsigned count;
};
extern const struct uncore_table UNCORE_NEHALEM, UNCORE_CLIENTS, UNCORE_SERVERS;

/* ESU is bits 12:8 of the unit register. */
enum uncore_energy_unit {
    ENERGY_OF_UNIT,    /* 2^-ESU J */
    ENERGY_DRAM_FIXED, /* 2^-16 J for DRAM, else 2^-ESU J */
    ENERGY_SILVERMONT, /* 2^ESU uJ */
};

struct uncore_energy_row {
    const char *name;
    uint32_t vendor, family;
    uint8_t model[UNCORE_ENERGY_MODELS]; /* ends with 0; empty: the whole family */
    uint8_t unit;                        /* enum uncore_energy_unit */
    uint32_t unit_msr;
    uint32_t msr[ENERGIES]; /* by enum uncore_energy; 0: no register */
    const char *source;
};
extern const struct uncore_energy_row UNCORE_ENERGY[];
extern const unsigned UNCORE_ENERGY_ROWS;

extern const struct uncore_units UNCORE_MCHBAR_SANDY_BRIDGE, UNCORE_MCHBAR_TIGER_LAKE_U,
    UNCORE_MCHBAR_TIGER_LAKE_H;

#endif
