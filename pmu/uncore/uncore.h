/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of a package's uncore, and its energy registers. The uncore functions find the
 * registers, take them over, test and program the counters, start them before a window, stop them
 * after the window, and restore the registers. The registers and their manuals are in the tables of
 * pmu/uncore/models.h. Unless noted otherwise, functions act on the current CPU, with interrupts
 * off. On unknown CPU models, only known energy registers are accessed. In PCI and MMIO, counters
 * are accessed only in identified devices.
 */
#ifndef BARECOUNT_PMU_UNCORE_UNCORE_H
#define BARECOUNT_PMU_UNCORE_UNCORE_H

#include "pmu/base/list.h"
#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/counters/program.h"
#include "pmu/counters/schedule.h"

/*
 * A unit's select (Intel SDM vol. 3B, "Performance Monitoring Facility of the uncore", and the
 * uncore manuals of the servers). UMASK_EXT exists on servers from Ice Lake on, OCC_CTR_RST on
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

/* Journals contain the kinds' numbers, so the numbers never change, and new kinds are appended. */
#define UNCORE_KIND_LIST(X)                                                                        \
    X(KIND_NONE, "")                                                                               \
    X(KIND_UNCORE, "uncore")             /* Nehalem, Westmere: general counters */                 \
    X(KIND_CLOCK, "clock")               /* fixed counter of the uncore's clock */                 \
    X(KIND_CBO, "cbox")                  /* slice of the last-level cache, clients */              \
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

/* A kind's name in perf, without "uncore_"; "" for KIND_NONE and numbers outside the list. */
const char *uncore_kind_name(unsigned kind);

/* The kind with this name, in upper or lower case, with or without "uncore_"; else KIND_NONE. */
enum uncore_kind uncore_kind_of(const char *name, size_t size);

#define UNCORE_GROUPS_MAX   12u  /* the most kinds of unit on a model */
#define UNCORE_UNITS_MAX    160u /* the most units of a kind */
#define UNCORE_COUNTERS_MAX 8u   /* the most counters of a unit */

/* The address spaces of registers, and how an address is formed in each. */
enum uncore_space {
    SPACE_MSR,  /* number */
    SPACE_PCI,  /* segment << 28 | bus << 20 | device << 15 | function << 12 | offset */
    SPACE_MMIO, /* physical address */
};

/*
 * Access to registers. read() and write() return false if an access raises #GP, if the address
 * space does not exist, or if the port refuses the address. Missing PCI functions read as all ones.
 * `bytes` is 8 for MSRs, and 4 or 8 for MMIO. `bytes` is 4 for PCI, because chipsets need not
 * support accesses of 8 bytes.
 */
struct uncore_port {
    void *context;
    bool (*read)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                 uint64_t *value);
    bool (*write)(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                  uint64_t value);
    bool has_pci; /* the firmware's MCFG lists PCI segment 0 */
    /*
     * Points to the first address that the port refused to access, because the address is memory;
     * 0: none so far. The pointer is null if the port refuses no addresses.
     */
    uint64_t *in_memory;
};

enum uncore_style {
    STYLE_SELECT, /* each counter has a select */
    STYLE_FIXED,  /* one counter with a fixed event; a control instead of a select */
    STYLE_FREE,   /* counters cannot be stopped or written, and each counts one fixed event */
};

/* A kind of unit on a CPU model. A register is at the unit's address + offset + step * counter. */
struct uncore_type {
    uint8_t kind;                        /* enum uncore_kind */
    uint8_t space;                       /* enum uncore_space */
    uint8_t style;                       /* enum uncore_style */
    uint8_t counters;                    /* per unit */
    uint8_t width_bits;                  /* of a counter */
    uint8_t select_bytes, counter_bytes; /* access size; 8 bytes on PCI take two accesses */
    uint8_t has_box;                     /* 1: units have a control that freezes their counters */
    uint8_t clock_is_0;                  /* 1: event 0 counts each cycle of the unit */
    int32_t select, select_step;
    int32_t counter, counter_step;
    int32_t box;            /* offset of the unit's control */
    int32_t extra[2];       /* offsets of the unit's filters (SKX: CHA filter 0 and 1); 0: none */
    uint64_t extra_rest[2]; /* the filters' values in a pass in which no event needs a filter */
    uint64_t enable;        /* EN in a select, or in a fixed counter's control */
    uint64_t fields;        /* the bits of a select that events may use */
    uint64_t forgets;       /* bits of `fields` that act when written, and may then read as 0 */
    uint64_t cycles;        /* a select other than 0 that counts nearly every cycle; 0: none */
    uint64_t box_run, box_freeze; /* values of the control that start and stop counters */
    const char *unit;             /* the name in the manual: "CBo", "CHA", "IMC channel" */
    const char *source;           /* the manual's title and section */
};

struct uncore_group {
    struct uncore_type type;
    uint32_t units;
    uint32_t status;    /* STATUS_OK, or STATUS_UNCORE_..., which says why there are no units */
    uint64_t in_memory; /* for STATUS_UNCORE_MEMORY: the first address that is memory */
    uint64_t unit[UNCORE_UNITS_MAX];
};

/* The counters of the only unit of KIND_ENERGY. On AMD, ENERGY_CORE is for the current core. */
enum uncore_energy { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_CORE, ENERGY_GRAPHICS, ENERGIES };

struct uncore_model; /* pmu/uncore/models.h */

/* The units of a package that uncore_find() found. Large: never on a stack. */
struct uncore {
    /* Null if the CPU model is unknown. For some models, the tables list no units, only a name. */
    const struct uncore_model *model;
    uint32_t status; /* STATUS_OK, or STATUS_UNCORE_UNKNOWN if the tables list no units */
    uint32_t groups;
    struct uncore_group group[UNCORE_GROUPS_MAX];
    /* Indexed by enum uncore_energy: the step in 2^-32 uJ, and the MSR; both 0 if there is none. */
    uint64_t energy_step[ENERGIES];
    uint32_t energy_msr[ENERGIES];
};

/*
 * Finds the units of the current CPU's package, using only reads. A group gets an error status if
 * its units cannot be found or used, for example because a device is missing, a table is invalid, a
 * register raises #GP, or a register's address is memory.
 */
void uncore_find(const struct uncore_port *port, const struct cpu_caps *caps,
                 struct uncore *uncore);

/*
 * Lists all kinds that packages of a CPU's model can contain, each with its maximum number of units
 * (0 for KIND_ENERGY and for units that a discovery table lists). The CPU need not be the one that
 * the program runs on, because no register is read. The energy_step of each existing register is 1,
 * because the energy unit is not known. The result cannot be used to count.
 */
void uncore_of_model(const struct cpu_caps *caps, struct uncore *uncore);

/* The group of a kind; null if the package contains no such group. */
const struct uncore_group *uncore_group(const struct uncore *uncore, unsigned kind);

/* An error and its register. */
struct uncore_error {
    uint32_t status; /* STATUS_OK, STATUS_UNCORE_REFUSED, _KEPT, _FIELD or _MEMORY */
    uint8_t space;   /* enum uncore_space */
    uint8_t kind;    /* the kind that cannot be counted because of the error; KIND_NONE: none */
    uint16_t pass;   /* the first pass without the kind's counts, or UNCORE_ALL_PASSES */
    uint64_t address;
    uint64_t written, read;
};
_Static_assert(sizeof(struct uncore_error) == 32, "journal layout");
#define UNCORE_ALL_PASSES 0xffffu /* none, as the kind's registers could not be taken over */

/* Saved registers, which must be restored. Large: never on a stack. */
#define UNCORE_HELD_MAX 4096u
struct uncore_held {
    uint32_t count;
    uint32_t left_running; /* number of counters that were found enabled */
    uint32_t failed;       /* bit i: kind i could not be taken over or counted */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* the first error of each group */
    struct {
        uint64_t address, value;
        uint64_t stop; /* the value with which a control stops its counters */
        uint8_t space, bytes;
        bool stops; /* a control, which gets `stop` again before all registers are restored */
    } held[UNCORE_HELD_MAX];
};

/*
 * uncore_take() saves all registers of `kinds` (bit i: kind i) and stops their counters. If one bit
 * of the global register enables several kinds and `kinds` contains one of them, takes over all of
 * them. If a unit's register cannot be accessed or set, only the unit's kind fails; a counter that
 * cannot be written is no failure. If the global register cannot be accessed or set, all kinds that
 * it enables fail. uncore_give_back() restores, in reverse order, all registers that were written,
 * including counters and registers of kinds that failed, and returns the first error of its writes.
 */
void uncore_take(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                 struct uncore_held *held);
struct uncore_error uncore_give_back(const struct uncore_port *port,
                                     const struct uncore_held *held);

/* A pass as uncore_program() has programmed it. */
struct uncore_programmed {
    const struct uncore *uncore;
    const struct event *event;
    const struct pass *pass;
    uint32_t kinds;  /* kinds that the pass counts */
    uint32_t failed; /* kinds that were left out or not programmed; their counts are 0 */
    uint64_t global; /* the bits to set in the global register; 0: none */
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* the error of each group that failed */
};

/* The kinds that a pass counts. */
uint32_t uncore_kinds(const struct event *event, const struct pass *pass);

/*
 * Writes the selects and filters of a pass's uncore slots to all units of the slots' kinds, and
 * reads them back. Leaves out the kinds in `without`. Starts no counter, but free-running counters
 * always count. uncore_open() can start all kinds that are not in programmed->failed.
 */
void uncore_program(const struct uncore_port *port, const struct uncore *uncore,
                    const struct event *event, const struct pass *pass, uint32_t without,
                    struct uncore_programmed *programmed);

/*
 * For each slot, the sum of its counter over all units. If the slot counts a sum of two events,
 * `second` contains the sum for the second event.
 */
struct uncore_sums {
    uint64_t of[SLOTS_MAX], second[SLOTS_MAX];
};

/*
 * uncore_open() reads the pass's counters and then starts them all with as few writes as possible.
 * uncore_close() stops the counters, and sets raw[slot] of each uncore slot to what all units have
 * counted since uncore_open(), modulo 2^width of a counter. For a sum of two events, the two counts
 * are computed separately and then added. Both functions return false if a register could not be
 * accessed, or if the package has no usable units of a slot's kind.
 */
struct uncore_start {
    struct uncore_sums sums; /* subtracted by uncore_close() */
};
bool uncore_open(const struct uncore_port *port, const struct uncore_programmed *programmed,
                 struct uncore_start *start);
bool uncore_close(const struct uncore_port *port, const struct uncore_programmed *programmed,
                  const struct uncore_start *start, uint64_t *raw);

/*
 * The result of a group's counter test. If the plan names uncore events, the journal contains a
 * struct uncore_record for each package, after RECORD_EVENTS of the package's first measured CPU.
 */
enum uncore_fault {
    UNCORE_RIGHT,
    UNCORE_UNTESTED,  /* not tested: not requested, or no event with a known count */
    UNCORE_STUCK,     /* does not keep what is written */
    UNCORE_SILENT,    /* counts nothing although its event occurs in nearly every cycle */
    UNCORE_RUNS,      /* counts although the global register or the unit's control should stop it */
    UNCORE_NO_ENABLE, /* counts although its own EN is 0 */
    UNCORE_NO_STATUS, /* an overflow sets no status bit */
    UNCORE_NO_CLEAR,  /* the status bit cannot be cleared, or only together with the next */
    UNCORE_NO_FREEZE, /* still counts after an overflow, although PMI_FRZ is set */
    UNCORE_NO_PMI,    /* an overflow is not reported to the core */
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
    uint32_t cpu;     /* the CPU that counts the package's uncore events */
    uint32_t package; /* cpu_caps.package */
    uint32_t status;  /* as in struct uncore */
    uint32_t groups;
    uint32_t left_running; /* number of counters that were found enabled */
    uint32_t reserved;
    char model[40]; /* name in the tables; "" for unknown CPU models */
    uint64_t energy_step[ENERGIES];
    struct uncore_record_group group[UNCORE_GROUPS_MAX];
    struct uncore_error error[UNCORE_GROUPS_MAX]; /* errors of uncore_find() or uncore_take() */
};
_Static_assert(sizeof(struct uncore_record) == 672, "journal layout");

/* Fills in a record, except cpu and package. Sets the groups' faults to UNCORE_UNTESTED. */
void uncore_describe(const struct uncore *uncore, struct uncore_record *record);

/*
 * Tests the counters of `kinds`, between uncore_take() and uncore_give_back(), and sets the groups'
 * faults. A counter must keep what is written, and count only while it is started and its EN is
 * set. An overflow must set a status bit that can be cleared, freeze the counters, and notify the
 * core, as far as the model supports this. delay() waits `us` microseconds.
 */
void uncore_check(const struct uncore_port *port, const struct uncore *uncore, uint32_t kinds,
                  void (*delay)(void *context, unsigned us), void *delay_context,
                  struct uncore_record *record);

#endif
