/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncore counters, on the CPU that counts for its package. Supplies pmu/uncore/uncore.h with access
 * to this CPU's registers. Call only between cpu_enter() and cpu_leave().
 */
#ifndef BARECOUNT_BOOT_MEASURE_UNCORE_REGISTERS_H
#define BARECOUNT_BOOT_MEASURE_UNCORE_REGISTERS_H

#include "boot/cpu/cpu.h"
#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/memory_map.h"
#include "pmu/journal/record.h"

/*
 * Access to the registers. PCI and MMIO addresses are accessed only if they are not memory
 * according to the firmware's memory map and the MTRRs, and if the running CPU's page tables
 * identity-map them, so that nothing faults. Otherwise, the access returns false.
 */
struct uncore_access {
    struct uncore_port port; /* port.context is this struct */
    const struct mcfg *mcfg;
    uint64_t first, last; /* addresses that were last found identity-mapped; first > last: none */
    struct memory_guard guard;
    uint64_t in_memory; /* see struct uncore_port */
};

/* A package's uncore counters. Too large for a stack. */
struct cpu_uncore {
    struct uncore_access access;
    struct uncore found;
    uint32_t kinds;     /* kinds that the CPU's passes count and that can be taken over */
    uint32_t faulty;    /* the kinds in `kinds` that failed their test */
    uint32_t uncounted; /* bit s: slot s could not be programmed, and its kind is not faulty */
    bool is_taken;      /* the registers in `held` must be restored */
    struct uncore_held held;
    struct uncore_programmed programmed;
    struct uncore_start start;
};

void uncore_access_start(struct uncore_access *access, const struct mcfg *mcfg,
                         const struct memory_map *memory);

/* Reads the running CPU's MTRRs. From then on, access->guard checks addresses against them too. */
void uncore_access_look(struct uncore_access *access, const struct cpu_caps *caps);

/*
 * uncore_take() and uncore_give_back() for the kinds of the CPU's passes. If a task was cut off,
 * cpu_uncore_take() first restores the registers that the task had taken over, and returns an error
 * if that fails. No register is restored twice. held.failed lists the kinds that could not be taken
 * over.
 */
struct uncore_error cpu_uncore_take(struct cpu_uncore *uncore);
struct uncore_error cpu_uncore_give_back(struct cpu_uncore *uncore);

/*
 * The number of a pass's slots that count in the core; they come before the slots that count in the
 * package.
 */
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
