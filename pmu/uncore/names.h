/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ready names of what is counted outside the cores: they stand in every plan without any table,
 * and mean on each CPU model what its manual has for them: an event, or two of the same units whose
 * counts are added. Where no manual has such events, the model lacks the name: another count under
 * the same name would mislead.
 */
#ifndef BARECOUNT_PMU_UNCORE_NAMES_H
#define BARECOUNT_PMU_UNCORE_NAMES_H

#include "pmu/uncore/uncore.h"
#include "pmu/base/list.h"
#include "pmu/base/piece.h"

/* The names, and what they count. */
#define UNCORE_READY_LIST(X)                                                                       \
    X(READY_LLC_LOOKUPS, "llc_lookups", UNIT_COUNT)     /* of all requests, in all slices */       \
    X(READY_LLC_MISSES, "llc_misses", UNIT_COUNT)       /* those that found no line */             \
    X(READY_DRAM_READ, "dram_read_bytes", UNIT_BYTES)   /* lines read from DRAM */                 \
    X(READY_DRAM_WRITE, "dram_write_bytes", UNIT_BYTES) /* lines written to DRAM */                \
    X(READY_CLOCK, "uncore_clock", UNIT_UNCORE_CYCLES)                                             \
    X(READY_PACKAGE_ENERGY, "package_energy_uJ", UNIT_MICROJOULES)                                 \
    X(READY_DRAM_ENERGY, "dram_energy_uJ", UNIT_MICROJOULES)                                       \
    X(READY_CORE_ENERGY, "core_energy_uJ", UNIT_MICROJOULES)

enum uncore_ready { UNCORE_READY_LIST(LIST_CODE) UNCORE_READIES };

/* A name of the list, as it is written there; "" for numbers outside it. */
const char *uncore_ready_name(unsigned ready);

/* The number of a name of any case; UNCORE_READIES: it is none. */
enum uncore_ready uncore_ready_of(struct piece name);

/* What a ready name is on the models that have it. */
struct uncore_ready_event {
    uint8_t ready;         /* enum uncore_ready */
    uint8_t kind;          /* enum uncore_kind */
    uint16_t counters;     /* as struct event's */
    int8_t filter;         /* which of uncore_type.extra holds `extra`; -1: none */
    uint64_t select;       /* as struct event's */
    uint64_t second;       /* another, whose counts are added: event_second(); 0: none */
    uint64_t extra;        /* what the unit's filter must hold */
    const uint8_t *models; /* display models of family 6, ends with 0; null: all with the kind */
    const char *name;      /* the manual's or perfmon's; of two, with " + " between them */
    const char *source;    /* two: the manual, title and section, and another */
};

/* All of them, for the documentation. */
extern const struct uncore_ready_event UNCORE_READY[];
extern const unsigned UNCORE_READY_COUNT;

/*
 * What a ready name is on a package, but for energy: that is event.extra's. Null: the model has no
 * such event; *instead is then what can be counted in place of it, or "".
 */
const struct uncore_ready_event *uncore_ready_event(const struct uncore *uncore,
                                                    enum uncore_ready ready, const char **instead);

/* The unit of a ready name, enum event_unit. */
uint8_t uncore_ready_unit(enum uncore_ready ready);

/* The register of energy that a name stands for; ENERGIES: none. */
enum uncore_energy uncore_ready_energy(enum uncore_ready ready);

#endif
