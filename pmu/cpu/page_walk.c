/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/cpu/page_walk.h"

#define ENTRY_PRESENT (1ull << 0)
#define ENTRY_WRITE   (1ull << 1)
#define ENTRY_PAGE    (1ull << 7) /* of 2 MiB or 1 GiB */
#define ENTRY_ADDRESS 0x000ffffffffff000ull
#define INDEX_BITS    9u
#define INDEX_MASK    511u
#define PAGE_SHIFT    12u
#define GIANT_SHIFT   30u /* no larger page exists */

bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last)
{
    unsigned shift = PAGE_SHIFT + INDEX_BITS * (levels - 1);
    const uint64_t *table = top;

    /* the upper half, and what is no address at all, is never mapped to itself */
    if (address >> (shift + INDEX_BITS - 1))
        return false;
    for (;; shift -= INDEX_BITS) {
        const uint64_t entry = table[address >> shift & INDEX_MASK];

        if (!(entry & ENTRY_PRESENT) || !(entry & ENTRY_WRITE))
            return false;
        if (shift == PAGE_SHIFT || (shift <= GIANT_SHIFT && entry & ENTRY_PAGE)) {
            const uint64_t mask = (1ull << shift) - 1;

            *first = address & ~mask;
            *last = address | mask;
            return (entry & ENTRY_ADDRESS & ~mask) == *first;
        }
        table = (const uint64_t *)(entry & ENTRY_ADDRESS);
    }
}
