/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What counts outside the cores, once for each package: the uncore's counters and the energy
 * registers. Found, taken over, tested, programmed, opened and closed around a window, given back.
 * Which registers, and by which manual: the tables of pmu/uncore/models.h. All functions but those
 * that say so act on the CPU that runs them, with interrupts off; nothing of a CPU model that the
 * tables do not know is touched, and no PCI or MMIO register but those that were identified.
 */
#ifndef BARECOUNT_PMU_UNCORE_UNCORE_H
#define BARECOUNT_PMU_UNCORE_UNCORE_H

#include "pmu/base/list.h"
#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/counters/program.h"
#include "pmu/counters/schedule.h"

/*
 * A unit's select, Intel SDM vol. 3B, "Performance Monitoring Facility of the uncore", and the
 * uncore manuals of the servers (UMASK_EXT from Ice Lake on, OCC_CTR_RST Nehalem and Westmere):
 *  63       32 31   24  23  22 21    20  19  18       17       15   8 7     0
 * | UMASK_EXT | CMASK |INV|EN | . |PMI | . | E | OCC_CTR_RST  | UMASK | EVENT |
 */
#define UNCORE_SELECT_EVENT     0xffull
#define UNCORE_SELECT_UMASK     0xff00ull
#define UNCORE_SELECT_OCC_RST   (1ull << 17)
#define UNCORE_SELECT_E         (1ull << 18)
#define UNCORE_SELECT_INV       (1ull << 23)
#define UNCORE_SELECT_CMASK     0xff000000ull
#define UNCORE_SELECT_UMASK_EXT 0xffffffff00000000ull

/* Numbers stand in the journal: they keep their meaning, new ones come at the end. */
#define UNCORE_KIND_LIST(X)                                                                        \
    X(KIND_NONE, "")                                                                               \
    X(KIND_UNCORE, "uncore")             /* Nehalem, Westmere: the general counters */             \
    X(KIND_CLOCK, "clock")               /* the fixed counter of the uncore's clock */             \
    X(KIND_CBO, "cbox")                  /* a slice of the last level, clients */                  \
    X(KIND_ARB, "arb")                   /* the arbiter towards memory, clients */                 \
    X(KIND_CHA, "cha")                   /* a slice and home agent, servers */                     \
    X(KIND_IMC, "imc")                   /* a memory channel, programmable counters */             \
    X(KIND_IMC_FREE, "imc_free_running") /* counters of memory that cannot be stopped */           \
    X(KIND_ENERGY, "energy")             /* RAPL */                                                \
    X(KIND_UPI, "upi")                                                                             \
    X(KIND_M2M, "m2m")                                                                             \
    X(KIND_IIO, "iio")                                                                             \
    X(KIND_IRP, "irp")                                                                             \
    X(KIND_M2PCIE, "m2pcie")                                                                       \
    X(KIND_PCU, "pcu")                                                                             \
    X(KIND_M3UPI, "m3upi")

enum uncore_kind { UNCORE_KIND_LIST(LIST_CODE) UNCORE_KINDS };

/* perf's name without "uncore_"; "" for KIND_NONE and numbers outside the list. */
const char *uncore_kind_name(unsigned kind);

/* The kind of such a name, of any case, "uncore_" in front or not; KIND_NONE: there is none. */
enum uncore_kind uncore_kind_of(const char *name, size_t size);

#define UNCORE_GROUPS_MAX   12u  /* kinds that one model has */
#define UNCORE_UNITS_MAX    160u /* alike, of one kind */
#define UNCORE_COUNTERS_MAX 8u   /* of one unit */

/* Where a register stands, and what its address is. */
enum uncore_space {
    SPACE_MSR,  /* its number */
    SPACE_PCI,  /* segment << 28 | bus << 20 | device << 15 | function << 12 | offset */
    SPACE_MMIO, /* its physical address */
};

/*
 * Access to these. read and write return false when an access raises #GP, or when there is no such
 * space; a PCI function that is not there reads as all ones. bytes: 8 of MSRs, 4 of PCI, as
 * chipsets need not take more; 4 or 8 of MMIO.
 */
struct uncore_port {
    void *context;
    bool (*read)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                 uint64_t *value);
    bool (*write)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                  uint64_t value);
    bool has_pci; /* the firmware's MCFG names PCI segment 0 */
    /*
     * The address of the first access that was refused, and not done, as memory is there; 0: there
     * was none. Null: a port without memory.
     */
    uint64_t *in_memory;
};

enum uncore_style {
    STYLE_SELECT, /* each counter has a select */
    STYLE_FIXED,  /* one counter of one event: its control has only an enable bit */
    STYLE_FREE,   /* never stops and is never written; its events are its counters */
};

/*
 * A kind of unit on a CPU model. Registers stand at the unit's own address + offset + step x
 * counter.
 */
struct uncore_type {
    uint8_t kind;                        /* enum uncore_kind */
    uint8_t space;                       /* enum uncore_space */
    uint8_t style;                       /* enum uncore_style */
    uint8_t counters;                    /* of each unit */
    uint8_t width_bits;                  /* of a counter */
    uint8_t select_bytes, counter_bytes; /* of one access; counters of 8 by two of 4 on PCI */
    uint8_t has_box;    /* 1: a unit has a control register of its own, which freezes it */
    uint8_t clock_is_0; /* 1: a select of event 0 counts each cycle of the unit */
    int32_t select, select_step;
    int32_t counter, counter_step;
    int32_t box;            /* the unit's control */
    int32_t extra[2];       /* filters of a unit (SKX: CHA filter 0 and 1); 0: none */
    uint64_t extra_rest[2]; /* what they hold in a pass in which no event asks for a value */
    uint64_t enable;        /* of a select, or of a fixed counter's control: EN */
    uint64_t fields;        /* bits of a select that an event may have */
    uint64_t forgets;       /* of these, bits that act when written and need not read back */
    uint64_t cycles;        /* another select that does; 0: none is known */
    uint64_t box_run,
        box_freeze;     /* what the unit's control holds while it counts, or stands still */
    const char *unit;   /* as the manual calls it: "CBo", "CHA", "IMC channel" */
    const char *source; /* the manual, title and section */
};

struct uncore_group {
    struct uncore_type type;
    uint32_t units;
    uint32_t status;    /* STATUS_OK, or why there is none: STATUS_UNCORE_... */
    uint64_t in_memory; /* STATUS_UNCORE_MEMORY: the first address that is there */
    uint64_t unit[UNCORE_UNITS_MAX];
};

/* The counters of the one unit of KIND_ENERGY. AMD: ENERGY_CORE is of the running CPU's core. */
enum uncore_energy { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_CORE, ENERGY_GRAPHICS, ENERGIES };

struct uncore_model; /* pmu/uncore/models.h */

/* A package, as uncore_find() found it. Large: never on a stack. */
struct uncore {
    /* Null: the tables do not know the CPU; without units: they know its name alone. */
    const struct uncore_model *model;
    uint32_t status; /* STATUS_OK, or STATUS_UNCORE_UNKNOWN: nothing of its uncore is counted */
    uint32_t groups;
    struct uncore_group group[UNCORE_GROUPS_MAX];
    /* By enum uncore_energy: a step in 2^-32 uJ, and its MSR; 0: there is none. */
    uint64_t energy_step[ENERGIES];
    uint32_t energy_msr[ENERGIES];
};

/*
 * Finds what the package of the running CPU has. Reads only. What is not as the tables say (another
 * number of units, a device that is not there, a register that refuses, or that would be in memory)
 * gives the group its status.
 */
void uncore_find(const struct uncore_port *port, const struct cpu_caps *caps,
                 struct uncore *uncore);

/*
 * What packages of the CPU's model have by the tables alone, for a CPU that the program does not
 * run on: all kinds, with as many units as there may be. How many steps of energy make a microjoule
 * is not known: energy_step is 1. Reads nothing, and nothing can be counted by it.
 */
void uncore_of_model(const struct cpu_caps *caps, struct uncore *uncore);

/* The group of a kind; null: the package has none. */
const struct uncore_group *uncore_group(const struct uncore *uncore, unsigned kind);

/* What went wrong: which register. */
struct uncore_error {
    uint32_t status; /* STATUS_OK, STATUS_UNCORE_REFUSED, _KEPT, _FIELD or _MEMORY */
    uint8_t space;   /* enum uncore_space */
    uint8_t kind;    /* the kind of unit that is not counted for it; KIND_NONE: none is named */
    uint16_t pass;   /* of a result: the first in which it is not; UNCORE_ALL_PASSES */
    uint64_t address;
    uint64_t written, read;
};
_Static_assert(sizeof(struct uncore_error) == 32, "journal layout");
#define UNCORE_ALL_PASSES 0xffffu /* the kind's registers could not be taken over */

/* Registers as they were found, to be given back. Large: never on a stack. */
#define UNCORE_HELD_MAX 4096u
struct uncore_held {
    uint32_t count;
    uint32_t left_running; /* counters that somebody had left enabled */
    uint32_t failed;       /* bit i: kind i could not be taken over, and cannot be counted */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* of each group, the first */
    struct {
        uint64_t address, value;
        uint64_t stop; /* what stops what it controls */
        uint8_t space, bytes;
        bool stops; /* such a register: stopped once more before all is given back */
    } held[UNCORE_HELD_MAX];
};

/*
 * Keeps all registers of the kinds in `kinds` (bit i: kind i) and stops their counters. A register
 * that refuses, or does not stop, fails its kind alone; the one that opens several kinds fails them
 * all. Whatever failed, uncore_give_back() puts everything back that was written, in reverse
 * order; counters that can be written too. It returns its first error.
 */
void uncore_take(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                 struct uncore_held *held);
struct uncore_error uncore_give_back(const struct uncore_port *port,
                                     const struct uncore_held *held);

/* A pass as it stands in the package's registers. */
struct uncore_programmed {
    const struct uncore *uncore;
    const struct event *event;
    const struct pass *pass;
    uint32_t kinds;  /* that the pass counts */
    uint32_t failed; /* of its kinds, those that are not programmed: they count 0 */
    uint64_t global; /* what opens them all; 0: boxes do */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* of each group that refused */
};

/* Which kinds a schedule's passes, or one pass, count. */
uint32_t uncore_kinds(const struct event *event, const struct pass *pass);

/*
 * Writes the selects and filters of a pass's package slots into all units of their kinds, and reads
 * them back; those of the kinds in `without` are left alone. Nothing counts yet, but for what never
 * stops. The kinds that are not in programmed->failed can be opened, whatever the others did.
 */
void uncore_program(const struct uncore_port *port, const struct uncore *uncore,
                    const struct event *event, const struct pass *pass, uint32_t without,
                    struct uncore_programmed *programmed);

/* What the units' counters hold together, by slot; of a sum of two events, of each of the two. */
struct uncore_sums {
    uint64_t of[SLOTS_MAX], second[SLOTS_MAX];
};

/*
 * Opens the pass's counters: each is read, then all are let go, by as few writes as there can be.
 * uncore_close() stops them and leaves in raw[slot] what the units together have counted since,
 * for each package slot, modulo each counter's width; of a sum of two events each for itself, then
 * added. False: a register refused.
 */
struct uncore_start {
    struct uncore_sums sums; /* what uncore_close() subtracts */
};
bool uncore_open(const struct uncore_port *port, const struct uncore_programmed *programmed,
                 struct uncore_start *start);
bool uncore_close(const struct uncore_port *port, const struct uncore_programmed *programmed,
                  const struct uncore_start *start, uint64_t *raw);

/*
 * What a package is, and what the test of its counters found. In the journal behind its CPU's
 * EVENTS, for the first measured CPU of each package, when the plan has events of it.
 */
enum uncore_fault {
    UNCORE_RIGHT,
    UNCORE_UNTESTED,  /* not asked for, or nothing is known that the unit must count */
    UNCORE_STUCK,     /* a counter does not keep what is written */
    UNCORE_SILENT,    /* counts nothing where each cycle counts */
    UNCORE_RUNS,      /* counts while all is stopped (global enable, or the unit's freeze) */
    UNCORE_NO_ENABLE, /* counts without its own EN */
    UNCORE_NO_STATUS, /* no status bit at its overflow */
    UNCORE_NO_CLEAR,  /* the bit cannot be cleared alone */
    UNCORE_NO_FREEZE, /* goes on after an overflow with PMI_FRZ */
    UNCORE_NO_PMI,    /* its overflow is not told to the core */
    UNCORE_FAULTS
};
const char *uncore_fault_text(unsigned fault);

struct uncore_record_group {
    uint8_t kind, fault; /* fault: enum uncore_fault, of the first counter that failed */
    uint8_t fault_counter;
    uint8_t fault_unit;
    uint8_t counters, width_bits;
    uint16_t units;
    uint32_t status;
    uint32_t reserved;
};
_Static_assert(sizeof(struct uncore_record_group) == 16, "journal layout");

struct uncore_record {
    uint32_t cpu;     /* that counts for it */
    uint32_t package; /* cpu_caps.package */
    uint32_t status;  /* struct package's */
    uint32_t groups;
    uint32_t left_running; /* counters that were found running */
    uint32_t reserved;
    char model[40]; /* of the tables; "" when they do not know it */
    uint64_t energy_step[ENERGIES];
    struct uncore_record_group group[UNCORE_GROUPS_MAX];
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* of each group: found, or uncore_take()'s */
};
_Static_assert(sizeof(struct uncore_record) == 672, "journal layout");

/* All of a record but cpu and package, without any test (fault: UNCORE_UNTESTED). */
void uncore_describe(const struct uncore *uncore, struct uncore_record *record);

/*
 * Tests the counters of `kinds`, which were taken over, before uncore_give_back(), and fills in
 * the groups' faults: that they keep what is written, count when let go and not before, need their
 * EN, and where the model has it set, clear and freeze at an overflow and tell the core.
 * delay(context, us) lets so much time pass.
 */
void uncore_check(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                  void (*delay)(void *context, unsigned us), void *delay_context,
                  struct uncore_record *record);

#endif
