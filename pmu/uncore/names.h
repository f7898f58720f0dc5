/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in names of uncore events. On each CPU model, a name stands for one event or for the
 * sum of two events of the same units. A model without a fitting event lacks the name.
 */
#ifndef BARECOUNT_PMU_UNCORE_NAMES_H
#define BARECOUNT_PMU_UNCORE_NAMES_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/list.h"
#include "pmu/base/piece.h"

#define UNCORE_READY_LIST(X)                                                                       \
    X(READY_LLC_LOOKUPS, "llc_lookups", UNIT_COUNT)     /* requests to all slices */               \
    X(READY_LLC_MISSES, "llc_misses", UNIT_COUNT)       /* requests that missed the cache */       \
    X(READY_DRAM_READ, "dram_read_bytes", UNIT_BYTES)   /* lines read from DRAM */                 \
    X(READY_DRAM_WRITE, "dram_write_bytes", UNIT_BYTES) /* lines written to DRAM */                \
    X(READY_CLOCK, "uncore_clock", UNIT_UNCORE_CYCLES)                                             \
    X(READY_PACKAGE_ENERGY, "package_energy_uJ", UNIT_MICROJOULES)                                 \
    X(READY_DRAM_ENERGY, "dram_energy_uJ", UNIT_MICROJOULES)                                       \
    X(READY_CORE_ENERGY, "core_energy_uJ", UNIT_MICROJOULES)

enum uncore_ready { UNCORE_READY_LIST(LIST_CODE) UNCORE_READIES };

/* Returns "" for numbers outside the list. */
const char *uncore_ready_name(unsigned ready);

/* Returns UNCORE_READIES if there is no such name. */
enum uncore_ready uncore_ready_of(struct piece name);

/* The event for which a built-in name stands on some CPU models. */
struct uncore_ready_event {
    uint8_t ready;         /* enum uncore_ready */
    uint8_t kind;          /* enum uncore_kind */
    uint16_t counters;     /* as in struct event */
    int8_t filter;         /* index in uncore_type.extra; -1: none */
    uint64_t select;       /* as in struct event */
    uint64_t second;       /* select of a second event; 0: none */
    uint64_t extra;        /* the filter's value */
    const uint8_t *models; /* models of family 6, ending with 0; null: all models with `kind` */
    const char *name;      /* the event's name in the manual or in perfmon */
    const char *source;
};

extern const struct uncore_ready_event UNCORE_READY[];
extern const unsigned UNCORE_READY_COUNT;

/*
 * Returns the event that a name stands for on the package's CPU model. The result is null if the
 * model lacks the name, or if the name stands for an energy register. If the result is null,
 * *instead says what can be counted instead, or is "".
 */
const struct uncore_ready_event *uncore_ready_event(const struct uncore *uncore,
                                                    enum uncore_ready ready, const char **instead);

/* Returns an enum event_unit. */
uint8_t uncore_ready_unit(enum uncore_ready ready);

/* Returns ENERGIES if the name does not stand for an energy register. */
enum uncore_energy uncore_ready_energy(enum uncore_ready ready);

#endif
