/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the uncore units of each CPU model, and of their addresses. */
#ifndef BARECOUNT_PMU_UNCORE_MODELS_H
#define BARECOUNT_PMU_UNCORE_MODELS_H

#include "pmu/uncore/uncore.h"

#define UNCORE_MODELS_OF_ONE 12u /* CPU models in a row */
#define UNCORE_ENERGY_MODELS 40u /* CPU models in a row of energy registers */

/*
 * Registers that control counters of several units at once. On Nehalem, each counter has an enable
 * bit; `general` is the bit of the first general counter. On clients, one bit, `all`, enables all
 * counters of CBos, ARB and clock.
 */
struct uncore_global {
    uint32_t msr;        /* 0: no global register; each unit's own registers start its counters */
    uint32_t status_msr; /* 0: none */
    uint32_t clear_msr;
    uint64_t all;
    uint64_t general, fixed;               /* Nehalem: EN_PC0, EN_FC0; 0: no such bit */
    uint64_t pmi_freeze;                   /* PMI_FRZ; 0: none */
    uint64_t pmi_core;                     /* EN_PMI_COREx for all cores; 0: none */
    uint64_t pmi_select, pmi_control;      /* PMI in a select and in the fixed control; 0: none */
    uint64_t status_general, status_fixed; /* overflow bits of counter 0, of the clock; 0: none */
    uint64_t status_also;                  /* other bits that an overflow sets: OVF_PMI, CHG */
    const char *source;
};

/*
 * A kind of unit of a model, and how to find its units. find() gets a group with a copy of `type`
 * and `units`, and with the addresses first + step * i. find() adapts the group to the machine,
 * using only reads, and returns STATUS_OK or why there are no units. If find() is null, the group
 * is used without a search. uncore_find() then reads each register of the units once, and refuses
 * the group if any of these reads raises #GP.
 */
struct uncore_units {
    struct uncore_type type;
    enum status (*find)(const struct uncore_port *port, const struct cpu_caps *caps,
                        struct uncore_group *group);
    uint64_t first, step; /* the units' addresses */
    uint32_t units;       /* the number of units; with find(), the maximum, or 0: not known */
};

struct uncore_model {
    const char *name;
    uint32_t vendor, family;             /* enum cpu_vendor, and the display family */
    uint8_t model[UNCORE_MODELS_OF_ONE]; /* display models, ending with 0 */
    struct uncore_global global;
    /* Ends with a null; does not include KIND_ENERGY. If empty, only the model's name is known. */
    const struct uncore_units *units[UNCORE_GROUPS_MAX];
};

/* Initialisers that several rows of the tables share. */
#define OF_INTEL .vendor = VENDOR_INTEL, .family = 6
#define OF_MSR_SELECTS                                                                             \
    .space = SPACE_MSR, .style = STYLE_SELECT, .select_bytes = 8, .counter_bytes = 8,              \
    .select_step = 1, .counter_step = 1
#define OF_CLOCK                                                                                   \
    .kind = KIND_CLOCK, .space = SPACE_MSR, .style = STYLE_FIXED, .counters = 1,                   \
    .select_bytes = 8, .counter_bytes = 8
#define OF_FREE_MEMORY .kind = KIND_IMC_FREE, .space = SPACE_MMIO, .style = STYLE_FREE

/* Whether a list of display models, which ends with 0 or after `most` entries, contains a model. */
static inline bool uncore_lists(const uint8_t *models, unsigned most, uint32_t model)
{
    for (unsigned i = 0; i < most && models[i]; i++)
        if (models[i] == model)
            return true;
    return false;
}

/*
 * The row for a CPU's model; null if the model is unknown. The rows are in three tables:
 * UNCORE_NEHALEM, UNCORE_CLIENTS and UNCORE_SERVERS.
 */
const struct uncore_model *uncore_model_of(const struct cpu_caps *caps);
unsigned uncore_models_count(void);
const struct uncore_model *uncore_model_at(unsigned index);

struct uncore_table {
    const struct uncore_model *model;
    unsigned count;
};
extern const struct uncore_table UNCORE_NEHALEM, UNCORE_CLIENTS, UNCORE_SERVERS;

/* The size of an energy step. ESU is bits 12:8 of the unit register. */
enum uncore_energy_unit {
    ENERGY_OF_UNIT,    /* 2^-ESU J */
    ENERGY_DRAM_FIXED, /* 2^-16 J for DRAM, else 2^-ESU J */
    ENERGY_SILVERMONT, /* 2^ESU uJ */
};

/* The energy registers of CPU models. `msr` is indexed by enum uncore_energy; 0: no register. */
struct uncore_energy_row {
    const char *name;
    uint32_t vendor, family;
    uint8_t model[UNCORE_ENERGY_MODELS]; /* ends with 0; empty: all models of the family */
    uint8_t unit;                        /* enum uncore_energy_unit */
    uint32_t unit_msr;
    uint32_t msr[ENERGIES];
    const char *source;
};
extern const struct uncore_energy_row UNCORE_ENERGY[];
extern const unsigned UNCORE_ENERGY_ROWS;

/* Free-running memory counters of clients (MCHBAR), for the rows of UNCORE_CLIENTS. */
extern const struct uncore_units UNCORE_MCHBAR_SANDY_BRIDGE, UNCORE_MCHBAR_TIGER_LAKE_U,
    UNCORE_MCHBAR_TIGER_LAKE_H;

#endif
