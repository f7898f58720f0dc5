/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The uncore counters and energy registers, which exist once per package: finding, taking over,
 * testing, programming, opening and closing around a window, giving back. The registers and their
 * manuals are in the tables of pmu/uncore/models.h. Unless noted otherwise, functions act on the
 * current CPU, with interrupts off. On unknown CPU models, no register is accessed; in PCI and
 * MMIO, only those of identified devices are.
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
 * uncore manuals of the servers (UMASK_EXT from Ice Lake on, OCC_CTR_RST on Nehalem and Westmere):
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

/* Journals contain these numbers, so they never change; new kinds are appended. */
#define UNCORE_KIND_LIST(X)                                                                        \
    X(KIND_NONE, "")                                                                               \
    X(KIND_UNCORE, "uncore")             /* Nehalem, Westmere: general counters */                 \
    X(KIND_CLOCK, "clock")               /* fixed counter of the uncore's clock */                 \
    X(KIND_CBO, "cbox")                  /* last-level cache slice, clients */                     \
    X(KIND_ARB, "arb")                   /* arbiter towards memory, clients */                     \
    X(KIND_CHA, "cha")                   /* cache slice and home agent, servers */                 \
    X(KIND_IMC, "imc")                   /* memory channel, programmable counters */               \
    X(KIND_IMC_FREE, "imc_free_running") /* free-running memory counters */                        \
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

/* The kind of a name, ignoring case and an initial "uncore_"; KIND_NONE: unknown. */
enum uncore_kind uncore_kind_of(const char *name, size_t size);

#define UNCORE_GROUPS_MAX   12u  /* kinds per model */
#define UNCORE_UNITS_MAX    160u /* units per kind */
#define UNCORE_COUNTERS_MAX 8u   /* counters per unit */

/* An address space of registers, and its form of addresses. */
enum uncore_space {
    SPACE_MSR,  /* number */
    SPACE_PCI,  /* segment << 28 | bus << 20 | device << 15 | function << 12 | offset */
    SPACE_MMIO, /* physical address */
};

/*
 * Access to registers. read and write return false if an access raises #GP or the space does not
 * exist; missing PCI functions read as all ones. `bytes` is 8 for MSRs, 4 for PCI, as chipsets need
 * not support 8, and 4 or 8 for MMIO.
 */
struct uncore_port {
    void *context;
    bool (*read)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                 uint64_t *value);
    bool (*write)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                  uint64_t value);
    bool has_pci; /* the firmware's MCFG has PCI segment 0 */
    /*
     * The first address that was not accessed because memory is there; 0: none. Null if the port
     * has no memory.
     */
    uint64_t *in_memory;
};

enum uncore_style {
    STYLE_SELECT, /* each counter has a select */
    STYLE_FIXED,  /* one counter of one event, whose control has only an enable bit */
    STYLE_FREE,   /* cannot be stopped or written; each counter has its own event */
};

/* A kind of unit on a CPU model. A register's address is unit address + offset + step * counter. */
struct uncore_type {
    uint8_t kind;                        /* enum uncore_kind */
    uint8_t space;                       /* enum uncore_space */
    uint8_t style;                       /* enum uncore_style */
    uint8_t counters;                    /* per unit */
    uint8_t width_bits;                  /* of a counter */
    uint8_t select_bytes, counter_bytes; /* access size; 8-byte counters on PCI take two accesses */
    uint8_t has_box;                     /* 1: units have a control register that freezes them */
    uint8_t clock_is_0;                  /* 1: event 0 counts each cycle of the unit */
    int32_t select, select_step;
    int32_t counter, counter_step;
    int32_t box;            /* offset of the unit's control */
    int32_t extra[2];       /* offsets of the unit's filters (SKX: CHA filter 0 and 1); 0: none */
    uint64_t extra_rest[2]; /* their values when no event of a pass needs one */
    uint64_t enable;        /* EN in a select, or in a fixed counter's control */
    uint64_t fields;        /* bits of a select available to events */
    uint64_t forgets;       /* bits of these that act when written and need not read back */
    uint64_t cycles;        /* another select that counts cycles; 0: none is known */
    uint64_t box_run, box_freeze; /* values of the unit's control that run and stop its counters */
    const char *unit;             /* the manual's name: "CBo", "CHA", "IMC channel" */
    const char *source;           /* the manual's title and section */
};

struct uncore_group {
    struct uncore_type type;
    uint32_t units;
    uint32_t status;    /* STATUS_OK, or why there is none: STATUS_UNCORE_... */
    uint64_t in_memory; /* with STATUS_UNCORE_MEMORY: the first address that is memory */
    uint64_t unit[UNCORE_UNITS_MAX];
};

/* The counters of KIND_ENERGY's only unit. On AMD, ENERGY_CORE covers the current CPU's core. */
enum uncore_energy { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_CORE, ENERGY_GRAPHICS, ENERGIES };

struct uncore_model; /* pmu/uncore/models.h */

/* A package as found by uncore_find(). Large: never on a stack. */
struct uncore {
    /* Null: unknown CPU model; without units: only its name is known. */
    const struct uncore_model *model;
    uint32_t status; /* STATUS_OK, or STATUS_UNCORE_UNKNOWN: no uncore events */
    uint32_t groups;
    struct uncore_group group[UNCORE_GROUPS_MAX];
    /* By enum uncore_energy: the step in 2^-32 uJ, and the MSR; 0: does not exist. */
    uint64_t energy_step[ENERGIES];
    uint32_t energy_msr[ENERGIES];
};

/*
 * Finds the units of the current CPU's package, using only reads. A group that differs from the
 * tables (number of units, a missing device, a register that raises #GP or would be in memory) gets
 * an error status.
 */
void uncore_find(const struct uncore_port *port, const struct cpu_caps *caps,
                 struct uncore *uncore);

/*
 * Lists all kinds that packages of a CPU's model can have, with the maximum number of units, for a
 * CPU that the program is not running on. energy_step is 1, as the energy unit is not known. Reads
 * no register; the result cannot be used to count.
 */
void uncore_of_model(const struct cpu_caps *caps, struct uncore *uncore);

/* The group of a kind; null: the package has none. */
const struct uncore_group *uncore_group(const struct uncore *uncore, unsigned kind);

/* An error and its register. */
struct uncore_error {
    uint32_t status; /* STATUS_OK, STATUS_UNCORE_REFUSED, _KEPT, _FIELD or _MEMORY */
    uint8_t space;   /* enum uncore_space */
    uint8_t kind;    /* the kind of unit that it disables; KIND_NONE: none */
    uint16_t pass;   /* first pass of a result without the kind; UNCORE_ALL_PASSES */
    uint64_t address;
    uint64_t written, read;
};
_Static_assert(sizeof(struct uncore_error) == 32, "journal layout");
#define UNCORE_ALL_PASSES 0xffffu /* the kind's registers could not be taken over */

/* Saved registers, to be restored. Large: never on a stack. */
#define UNCORE_HELD_MAX 4096u
struct uncore_held {
    uint32_t count;
    uint32_t left_running; /* counters that were found enabled */
    uint32_t failed;       /* bit i: kind i could not be taken over or counted */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* the first of each group */
    struct {
        uint64_t address, value;
        uint64_t stop; /* the value that stops what it controls */
        uint8_t space, bytes;
        bool stops; /* a control: stopped again before everything is restored */
    } held[UNCORE_HELD_MAX];
};

/*
 * Saves all registers of `kinds` (bit i: kind i) and stops their counters. A register that cannot
 * be accessed or stopped fails only its kind; the global register fails all kinds that it enables.
 * In any case uncore_give_back() restores all that was written, including counters, in reverse
 * order, and returns its first error.
 */
void uncore_take(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                 struct uncore_held *held);
struct uncore_error uncore_give_back(const struct uncore_port *port,
                                     const struct uncore_held *held);

/* A pass and the registers that it was programmed into. */
struct uncore_programmed {
    const struct uncore *uncore;
    const struct event *event;
    const struct pass *pass;
    uint32_t kinds;  /* kinds that the pass counts */
    uint32_t failed; /* kinds that could not be programmed, and count 0 */
    uint64_t global; /* bits of the global register; 0: unit controls start the counters */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* of each group that failed */
};

/* The kinds that a pass counts. */
uint32_t uncore_kinds(const struct event *event, const struct pass *pass);

/*
 * Writes the selects and filters of a pass's uncore slots to all units of their kinds, except those
 * in `without`, and reads them back. No counter is enabled yet, but free-running ones count. All
 * kinds not in programmed->failed can be opened.
 */
void uncore_program(const struct uncore_port *port, const struct uncore *uncore,
                    const struct event *event, const struct pass *pass, uint32_t without,
                    struct uncore_programmed *programmed);

/* The sums of all units' counters, by slot; `second` is for the second event of a sum. */
struct uncore_sums {
    uint64_t of[SLOTS_MAX], second[SLOTS_MAX];
};

/*
 * uncore_open() reads the pass's counters and then starts them all in as few writes as possible.
 * uncore_close() stops them and sets raw[slot] of each uncore slot to what all units have counted
 * since, modulo the counter's width; the two counts of a sum are computed separately and added.
 * False if a register could not be accessed.
 */
struct uncore_start {
    struct uncore_sums sums; /* subtracted by uncore_close() */
};
bool uncore_open(const struct uncore_port *port, const struct uncore_programmed *programmed,
                 struct uncore_start *start);
bool uncore_close(const struct uncore_port *port, const struct uncore_programmed *programmed,
                  const struct uncore_start *start, uint64_t *raw);

/*
 * A package and the results of its counter test. The record follows EVENTS in the journal for the
 * first measured CPU of each package, if the plan has uncore events.
 */
enum uncore_fault {
    UNCORE_RIGHT,
    UNCORE_UNTESTED,  /* not requested, or no event with a known count */
    UNCORE_STUCK,     /* does not hold what is written */
    UNCORE_SILENT,    /* does not count although every cycle counts */
    UNCORE_RUNS,      /* counts while stopped (global enable, or unit freeze) */
    UNCORE_NO_ENABLE, /* counts without its own EN */
    UNCORE_NO_STATUS, /* no status bit on overflow */
    UNCORE_NO_CLEAR,  /* the bit cannot be cleared alone */
    UNCORE_NO_FREEZE, /* counts on after an overflow with PMI_FRZ */
    UNCORE_NO_PMI,    /* its overflow is not reported to the core */
    UNCORE_FAULTS
};
const char *uncore_fault_text(unsigned fault);

struct uncore_record_group {
    uint8_t kind, fault; /* enum uncore_fault of the first counter that failed */
    uint8_t fault_counter;
    uint8_t fault_unit;
    uint8_t counters, width_bits;
    uint16_t units;
    uint32_t status;
    uint32_t reserved;
};
_Static_assert(sizeof(struct uncore_record_group) == 16, "journal layout");

struct uncore_record {
    uint32_t cpu;     /* the CPU that counts for it */
    uint32_t package; /* cpu_caps.package */
    uint32_t status;  /* struct uncore's */
    uint32_t groups;
    uint32_t left_running; /* counters that were found enabled */
    uint32_t reserved;
    char model[40]; /* name in the tables; "" for unknown CPU models */
    uint64_t energy_step[ENERGIES];
    struct uncore_record_group group[UNCORE_GROUPS_MAX];
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* of each group, from finding or taking over */
};
_Static_assert(sizeof(struct uncore_record) == 672, "journal layout");

/* Fills in all of a record but cpu and package, as not tested (UNCORE_UNTESTED). */
void uncore_describe(const struct uncore *uncore, struct uncore_record *record);

/*
 * Tests the counters of `kinds`, between uncore_take() and uncore_give_back(), and sets the groups'
 * faults. Counters must hold what is written, count when started and not before, and need their EN;
 * if the model supports it, overflows must set a status bit that can be cleared, freeze the
 * counters, and notify the core. delay(context, us) waits.
 */
void uncore_check(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                  void (*delay)(void *context, unsigned us), void *delay_context,
                  struct uncore_record *record);

#endif
