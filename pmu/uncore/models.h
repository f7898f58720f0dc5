/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables behind pmu/uncore/uncore.h: which CPU model has which units, and where their registers
 * are. */
#ifndef BARECOUNT_PMU_UNCORE_MODELS_H
#define BARECOUNT_PMU_UNCORE_MODELS_H

#include "pmu/uncore/uncore.h"

#define UNCORE_MODELS_OF_ONE 12u /* CPU models of one row */
#define UNCORE_ENERGY_MODELS 36u /* the same, of a row of energy registers */

/*
 * Registers that hold all counters of an uncore at once. `counters`: the bit of the first general
 * counter, when each has one of its own (Nehalem); `all`: one bit for all (clients).
 */
struct uncore_global {
    uint32_t msr;        /* 0: there is none, the units' own controls freeze them */
    uint32_t status_msr; /* 0: none */
    uint32_t clear_msr;
    uint64_t all;
    uint64_t general, fixed;               /* Nehalem: EN_PC0, EN_FC0; 0: no such bits */
    uint64_t pmi_freeze;                   /* PMI_FRZ; 0: none */
    uint64_t pmi_core;                     /* EN_PMI_COREx, of all cores; 0: none */
    uint64_t pmi_select, pmi_control;      /* of a select, of the fixed control: PMI; 0: none */
    uint64_t status_general, status_fixed; /* the bits of an overflow; 0: none */
    uint64_t status_also;                  /* further bits that one sets: OVF_PMI, CHG */
    const char *source;
};

/*
 * A kind of unit of a model, and how its units are found. find() gets a group that has `type` (as a
 * copy), `units`, and the addresses first + step x i; it may change all of them by what the machine
 * says, and only reads. It returns STATUS_OK or why there is none. Null: all is as it stands here.
 * Then each select and counter is read once; a group one of whose registers raises #GP is refused.
 */
struct uncore_units {
    struct uncore_type type;
    enum status (*find)(const struct uncore_port *port, const struct cpu_caps *caps,
                        struct uncore_group *group);
    uint64_t first, step; /* of the units' addresses */
    uint32_t units;       /* how many there are, or may be */
};

struct uncore_model {
    const char *name;
    uint32_t vendor, family;             /* enum cpu_vendor; display family */
    uint8_t model[UNCORE_MODELS_OF_ONE]; /* display models, ends with 0 */
    struct uncore_global global;
    /* Ends with null, and leaves a group for KIND_ENERGY. Empty: only the name is known. */
    const struct uncore_units *units[UNCORE_GROUPS_MAX];
};

/* What rows of these tables have in common. */
#define OF_INTEL .vendor = VENDOR_INTEL, .family = 6
#define OF_MSR_SELECTS                                                                             \
    .space = SPACE_MSR, .style = STYLE_SELECT, .select_bytes = 8, .counter_bytes = 8,              \
    .select_step = 1, .counter_step = 1
#define OF_CLOCK                                                                                   \
    .kind = KIND_CLOCK, .space = SPACE_MSR, .style = STYLE_FIXED, .counters = 1,                   \
    .select_bytes = 8, .counter_bytes = 8
#define OF_FREE_MEMORY .kind = KIND_IMC_FREE, .space = SPACE_MMIO, .style = STYLE_FREE

/* Whether a list of at most `most` display models, which ends with 0, has one. */
static inline bool uncore_lists(const uint8_t *models, unsigned most, uint32_t model)
{
    for (unsigned i = 0; i < most && models[i]; i++)
        if (models[i] == model)
            return true;
    return false;
}

/* The model of a CPU; null: not known. One table for each family of models, in its own file. */
const struct uncore_model *uncore_model_of(const struct cpu_caps *caps);
unsigned uncore_models_count(void);
const struct uncore_model *uncore_model_at(unsigned index);

struct uncore_table {
    const struct uncore_model *model;
    unsigned count;
};
extern const struct uncore_table UNCORE_NEHALEM, UNCORE_CLIENTS, UNCORE_SERVERS;

/* What a step of an energy register is: 2^-ESU J, ESU in bits 12:8 of the unit register; or else.
 */
enum uncore_energy_unit {
    ENERGY_OF_UNIT,
    ENERGY_DRAM_FIXED, /* 2^-16 J for DRAM, the others by ESU */
    ENERGY_SILVERMONT, /* 2^ESU uJ */
};

/* The energy registers of CPU models, by enum uncore_energy; 0: there is none. */
struct uncore_energy_row {
    const char *name;
    uint32_t vendor, family;
    uint8_t model[UNCORE_ENERGY_MODELS]; /* ends with 0; none: all of the family */
    uint8_t unit;                        /* enum uncore_energy_unit */
    uint32_t unit_msr;
    uint32_t msr[ENERGIES];
    const char *source;
};
extern const struct uncore_energy_row UNCORE_ENERGY[];
extern const unsigned UNCORE_ENERGY_ROWS;

/* Client memory counters that run freely (MCHBAR), for the rows of UNCORE_CLIENTS. */
extern const struct uncore_units UNCORE_MCHBAR_SANDY_BRIDGE, UNCORE_MCHBAR_TIGER_LAKE_U,
    UNCORE_MCHBAR_TIGER_LAKE_H;

#endif
