/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of a package's uncore, and its energy registers. Functions act on the current CPU,
 * with interrupts off. In PCI and MMIO space, only identified devices are accessed.
 */
#ifndef BARECOUNT_PMU_UNCORE_UNCORE_H
#define BARECOUNT_PMU_UNCORE_UNCORE_H

#include "pmu/base/list.h"
#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/counters/program.h"
#include "pmu/counters/schedule.h"

/*
 * The select of a unit (Intel SDM vol. 3B, "Performance Monitoring Facility of the uncore"; the
 * servers' uncore manuals). UMASK_EXT exists from Ice Lake servers on, and OCC_CTR_RST only on
 * Nehalem and Westmere.
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

/* Never change the number of a kind: journals contain it. */
#define UNCORE_KIND_LIST(X)                                                                        \
    X(KIND_NONE, "")                                                                               \
    X(KIND_UNCORE, "uncore")             /* Nehalem, Westmere: general counters */                 \
    X(KIND_CLOCK, "clock")               /* fixed counter of the uncore's clock */                 \
    X(KIND_CBO, "cbox")                  /* client CPUs: slice of the last-level cache */          \
    X(KIND_ARB, "arb")                   /* client CPUs: arbiter towards memory */                 \
    X(KIND_CHA, "cha")                   /* servers: cache slice and home agent */                 \
    X(KIND_IMC, "imc")                   /* programmable counters of a memory channel */           \
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

/* Returns the name of perf's PMU without "uncore_", or "" for KIND_NONE and unknown numbers. */
const char *uncore_kind_name(unsigned kind);

/* Ignores case and a leading "uncore_". Returns KIND_NONE if there is no such name. */
enum uncore_kind uncore_kind_of(const char *name, size_t size);

#define UNCORE_GROUPS_MAX   12u  /* kinds on a model */
#define UNCORE_UNITS_MAX    160u /* units of a kind */
#define UNCORE_COUNTERS_MAX 8u   /* counters of a unit */

/* The comments say what an address is in each space. */
enum uncore_space {
    SPACE_MSR,  /* number of the MSR */
    SPACE_PCI,  /* segment << 28 | bus << 20 | device << 15 | function << 12 | offset */
    SPACE_MMIO, /* physical address */
};

/*
 * read() and write() return false if an access raises #GP, if the space does not exist, or if the
 * port refuses the address. Missing PCI functions read as all ones. `bytes` is 8 for MSRs, 4 for
 * PCI, and 4 or 8 for MMIO.
 */
struct uncore_port {
    void *context;
    bool (*read)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                 uint64_t *value);
    bool (*write)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                  uint64_t value);
    bool has_pci; /* MCFG lists PCI segment 0 */
    /*
     * Points to the first address that the port refused because RAM is there, or to 0 if it refused
     * none. The pointer is null if the port never refuses an address.
     */
    uint64_t *in_memory;
};

enum uncore_style {
    STYLE_SELECT, /* each counter has a select */
    STYLE_FIXED,  /* the counter has one fixed event, and a control instead of a select */
    STYLE_FREE,   /* the counters cannot be stopped or written */
};

/* A register is at the unit's address + offset + step * counter. */
struct uncore_type {
    uint8_t kind;                        /* enum uncore_kind */
    uint8_t space;                       /* enum uncore_space */
    uint8_t style;                       /* enum uncore_style */
    uint8_t counters;                    /* per unit */
    uint8_t width_bits;                  /* of a counter */
    uint8_t select_bytes, counter_bytes; /* access size */
    uint8_t has_box;                     /* 1: the unit has a control that freezes its counters */
    uint8_t clock_is_0;                  /* 1: event 0 counts cycles */
    int32_t select, select_step;
    int32_t counter, counter_step;
    int32_t box;
    int32_t extra[2];             /* filters' offsets; 0: none */
    uint64_t extra_rest[2];       /* each filter's value in passes whose events do not set it */
    uint64_t enable;              /* EN in a select or in the control of a fixed counter */
    uint64_t fields;              /* select bits that events may use */
    uint64_t forgets;             /* bits of `fields` that may read as 0 after a write */
    uint64_t cycles;              /* a select that counts nearly every cycle; 0: none */
    uint64_t box_run, box_freeze; /* the control's values that start and stop the counters */
    const char *unit;             /* "CBo", "CHA", "IMC channel" */
    const char *source;           /* manual and section */
};

struct uncore_group {
    struct uncore_type type;
    uint32_t units;
    uint32_t status;    /* STATUS_OK, or why there are no units */
    uint64_t in_memory; /* for STATUS_UNCORE_MEMORY: the address that the port refused */
    uint64_t unit[UNCORE_UNITS_MAX];
};

/* On AMD, ENERGY_CORE is the energy of the current core. */
enum uncore_energy { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_CORE, ENERGY_GRAPHICS, ENERGIES };

struct uncore_model; /* pmu/uncore/models.h */

/* Too large for a stack. */
struct uncore {
    /* Null if the CPU model is unknown. */
    const struct uncore_model *model;
    uint32_t status; /* STATUS_OK or STATUS_UNCORE_UNKNOWN */
    uint32_t groups;
    struct uncore_group group[UNCORE_GROUPS_MAX];
    /* The energy of a register's step, in 2^-32 uJ. 0: the model lacks the register. */
    uint64_t energy_step[ENERGIES];
    uint32_t energy_msr[ENERGIES];
};

/*
 * Finds the units of the current CPU's package, without writing a register. A group gets an error
 * status if its units cannot be found, or if one of their registers raises #GP or lies in RAM. On
 * an unknown model, only energy registers are accessed.
 */
void uncore_find(const struct uncore_port *port, const struct cpu_caps *caps,
                 struct uncore *uncore);

/*
 * Lists a model's kinds and their maximum numbers of units, without reading a register. For
 * KIND_ENERGY and for units in a discovery table, the number of units is 0. Sets energy_step to 1
 * for each energy register that the model has, and to 0 for the others.
 */
void uncore_of_model(const struct cpu_caps *caps, struct uncore *uncore);

/* Returns null if the package has no such group. */
const struct uncore_group *uncore_group(const struct uncore *uncore, unsigned kind);

struct uncore_error {
    uint32_t status;
    uint8_t space; /* enum uncore_space */
    uint8_t kind;  /* the kind that cannot be counted, or KIND_NONE */
    uint16_t pass; /* the first pass without the kind's counts, or UNCORE_ALL_PASSES */
    uint64_t address;
    uint64_t written, read;
};
_Static_assert(sizeof(struct uncore_error) == 32, "journal layout");
#define UNCORE_ALL_PASSES 0xffffu /* the kind could not be taken over */

/* Saved registers. Too large for a stack. */
#define UNCORE_HELD_MAX 4096u
struct uncore_held {
    uint32_t count;
    uint32_t left_running;                        /* counters found enabled */
    uint32_t failed;                              /* bit i: kind i failed */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* each group's first error */
    struct {
        uint64_t address, value;
        uint64_t stop; /* if `stops` is true: the value that stops counters */
        uint8_t space, bytes;
        bool stops; /* `stop` is written again before any register is restored */
    } held[UNCORE_HELD_MAX];
};

/*
 * uncore_take() saves the registers of `kinds` (bit i: kind i) and stops their counters. If a bit
 * of the global register enables several kinds, these kinds are taken over together. A kind fails
 * if a register cannot be accessed or set. Read-only counters do not make a kind fail.
 *
 * uncore_give_back() stops all counters, and then restores the registers in reverse order, even
 * those of kinds that failed. uncore_give_back() returns the first error that occurred when it
 * restored registers.
 */
void uncore_take(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                 struct uncore_held *held);
struct uncore_error uncore_give_back(const struct uncore_port *port,
                                     const struct uncore_held *held);

struct uncore_programmed {
    const struct uncore *uncore;
    const struct event *event;
    const struct pass *pass;
    uint32_t kinds;
    uint32_t failed; /* bit i: kind i failed, and its counts are 0 */
    uint64_t global;
    struct uncore_error error[UNCORE_GROUPS_MAX];
};

/* Returns the kinds that a pass counts; bit i: kind i. */
uint32_t uncore_kinds(const struct event *event, const struct pass *pass);

/*
 * Writes a pass's selects and filters to all units, and reads them back. Units of the kinds in
 * `without` are left out. No counter is started.
 */
void uncore_program(const struct uncore_port *port, const struct uncore *uncore,
                    const struct event *event, const struct pass *pass, uint32_t without,
                    struct uncore_programmed *programmed);

/* Each slot's count, added over all units. `second` is the second event of a sum of two events. */
struct uncore_sums {
    uint64_t of[SLOTS_MAX], second[SLOTS_MAX];
};

/*
 * uncore_open() starts the counters with as few writes as possible. uncore_close() stops the
 * counters, and sets raw[slot] to the sum of what all units counted, modulo 2^width. If a slot
 * counts two events, the sums of both events are added. The two functions return false if a
 * register could not be accessed, or if a slot's kind has no usable unit.
 */
struct uncore_start {
    struct uncore_sums sums;
};
bool uncore_open(const struct uncore_port *port, const struct uncore_programmed *programmed,
                 struct uncore_start *start);
bool uncore_close(const struct uncore_port *port, const struct uncore_programmed *programmed,
                  const struct uncore_start *start, uint64_t *raw);

/* The result of a group's counter test. */
enum uncore_fault {
    UNCORE_RIGHT,
    UNCORE_UNTESTED,  /* not requested, or no event's count is known */
    UNCORE_STUCK,     /* does not keep what is written */
    UNCORE_SILENT,    /* counts nothing, although the event occurs in nearly every cycle */
    UNCORE_RUNS,      /* counts although all counters were stopped */
    UNCORE_NO_ENABLE, /* counts although its EN is 0 */
    UNCORE_NO_STATUS,
    UNCORE_NO_CLEAR,
    UNCORE_NO_FREEZE, /* an overflow does not stop the counters */
    UNCORE_NO_PMI,
    UNCORE_FAULTS
};
const char *uncore_fault_text(unsigned fault);

struct uncore_record_group {
    uint8_t kind, fault; /* enum uncore_kind; enum uncore_fault of the first faulty counter */
    uint8_t fault_counter;
    uint8_t fault_unit;
    uint8_t counters, width_bits;
    uint16_t units;
    uint32_t status;
    uint32_t reserved;
};
_Static_assert(sizeof(struct uncore_record_group) == 16, "journal layout");

struct uncore_record {
    uint32_t cpu;
    uint32_t package;
    uint32_t status;
    uint32_t groups;
    uint32_t left_running; /* counters found enabled */
    uint32_t reserved;
    char model[40]; /* "": unknown CPU model */
    uint64_t energy_step[ENERGIES];
    struct uncore_record_group group[UNCORE_GROUPS_MAX];
    struct uncore_error error[UNCORE_GROUPS_MAX];
};
_Static_assert(sizeof(struct uncore_record) == 672, "journal layout");

/* Fills in a record, except cpu and package. The faults become UNCORE_UNTESTED. */
void uncore_describe(const struct uncore *uncore, struct uncore_record *record);

/*
 * Tests the counters of `kinds`, and sets the faults in the record. Call this function between
 * uncore_take() and uncore_give_back(). delay() waits `us` microseconds.
 */
void uncore_check(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                  void (*delay)(void *context, unsigned us), void *delay_context,
                  struct uncore_record *record);

#endif
