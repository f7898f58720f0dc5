/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which physical addresses are memory, according to the firmware's map (UEFI specification,
 * "EFI_BOOT_SERVICES.GetMemoryMap()") and the MTRRs. Registers cannot be there, even if a table
 * says so, and a write would corrupt data.
 */
#ifndef BARECOUNT_PMU_CPU_MEMORY_MAP_H
#define BARECOUNT_PMU_CPU_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/cpu/mtrr.h"

/* The firmware's descriptors, one every `each` bytes; none: the map is not known. */
struct memory_map {
    const uint8_t *descriptors;
    size_t bytes, each;
};

/* Checks addresses. Initialise with {.map, .first = 1}. */
struct memory_guard {
    struct memory_map map;
    bool has_mtrrs;
    struct mtrrs mtrrs;
    uint64_t first, last; /* the last hole found; first > last: none yet */
};

/*
 * Whether the 1 to 8 bytes from `address` on can be registers: the map is known, none of them is
 * below 1 MiB or memory in the map, and the MTRRs, where known, do not make them write-back.
 */
bool memory_guard_passes(struct memory_guard *guard, uint64_t address, uint64_t bytes);

#endif
