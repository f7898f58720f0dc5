/* SPDX-License-Identifier: BSD-2-Clause */
/* Distinguishes registers from memory. */
#include "pmu/base/bytes.h"
#include "pmu/cpu/memory_map.h"

/* Offsets of fields in EFI_MEMORY_DESCRIPTOR. Later versions of UEFI may enlarge this structure. */
#define AT_TYPE      0u
#define AT_START     8u
#define AT_PAGES     24u
#define BYTES_LEAST  40u
#define PAGE_SHIFT   12u
#define PAGES_MAX    (UINT64_MAX >> PAGE_SHIFT)
#define REGISTER_MIN (1ull << 20) /* below: real mode's memory and fixed MTRR ranges */

/*
 * Types of memory-map ranges that may contain registers. Firmware reports PCI configuration space
 * (PCI Firmware Specification 3.3, section 4.1.2) and chipset registers as reserved. RAM may be
 * reported as reserved, too, but the MTRRs normally make it write-back.
 */
#define TYPE_RESERVED  0u
#define TYPE_MMIO      11u
#define TYPE_MMIO_PORT 12u

/*
 * Sets *first and *last to a range's first and last byte. False if the range is empty or not
 * memory.
 */
static bool is_memory(const uint8_t *descriptor, uint64_t *first, uint64_t *last)
{
    const uint64_t type = bytes_get(descriptor + AT_TYPE, 4),
                   pages = bytes_get(descriptor + AT_PAGES, 8);

    if (type == TYPE_RESERVED || type == TYPE_MMIO || type == TYPE_MMIO_PORT || pages == 0)
        return false;
    *first = bytes_get(descriptor + AT_START, 8);
    *last = pages > PAGES_MAX ? UINT64_MAX : *first + (pages << PAGE_SHIFT) - 1;
    if (*last < *first)
        *last = UINT64_MAX;
    return true;
}

/*
 * Sets `first` and `last` of the guard to the gap between memory ranges that contains all bytes
 * from `address` to `end`. False if one of these bytes is memory or below 1 MiB, or if there is no
 * map.
 */
static bool find_hole(struct memory_guard *guard, uint64_t address, uint64_t end)
{
    const struct memory_map *map = &guard->map;
    uint64_t below = REGISTER_MIN, above = UINT64_MAX;

    if (map->each < BYTES_LEAST || map->bytes < map->each || address < below)
        return false;
    for (size_t at = 0; at <= map->bytes - map->each; at += map->each) {
        uint64_t first, last;

        if (!is_memory(map->descriptors + at, &first, &last))
            continue;
        if (first <= end && last >= address)
            return false;
        if (last < address && last >= below)
            below = last + 1;
        if (first > end && first <= above)
            above = first - 1;
    }
    guard->first = below;
    guard->last = above;
    return true;
}

bool memory_guard_passes(struct memory_guard *guard, uint64_t address, uint64_t bytes)
{
    const uint64_t end = address + bytes - 1;

    if (end < address)
        return false;
    if ((address < guard->first || end > guard->last) && !find_hole(guard, address, end))
        return false;
    return !guard->has_mtrrs || !mtrr_is_write_back(&guard->mtrrs, address, bytes);
}
