/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in names of uncore events, which every plan can use without event tables. On each CPU
 * model, a name stands for an event in that model's manual or in perfmon, or for the sum of two
 * events of the same units. If there is no such event for a name, the name cannot be used on that
 * model, because a similar event would mislead.
 */
#ifndef BARECOUNT_PMU_UNCORE_NAMES_H
#define BARECOUNT_PMU_UNCORE_NAMES_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/list.h"
#include "pmu/base/piece.h"

/* The built-in names, and the units of their counts. */
#define UNCORE_READY_LIST(X)                                                                       \
    X(READY_LLC_LOOKUPS, "llc_lookups", UNIT_COUNT)     /* requests to all slices */               \
    X(READY_LLC_MISSES, "llc_misses", UNIT_COUNT)       /* requests that found no line */          \
    X(READY_DRAM_READ, "dram_read_bytes", UNIT_BYTES)   /* lines read from DRAM */                 \
    X(READY_DRAM_WRITE, "dram_write_bytes", UNIT_BYTES) /* lines written to DRAM */                \
    X(READY_CLOCK, "uncore_clock", UNIT_UNCORE_CYCLES)                                             \
    X(READY_PACKAGE_ENERGY, "package_energy_uJ", UNIT_MICROJOULES)                                 \
    X(READY_DRAM_ENERGY, "dram_energy_uJ", UNIT_MICROJOULES)                                       \
    X(READY_CORE_ENERGY, "core_energy_uJ", UNIT_MICROJOULES)

enum uncore_ready { UNCORE_READY_LIST(LIST_CODE) UNCORE_READIES };

/* The built-in name with this number; "" for numbers outside the list. */
const char *uncore_ready_name(unsigned ready);

/* The number of a built-in name, ignoring case; UNCORE_READIES if there is no such name. */
enum uncore_ready uncore_ready_of(struct piece name);

/* The event that a built-in name stands for on some models. */
struct uncore_ready_event {
    uint8_t ready;         /* enum uncore_ready */
    uint8_t kind;          /* enum uncore_kind */
    uint16_t counters;     /* as in struct event */
    int8_t filter;         /* the index in uncore_type.extra of the filter to set; -1: none */
    uint64_t select;       /* as in struct event */
    uint64_t second;       /* the select of a second event, see event_second(); 0: none */
    uint64_t extra;        /* the value of the filter */
    const uint8_t *models; /* models of family 6, ending with 0; null: all models with this kind */
    const char *name;      /* event name in the manual or perfmon; " + " joins two names */
    const char *source;    /* manuals, with sections; files of perfmon, libpfm4, Linux */
};

/* The whole table; scripts/uncore_table.c prints it. */
extern const struct uncore_ready_event UNCORE_READY[];
extern const unsigned UNCORE_READY_COUNT;

/*
 * The event of a built-in name on a package. A name of an energy register stands for no event; see
 * uncore_ready_energy(). If the name cannot be used on the model, returns null, and *instead says
 * what can be counted instead, or is "".
 */
const struct uncore_ready_event *uncore_ready_event(const struct uncore *uncore,
                                                    enum uncore_ready ready, const char **instead);

/* The unit (enum event_unit) of a built-in name's counts. */
uint8_t uncore_ready_unit(enum uncore_ready ready);

/* The energy register of a name; ENERGIES if the name does not stand for an energy register. */
enum uncore_energy uncore_ready_energy(enum uncore_ready ready);

#endif
