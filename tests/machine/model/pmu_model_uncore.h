/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The uncore of each package, whose units count the cache traffic of the package's CPUs
 * (OUTSIDE.md). The threads of all CPUs share the state of an uncore under a lock. A thread that
 * holds this lock takes no other lock.
 */
#ifndef I386_TCG_PMU_MODEL_UNCORE_H
#define I386_TCG_PMU_MODEL_UNCORE_H

#include "pmu_model_state.h"
#include "pmu_model_cpus.h"

#define PMU_PACKAGES_MAX 8
#define PMU_SLICES_MAX 28
#define PMU_CHANNELS_MAX 6

/* Events of lines: indices into a row of PMUTraffic.count. */
enum {
    PMU_READ_HIT_CLEAN, /* LLC lookups by loads and by stores */
    PMU_READ_HIT_DIRTY,
    PMU_WRITE_HIT_CLEAN,
    PMU_WRITE_HIT_DIRTY,
    PMU_READ_MISS,
    PMU_WRITE_MISS,
    PMU_CLEAN_OUT, /* lines that leave the LLC */
    PMU_DIRTY_OUT,
    PMU_MATCH, /* requests to memory that the match register selects */
    PMU_LINE_EVENTS,
    PMU_CLOCK = PMU_LINE_EVENTS, /* from here on, events of cycles, which are not in PMUTraffic */
    PMU_TRACKED,                 /* requests in the tracker */
    PMU_TRACKER_BUSY,
    PMU_MEMORY_PENDING, /* a load waits for memory */
    PMU_UNCORE_EVENTS,
};

/* Rows of PMUTraffic.count: all lines, the lines of a slice, the lines of a channel. */
enum {
    PMU_ROW_ALL,
    PMU_ROW_SLICE,
    PMU_ROW_CHANNEL = PMU_ROW_SLICE + PMU_SLICES_MAX,
    PMU_ROWS = PMU_ROW_CHANNEL + PMU_CHANNELS_MAX,
};

struct PMUTraffic {
    bool any;
    bool stored; /* a store caused the last lookup */
    uint32_t count[PMU_ROWS][PMU_LINE_EVENTS];
};

typedef enum PMUUnitKind {
    PMU_UNIT_NEHALEM,
    PMU_UNIT_CBO,
    PMU_UNIT_ARB, /* includes the clients' fixed counter */
    PMU_UNIT_CHA,
    PMU_UNIT_IMC,
    PMU_UNIT_UBOX, /* contains only a server's clock counter */
    PMU_UNIT_KINDS
} PMUUnitKind;

#define PMU_UNIT_COUNTERS 9 /* the maximum; a fixed counter follows the general ones */
#define PMU_CLIENT_CBOS 4
#define PMU_UNITS_MAX (PMU_SLICES_MAX + PMU_CHANNELS_MAX + 1)

#define PMU_EVENT_GQ_OCCUPANCY 0x02 /* Nehalem's event; OCC_CTR_RST empties its queue */

#define PMU_UNCORE_RESET (1u << 17) /* OCC_CTR_RST on Nehalem, rst in a unit of a server */
#define PMU_UNCORE_EDGE (1u << 18)
#define PMU_UNCORE_PMI (1u << 20)
#define PMU_UNCORE_EN (1u << 22)
#define PMU_UNCORE_INV (1u << 23)

#define PMU_UNIT_RESET_CONTROL (1u << 0)
#define PMU_UNIT_RESET_COUNTERS (1u << 1)
#define PMU_UNIT_FREEZE (1u << 8)

typedef struct PMUUncoreCounter {
    uint64_t value;
    uint32_t select;
    bool condition_was;
} PMUUncoreCounter;

typedef struct PMUUncore PMUUncore;

typedef struct PMUUnit {
    PMUUncore *of;
    PMUUnitKind kind;
    uint8_t index;
    bool present;
    PMUUncoreCounter counter[PMU_UNIT_COUNTERS];
    uint32_t control;
    uint32_t filter[2];
    uint32_t status;
} PMUUnit;

typedef struct PMUUnitType {
    uint8_t counters;
    bool has_fixed;
    uint8_t width;
    uint8_t fixed_width;
    uint32_t select_bits;
    uint32_t fixed_bits;
    uint32_t fixed_en;
    uint32_t fixed_pmi;
} PMUUnitType;

extern const PMUUnitType pmu_unit_types[PMU_UNIT_KINDS];

/* A part of a counter's count: events of one row of PMUTraffic.count, or events of cycles. */
#define PMU_PARTS 6
typedef struct PMUPart {
    uint8_t row;
    uint16_t events; /* one bit each */
} PMUPart;

typedef struct PMUSum {
    uint8_t parts;
    PMUPart part[PMU_PARTS];
} PMUSum;

/* Returns the parts that a general counter of this unit adds up with this select. */
PMUSum pmu_uncore_sum(const PMUUnit *unit, uint32_t select);

/* A running counter. */
typedef struct PMUUncoreRun {
    PMUUnit *unit;
    PMUUncoreCounter *counter;
    PMUSum sum;
    uint8_t number; /* index in its unit */
    uint8_t cmask;
    bool inv;
    bool edge;
    bool pmi;
} PMUUncoreRun;

#define PMU_RUNS_MAX (PMU_UNITS_MAX * 5)

struct PMUUncoreView {
    bool open;
    uint32_t in_cycle[PMU_RUNS_MAX];
    uint32_t tracked_epoch; /* equals PMUUncore.epoch while a store is in the tracker */
};

/* Lies of `pmu-uncore=`. */
typedef enum PMUUncoreLie {
    PMU_UNCORE_HONEST,
    PMU_UNCORE_OFF,
    PMU_UNCORE_STUCK,
    PMU_UNCORE_SILENT,
    PMU_UNCORE_LEFT_RUNNING,
    PMU_UNCORE_FROZEN,
    PMU_UNCORE_RUNS,
    PMU_UNCORE_NO_ENABLE,
    PMU_UNCORE_LOCKED,
} PMUUncoreLie;

struct PMUUncore {
    QemuMutex lock;
    bool made;
    PMUCpu cpu;
    PMUUncoreLie lie;
    unsigned slices;     /* the fields from `made` to `chas` are set only once */
    unsigned chas;
    uint8_t channels;
    uint8_t channel[PMU_CHANNELS_MAX];
    PMUUnit unit[PMU_UNITS_MAX];
    unsigned units;

    uint64_t global_ctrl;
    uint64_t status;
    uint64_t match;
    bool counting;       /* a counter runs */
    unsigned runs;
    PMUUncoreRun run[PMU_RUNS_MAX];
    uint32_t tracked;    /* stores in the tracker */
    uint32_t epoch;      /* changes when the tracker is emptied; never 0 */
    bool stale;          /* an overflow has stopped counters */
    uint32_t pmi_cores;  /* bit i: interrupt CPU i of the package after releasing the lock */
};

extern PMUUncore pmu_uncores[PMU_PACKAGES_MAX];

/* ---- pmu_model_uncore.c ------------------------------------------------------------------- */

PMUUncore *pmu_uncore_of(CPUX86State *env);

/* Whether a counter runs. */
static inline bool pmu_uncore_runs(const PMUUncore *u)
{
    return qatomic_read(&u->counting);
}

/*
 * Updates the detail mode of the package's CPUs. `before` says whether counters ran before the
 * change. `self` is the CPU that calls this function, or NULL if a device calls it.
 */
void pmu_uncore_follow(PMUUncore *u, CPUX86State *self, bool before);

/* To be called when registers have changed. Decides which counters run. Needs the lock. */
void pmu_uncore_decode(PMUUncore *u);

PMUUnit *pmu_uncore_unit(PMUUncore *u, PMUUnitKind kind, unsigned index);

/* ---- pmu_model_uncore_unit.c: a unit's registers; the caller holds the lock ---------------- */
PMUUncoreCounter *pmu_unit_fixed(PMUUnit *unit);
uint64_t pmu_unit_counter_bits(const PMUUnit *unit, unsigned number);
void pmu_unit_write_select(PMUUnit *unit, unsigned number, uint32_t value);
void pmu_unit_write_counter(PMUUnit *unit, unsigned number, uint64_t value);
void pmu_unit_write_control(PMUUnit *unit, uint32_t value);
void pmu_unit_reset(PMUUnit *unit);

/* ---- pmu_model_uncore_count.c, pmu_model_uncore_overflow.c ---------------------------------- */

/* Needs the lock. */
void pmu_uncore_forget_cycles(const PMUUncore *u);

/* Adds `by` to a counter. Needs the lock. */
void pmu_uncore_advance(const PMUUncoreRun *run, uint64_t by);

/*
 * Completes the effects of overflows. Returns a mask of the cores that must be interrupted. Needs
 * the lock.
 */
uint32_t pmu_uncore_settle(PMUUncore *u);

/*
 * Interrupts `cores`, and updates detail mode. To be called only if counters ran before
 * pmu_uncore_settle(). The caller must not hold the lock.
 */
void pmu_uncore_after(CPUX86State *env, uint32_t cores);

#endif
