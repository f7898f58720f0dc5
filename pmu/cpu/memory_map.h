/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of the physical addresses is memory, by the map that the firmware gives (UEFI specification,
 * "EFI_BOOT_SERVICES.GetMemoryMap()") and by the MTRRs: no register stands there, whatever a table
 * of the machine's says, and a write would change somebody's data.
 */
#ifndef BARECOUNT_PMU_CPU_MEMORY_MAP_H
#define BARECOUNT_PMU_CPU_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/cpu/mtrr.h"

/* Descriptors as the firmware gave them, one every `each` bytes; none: the map is not known. */
struct memory_map {
    const uint8_t *descriptors;
    size_t bytes, each;
};

/* Judges addresses. Starts as {.map, .first = 1}. */
struct memory_guard {
    struct memory_map map;
    bool has_mtrrs;
    struct mtrrs mtrrs;
    uint64_t first, last; /* no memory in between, found last; first > last: none yet */
};

/*
 * Whether `bytes` from an address on, 8 at the most, can be registers: none of them is memory in
 * the map, which is known, or below 1 MiB, and the MTRRs, where they are known, do not make them
 * write-back.
 */
bool memory_guard_passes(struct memory_guard *guard, uint64_t address, uint64_t bytes);

#endif
