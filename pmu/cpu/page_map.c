/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables of a kernel. */
#include "pmu/cpu/page_map.h"

/* Bits 51:12 of an entry are the physical address. */
#define ENTRY_PRESENT    (1ull << 0)
#define ENTRY_WRITE      (1ull << 1)
#define ENTRY_USER       (1ull << 2)
#define ENTRY_PWT_SHIFT  3
#define ENTRY_PAGE       (1ull << 7) /* above level 1: maps a large page */
#define ENTRY_PAT        (1ull << 7) /* at level 1 */
#define ENTRY_GLOBAL     (1ull << 8)
#define ENTRY_PAT_LARGE  (1ull << 12) /* above level 1 */
#define ENTRY_NO_EXECUTE (1ull << 63)
#define ENTRY_ADDRESS    0x000ffffffffff000ull
#define ENTRY_TABLE      (ENTRY_PRESENT | ENTRY_WRITE | ENTRY_USER)

/* Level 1 maps pages of 4 KiB, level 2 of 2 MiB, level 3 of 1 GiB. */
#define LEVEL_4K   1u
#define LEVEL_2M   2u
#define LEVEL_1G   3u
#define LEVEL_BASE 4u

static unsigned shift_of(unsigned level)
{
    return 12 + 9 * (level - 1);
}

static uint64_t bytes_of(unsigned level)
{
    return 1ull << shift_of(level);
}

static uint64_t *new_table(struct page_map *map)
{
    uint64_t *table;

    if (map->used == map->tables)
        return 0;
    table = map->table + (uint64_t)map->used++ * TABLE_ENTRIES;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        table[i] = 0;
    return table;
}

void page_map_start(struct page_map *map)
{
    map->used = 0;
    new_table(map);
}

/*
 * Copies an entry of the shared tables, but forbids writes, any access at CPL 3, and, with NXE,
 * execution.
 */
static uint64_t shared(const struct page_map *map, uint64_t entry)
{
    if (!(entry & ENTRY_PRESENT))
        return 0;
    return (entry & ~(ENTRY_WRITE | ENTRY_USER)) | (map->no_execute ? ENTRY_NO_EXECUTE : 0);
}

static bool is_own_table(const struct page_map *map, uint64_t entry)
{
    uint64_t at = (entry & ENTRY_ADDRESS) - (uint64_t)map->table;

    return entry & ENTRY_PRESENT && at < (uint64_t)map->tables * PAGE_BYTES;
}

static void take_apart(uint64_t *table, uint64_t page, unsigned level)
{
    uint64_t address = page & ENTRY_ADDRESS & ~(bytes_of(level) - 1);
    uint64_t flags = page & ~ENTRY_ADDRESS;

    if (level - 1 == LEVEL_4K)
        flags = (flags & ~ENTRY_PAGE) | (page & ENTRY_PAT_LARGE ? ENTRY_PAT : 0);
    else
        flags |= page & ENTRY_PAT_LARGE;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        table[i] = flags | (address + i * bytes_of(level - 1));
}

/*
 * Returns the map's own table to which an entry points. For a shared or empty entry, makes a table
 * that maps the same pages. Null if no table is left.
 */
static uint64_t *own_table(struct page_map *map, uint64_t *entry, unsigned level)
{
    const uint64_t *theirs = (const uint64_t *)(*entry & ENTRY_ADDRESS);
    uint64_t *table;

    if (is_own_table(map, *entry) && !(level <= LEVEL_1G && *entry & ENTRY_PAGE))
        return (uint64_t *)(*entry & ENTRY_ADDRESS);
    table = new_table(map);
    if (!table)
        return 0;
    if (*entry & ENTRY_PRESENT && level <= LEVEL_1G && *entry & ENTRY_PAGE)
        take_apart(table, *entry, level);
    else if (*entry & ENTRY_PRESENT)
        for (unsigned i = 0; i < TABLE_ENTRIES; i++)
            table[i] = shared(map, theirs[i]);
    *entry = (uint64_t)table | ENTRY_TABLE;
    return table;
}

static uint64_t *entry_at(struct page_map *map, uint64_t linear, unsigned level)
{
    uint64_t *table = map->table;

    for (unsigned at = map->levels; table; at--) {
        uint64_t *entry = &table[linear >> shift_of(at) & (TABLE_ENTRIES - 1)];

        if (at == level)
            return entry;
        table = own_table(map, entry, at);
    }
    return 0;
}

bool page_map_share(struct page_map *map, const uint64_t *top)
{
    uint64_t *base;

    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        map->table[i] = shared(map, top[i]);
    base = entry_at(map, PAGE_MAP_BASE, LEVEL_BASE);
    if (base)
        *base = 0;
    return base;
}

bool page_map_open(struct page_map *map, uint64_t linear, uint64_t bytes, uint32_t rights)
{
    uint64_t first = linear & ~(uint64_t)(PAGE_BYTES - 1);

    for (uint64_t at = first; at < linear + bytes; at += PAGE_BYTES) {
        uint64_t *entry = entry_at(map, at, LEVEL_4K);

        if (!entry || !(*entry & ENTRY_PRESENT))
            return false;
        if (rights & PAGE_MAP_WRITE)
            *entry |= ENTRY_WRITE;
        else
            *entry &= ~ENTRY_NO_EXECUTE;
    }
    return true;
}

/*
 * Returns the level of pages of page_bytes or, if page_bytes is 0, of the largest pages that fit.
 * Returns 0 if no pages fit.
 */
static unsigned level_for(const struct page_map *map, uint64_t addresses, uint64_t bytes,
                          uint32_t page_bytes)
{
    unsigned level = map->giant ? LEVEL_1G : LEVEL_2M;

    while (level > 0 && (addresses & (bytes_of(level) - 1) || bytes < bytes_of(level) ||
                         (page_bytes && page_bytes != bytes_of(level))))
        level--;
    return level;
}

static uint64_t page_entry(const struct page_map *map, uint64_t physical, unsigned level,
                           uint32_t rights)
{
    uint64_t entry = physical | ENTRY_PRESENT;
    uint32_t pat = rights >> 4;

    entry |= rights & PAGE_MAP_WRITE ? ENTRY_WRITE : 0;
    entry |= rights & PAGE_MAP_USER ? ENTRY_USER : 0;
    entry |= rights & PAGE_MAP_GLOBAL ? ENTRY_GLOBAL : 0;
    entry |= map->no_execute && !(rights & PAGE_MAP_EXECUTE) ? ENTRY_NO_EXECUTE : 0;
    entry |= (uint64_t)(pat & 3) << ENTRY_PWT_SHIFT;
    if (level > LEVEL_4K)
        return entry | ENTRY_PAGE | (pat & 4 ? ENTRY_PAT_LARGE : 0);
    return entry | (pat & 4 ? ENTRY_PAT : 0);
}

bool page_map_add(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes,
                  uint32_t rights, uint32_t page_bytes)
{
    uint64_t offset = linear - PAGE_MAP_BASE;

    if (physical & ~ENTRY_ADDRESS || offset > PAGE_MAP_BYTES || bytes > PAGE_MAP_BYTES - offset)
        return false;
    while (bytes > 0) {
        unsigned level = level_for(map, linear | physical, bytes, page_bytes);
        uint64_t *entry = level ? entry_at(map, linear, level) : 0;

        if (!entry)
            return false;
        *entry = page_entry(map, physical, level, rights);
        linear += bytes_of(level);
        physical += bytes_of(level);
        bytes -= bytes_of(level);
    }
    return true;
}

/*
 * The 5 tables are one of level 3 and, for each end of the range, one of level 2 and one of level
 * 1.
 */
uint32_t page_map_tables(uint64_t bytes, uint32_t page_bytes)
{
    uint32_t tables = (uint32_t)(bytes >> shift_of(LEVEL_1G)) + 5;

    return page_bytes == PAGE_BYTES ? tables + (uint32_t)(bytes >> shift_of(LEVEL_2M)) : tables;
}

/*
 * The 8 tables are two of each level from 4 to 1, because the range may cross from one table into
 * the next. With 4-level paging, level 4 is the top, and two tables fewer suffice.
 */
uint32_t page_map_open_tables(uint64_t bytes)
{
    return 8 + (uint32_t)(bytes >> shift_of(LEVEL_2M)) + (uint32_t)(bytes >> shift_of(LEVEL_1G));
}

#define INDEX_BITS  9u
#define INDEX_MASK  511u
#define PAGE_SHIFT  12u
#define GIANT_SHIFT 30u /* no page is larger */

bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last)
{
    unsigned shift = PAGE_SHIFT + INDEX_BITS * (levels - 1);
    const uint64_t *table = top;

    /* addresses in the upper half and non-canonical addresses are never mapped to themselves */
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
