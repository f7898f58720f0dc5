/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What counts outside the cores, on the CPU that counts for its package: pmu/uncore/uncore.h with
 * that CPU's registers. Between cpu_enter() and cpu_leave().
 */
#ifndef BARECOUNT_BOOT_MEASURE_UNCORE_REGISTERS_H
#define BARECOUNT_BOOT_MEASURE_UNCORE_REGISTERS_H

#include "boot/cpu/cpu.h"
#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/memory_map.h"
#include "pmu/journal/record.h"

/*
 * The way to its registers. What is reached by addresses (PCI, MMIO) is touched only where the
 * firmware has no memory, and where the running CPU's page tables map it to itself, so that nothing
 * faults; elsewhere an access returns false.
 */
struct uncore_access {
    struct uncore_port port; /* its context is this struct */
    const struct mcfg *mcfg;
    uint64_t first, last; /* the page that was found right last; first > last: none yet */
    struct memory_guard guard;
    uint64_t in_memory; /* struct uncore_port's */
};

/* A package. Large: never on a stack. */
struct cpu_uncore {
    struct uncore_access access;
    struct uncore found;
    uint32_t kinds;     /* that the passes of its CPU count, and the test could take over */
    uint32_t faulty;    /* of these, those that failed their test */
    uint32_t uncounted; /* bit s: slot s of the pass that is programmed is of a kind that refused */
    bool is_taken;      /* held is to be given back */
    struct uncore_held held;
    struct uncore_programmed programmed;
    struct uncore_start start;
};

void uncore_access_start(struct uncore_access *access, const struct mcfg *mcfg,
                         const struct memory_map *memory);

/* Reads the running CPU's MTRRs, which judge its accesses too from then on. */
void uncore_access_look(struct uncore_access *access);

/*
 * uncore_take() and uncore_give_back() for the kinds of its CPU's passes. What an earlier task
 * has taken and, as it did not come to its end, not given back, is given back first, and the error
 * of that returned; nothing is given back twice. held.failed has the kinds that are not taken.
 */
struct uncore_error cpu_uncore_take(struct cpu_uncore *uncore);
struct uncore_error cpu_uncore_give_back(struct cpu_uncore *uncore);

/* Whether a pass has slots of the package's; they are the last ones, behind this many others. */
static inline unsigned cpu_uncore_first_slot(const struct pass *pass)
{
    unsigned slots = pass->slots;

    while (slots > 0 && pass->slot[slots - 1].where == SLOT_UNCORE)
        slots--;
    return slots;
}

static inline bool cpu_uncore_counts(const struct pass *pass)
{
    return cpu_uncore_first_slot(pass) < pass->slots;
}

#endif
