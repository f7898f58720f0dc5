/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncore counters, on the CPU that counts for its package. Call only between cpu_enter() and
 * cpu_leave().
 */
#ifndef BARECOUNT_BOOT_MEASURE_UNCORE_REGISTERS_H
#define BARECOUNT_BOOT_MEASURE_UNCORE_REGISTERS_H

#include "boot/cpu/cpu.h"
#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/memory_map.h"
#include "pmu/journal/record.h"

/*
 * Access to the registers. An access to a PCI or MMIO address returns false if the address is
 * memory according to the memory map or the MTRRs, or if the page tables do not identity-map it.
 */
struct uncore_access {
    struct uncore_port port;
    const struct mcfg *mcfg;
    uint64_t first, last; /* bounds of a range that is identity-mapped; first > last: none */
    struct memory_guard guard;
    uint64_t in_memory; /* see struct uncore_port */
};

/* A package's uncore counters. Too large for a stack. */
struct cpu_uncore {
    struct uncore_access access;
    struct uncore found;
    uint32_t kinds;     /* kinds that the CPU's passes count and that can be taken over */
    uint32_t faulty;    /* kinds that failed their test */
    uint32_t uncounted; /* bit s: slot s could not be programmed, and its kind is not faulty */
    bool is_taken;      /* whether `held` must be restored */
    struct uncore_held held;
    struct uncore_programmed programmed;
    struct uncore_start start;
};

void uncore_access_start(struct uncore_access *access, const struct mcfg *mcfg,
                         const struct memory_map *memory);

/* Reads the running CPU's MTRRs into access->guard. */
void uncore_access_look(struct uncore_access *access, const struct cpu_caps *caps);

/*
 * These functions call uncore_take() and uncore_give_back() for the kinds of the CPU's passes. If
 * an earlier task was cut off, cpu_uncore_take() first restores the registers that the earlier task
 * had taken over, and returns an error if it cannot restore them. held.failed lists the kinds that
 * could not be taken over.
 */
struct uncore_error cpu_uncore_take(struct cpu_uncore *uncore);
struct uncore_error cpu_uncore_give_back(struct cpu_uncore *uncore);

/* The number of slots that count in the core; the uncore slots follow them. */
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
