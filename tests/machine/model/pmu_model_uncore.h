/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counts outside the cores: an uncore for each package, whose units' counters add what the
 * caches of its CPUs do. OUTSIDE.md has the rules.
 *
 * Its state belongs to all CPUs' threads, by a lock that nobody holds while he asks for another.
 */
#ifndef I386_TCG_PMU_MODEL_UNCORE_H
#define I386_TCG_PMU_MODEL_UNCORE_H

#include "pmu_model_state.h"
#include "pmu_model_cpus.h"

#define PMU_PACKAGES_MAX 8
#define PMU_SLICES_MAX 28
#define PMU_CHANNELS_MAX 6

/* What happens to lines, and how often each is in a tally's row. */
enum {
    PMU_READ_HIT_CLEAN, /* lookups of the LLC, by loads and by stores */
    PMU_READ_HIT_DIRTY,
    PMU_WRITE_HIT_CLEAN,
    PMU_WRITE_HIT_DIRTY,
    PMU_READ_MISS,
    PMU_WRITE_MISS,
    PMU_CLEAN_OUT, /* lines that leave the LLC */
    PMU_DIRTY_OUT,
    PMU_MATCH, /* requests to memory that the match register picks */
    PMU_LINE_EVENTS,
    PMU_CLOCK = PMU_LINE_EVENTS, /* from here on in no tally: of the cycle */
    PMU_TRACKED,                 /* requests in the tracker, in each cycle */
    PMU_TRACKER_BUSY,
    PMU_MEMORY_PENDING, /* a load waits for memory */
    PMU_UNCORE_EVENTS,
};

/* A tally's rows: all lines, those of each slice, those of each channel. */
enum {
    PMU_ROW_ALL,
    PMU_ROW_SLICE,
    PMU_ROW_CHANNEL = PMU_ROW_SLICE + PMU_SLICES_MAX,
    PMU_ROWS = PMU_ROW_CHANNEL + PMU_CHANNELS_MAX,
};

/* What one instruction did to lines. */
struct PMUTraffic {
    bool any;
    bool stored; /* the last lookup was a store's */
    uint32_t count[PMU_ROWS][PMU_LINE_EVENTS];
};

typedef enum PMUUnitKind {
    PMU_UNIT_NEHALEM,
    PMU_UNIT_CBO,
    PMU_UNIT_ARB, /* with the clients' fixed counter */
    PMU_UNIT_CHA,
    PMU_UNIT_IMC,
    PMU_UNIT_UBOX, /* a server's clock alone */
    PMU_UNIT_KINDS
} PMUUnitKind;

#define PMU_UNIT_COUNTERS 9 /* at the most; the fixed one is the last of a unit that has one */
#define PMU_CLIENT_CBOS 4
#define PMU_UNITS_MAX (PMU_SLICES_MAX + PMU_CHANNELS_MAX + 1)

#define PMU_EVENT_GQ_OCCUPANCY 0x02 /* of Nehalem: the queue that OCC_CTR_RST empties */

#define PMU_UNCORE_RESET (1u << 17) /* OCC_CTR_RST of Nehalem, rst of a server's unit */
#define PMU_UNCORE_EDGE (1u << 18)
#define PMU_UNCORE_PMI (1u << 20)
#define PMU_UNCORE_EN (1u << 22)
#define PMU_UNCORE_INV (1u << 23)

#define PMU_UNIT_RESET_CONTROL (1u << 0)
#define PMU_UNIT_RESET_COUNTERS (1u << 1)
#define PMU_UNIT_FREEZE (1u << 8)

typedef struct PMUUncoreCounter {
    uint64_t value;
    uint32_t select; /* or the control of a fixed counter */
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
    uint8_t counters; /* without the fixed one */
    bool has_fixed;
    uint8_t width;
    uint8_t fixed_width;
    uint32_t select_bits;
    uint32_t fixed_bits;
    uint32_t fixed_en;
    uint32_t fixed_pmi;
} PMUUnitType;

extern const PMUUnitType pmu_unit_types[PMU_UNIT_KINDS];

/* Where a counter finds what it counts: events of a row. */
#define PMU_PARTS 6
typedef struct PMUPart {
    uint8_t row;
    uint16_t events; /* a bit for each */
} PMUPart;

typedef struct PMUSum {
    uint8_t parts;
    PMUPart part[PMU_PARTS];
} PMUSum;

/* What a unit's general counter counts under this select; no parts: nothing. */
PMUSum pmu_uncore_sum(const PMUUnit *unit, uint32_t select);

/* A counter that runs. */
typedef struct PMUUncoreRun {
    PMUUnit *unit;
    PMUUncoreCounter *counter;
    PMUSum sum;
    uint8_t number; /* in its unit */
    uint8_t cmask;
    bool inv;
    bool edge;
    bool pmi;
} PMUUncoreRun;

#define PMU_RUNS_MAX (PMU_UNITS_MAX * 5)

/* A CPU's share in it: its open cycle. */
struct PMUUncoreView {
    bool open;
    uint32_t in_cycle[PMU_RUNS_MAX];
    uint32_t tracked_epoch; /* its store's request is in the tracker, while this is the uncore's */
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
    PMUCpu cpu;          /* whose uncore it is */
    PMUUncoreLie lie;
    unsigned slices;     /* constant, as all above */
    unsigned chas;
    uint8_t channels;    /* how many there are */
    uint8_t channel[PMU_CHANNELS_MAX]; /* their numbers */
    PMUUnit unit[PMU_UNITS_MAX];
    unsigned units;

    uint64_t global_ctrl;
    uint64_t status;
    uint64_t match;
    bool counting;       /* a counter runs: the package's CPUs are in detail */
    unsigned runs;
    PMUUncoreRun run[PMU_RUNS_MAX];
    uint32_t tracked;    /* stores' requests in the tracker */
    uint32_t epoch;      /* when the tracker was emptied; never 0 */
    bool stale;          /* an overflow has stopped counters */
    uint32_t pmi_cores;  /* who shall get an interrupt, once the lock is free */
};

extern PMUUncore pmu_uncores[PMU_PACKAGES_MAX];

/* ---- pmu_model_uncore.c: the last two with the lock --------------------------------------- */

/* That of a CPU's package. */
PMUUncore *pmu_uncore_of(CPUX86State *env);

/* Asked at each instruction in detail, so inline. */
static inline bool pmu_uncore_runs(const PMUUncore *u)
{
    return qatomic_read(&u->counting);
}

/* When counters run now and did not before, or the reverse: its CPUs' detail follows. */
void pmu_uncore_follow(PMUUncore *u, CPUX86State *self, bool before);

/* Registers have changed: which counters run from now on. */
void pmu_uncore_decode(PMUUncore *u);

/* NULL: there is none. */
PMUUnit *pmu_uncore_unit(PMUUncore *u, PMUUnitKind kind, unsigned index);

/* ---- pmu_model_uncore_unit.c: a unit's registers, with the lock ----------------------------- */
PMUUncoreCounter *pmu_unit_fixed(PMUUnit *unit);
uint64_t pmu_unit_counter_bits(const PMUUnit *unit, unsigned number);
void pmu_unit_write_select(PMUUnit *unit, unsigned number, uint32_t value);
void pmu_unit_write_counter(PMUUnit *unit, unsigned number, uint64_t value);
void pmu_unit_write_control(PMUUnit *unit, uint32_t value);
void pmu_unit_reset(PMUUnit *unit);

/* ---- pmu_model_uncore_count.c, pmu_model_uncore_overflow.c ---------------------------------- */

/* The open cycles of its CPUs are forgotten; with the lock. */
void pmu_uncore_forget_cycles(const PMUUncore *u);

/* A counter counts `by` more; with the lock. */
void pmu_uncore_advance(const PMUUncoreRun *run, uint64_t by);

/* With the lock: what overflows have left is done; which of its CPUs to interrupt. */
uint32_t pmu_uncore_settle(PMUUncore *u);

/* Without it, when counters ran before: interrupts go out, and detail follows. */
void pmu_uncore_after(CPUX86State *env, uint32_t cores);

#endif
