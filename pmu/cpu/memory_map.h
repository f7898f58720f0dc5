/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds whether physical addresses can be registers, which must not be memory according to the
 * firmware's map (UEFI specification, "EFI_BOOT_SERVICES.GetMemoryMap()") and the MTRRs. If a table
 * says that registers are at an address of memory, the table is wrong, and a write to the registers
 * would corrupt data.
 */
#ifndef BARECOUNT_PMU_CPU_MEMORY_MAP_H
#define BARECOUNT_PMU_CPU_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/cpu/mtrr.h"

/* The firmware's memory descriptors, `each` bytes apart. If `bytes` is 0, the map is not known. */
struct memory_map {
    const uint8_t *descriptors;
    size_t bytes, each;
};

/* Checks addresses. Initialise with {.map, .first = 1}. */
struct memory_guard {
    struct memory_map map;
    bool has_mtrrs;
    struct mtrrs mtrrs;
    uint64_t first, last; /* the last hole (gap in memory) found; first > last: none yet */
};

/*
 * Whether the 1 to 8 bytes that start at `address` can be registers. False if the map is not known,
 * or if a byte is below 1 MiB, is memory according to the map, or is write-back according to the
 * MTRRs (if has_mtrrs).
 */
bool memory_guard_passes(struct memory_guard *guard, uint64_t address, uint64_t bytes);

#endif
