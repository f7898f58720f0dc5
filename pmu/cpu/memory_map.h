/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether physical addresses can be registers according to the firmware's map (UEFI
 * "EFI_BOOT_SERVICES.GetMemoryMap()") and the MTRRs. A write to registers that are in fact memory
 * would corrupt data.
 */
#ifndef BARECOUNT_PMU_CPU_MEMORY_MAP_H
#define BARECOUNT_PMU_CPU_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/cpu/mtrr.h"

/* Descriptors are `each` bytes apart. `bytes` 0: no map. */
struct memory_map {
    const uint8_t *descriptors;
    size_t bytes, each;
};

/* Initialise with {.map, .first = 1}. */
struct memory_guard {
    struct memory_map map;
    bool has_mtrrs;
    struct mtrrs mtrrs;
    uint64_t first, last; /* the gap found last; first > last: no gap yet */
};

/*
 * Whether 1 to 8 bytes from `address` on can be registers. False if a byte is memory, below 1 MiB,
 * or write-back in the MTRRs (if has_mtrrs), or if there is no map.
 */
bool memory_guard_passes(struct memory_guard *guard, uint64_t address, uint64_t bytes);

#endif
