/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An independent walk of page tables (Intel SDM vol. 3A "4-Level Paging and 5-Level Paging"). The
 * walk reads page tables, but never the pages themselves.
 */
#ifndef FAKE_PAGES_H
#define FAKE_PAGES_H

#include "pmu/cpu/page_map.h"

#define TABLES  64u
#define KIB     (1ull << 10)
#define MIB     (1ull << 20)
#define GIB     (1ull << 30)
#define BASE    0x7f8000000000ull /* 255 << 39 */
#define XD      (1ull << 63)
#define ADDRESS 0x000ffffffffff000ull

#define LARGE 0x80ull /* PS */

static _Alignas(PAGE_BYTES) uint64_t pool[TABLES][TABLE_ENTRIES];
static struct page_map map;

static inline void start(uint32_t tables, uint32_t levels, bool giant)
{
    memset(pool, 0xa5, sizeof(pool));
    map = (struct page_map){
        .table = pool[0], .tables = tables, .levels = levels, .giant = giant, .no_execute = true};
    page_map_start(&map);
}

struct walked {
    bool present, user, writable, no_execute, global;
    unsigned pat;
    uint64_t physical, page_bytes;
};

/* Like the CPU, grants a right only if all entries on the path grant it. */
static inline struct walked walk_from(const uint64_t *table, uint64_t linear)
{
    struct walked walked = {.user = true, .writable = true};

    for (unsigned shift = 12 + 9 * (map.levels - 1);; shift -= 9) {
        uint64_t entry = table[linear >> shift & 511];

        if (!(entry & 1))
            return (struct walked){0};
        walked.writable &= entry >> 1 & 1;
        walked.user &= entry >> 2 & 1;
        walked.no_execute |= entry >> 63;
        if (shift == 12 || (shift <= 30 && entry & LARGE)) {
            walked.present = true;
            walked.global = entry >> 8 & 1;
            walked.page_bytes = 1ull << shift;
            walked.pat = (entry >> 3 & 3) | (entry >> (shift == 12 ? 7 : 12) & 1) << 2;
            if (shift > 12)
                entry &= ~(1ull << 12);
            walked.physical = (entry & ADDRESS) | (linear & (walked.page_bytes - 1));
            assert_int_equal(entry & ADDRESS & (walked.page_bytes - 1), 0);
            return walked;
        }
        assert_int_equal(entry & (1 << 3 | 1 << 4), 0); /* no PWT, PCD: tables are write-back */
        table = (const uint64_t *)(entry & ADDRESS);
    }
}

static inline struct walked walk(uint64_t linear)
{
    return walk_from(pool[0], linear);
}

#endif
