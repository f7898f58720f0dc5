/* SPDX-License-Identifier: BSD-2-Clause */
#include "page_map.h"

/* An entry; the physical address stands in bits 51:12. */
#define ENTRY_PRESENT (1ull << 0)
#define ENTRY_WRITE   (1ull << 1)
#define ENTRY_USER    (1ull << 2)
#define ENTRY_PAGE    (1ull << 7) /* above the lowest level: a page, not a table */
#define ENTRY_ADDRESS 0x000ffffffffff000ull
#define ENTRY_ALL     (ENTRY_PRESENT | ENTRY_WRITE | ENTRY_USER)

/* Levels: 1 holds pages of 4 KiB, 2 of 2 MiB, 3 of 1 GiB. */
#define LEVEL_2M 2u
#define LEVEL_1G 3u

static unsigned shift_of(unsigned level)
{
    return 12 + 9 * (level - 1);
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

void page_map_start(struct page_map *map, void *memory, uint32_t tables, uint32_t levels,
                    bool giant)
{
    *map = (struct page_map){.table = memory, .tables = tables, .levels = levels, .giant = giant};
    new_table(map);
}

void page_map_supervisor(struct page_map *map, const uint64_t *top)
{
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        if (i != PAGE_MAP_USER_ENTRY)
            map->table[i] = top[i] & ~ENTRY_USER;
}

uint64_t page_map_user_base(const struct page_map *map)
{
    return (uint64_t)PAGE_MAP_USER_ENTRY << shift_of(map->levels);
}

/* The entry of an address at a level, with the tables above it; null: they are used up. */
static uint64_t *entry_at(struct page_map *map, uint64_t linear, unsigned level)
{
    uint64_t *table = map->table;

    for (unsigned at = map->levels;; at--) {
        uint64_t *entry = &table[linear >> shift_of(at) & (TABLE_ENTRIES - 1)];

        if (at == level)
            return entry;
        if (!(*entry & ENTRY_PRESENT)) {
            table = new_table(map);
            if (!table)
                return 0;
            *entry = (uint64_t)table | ENTRY_ALL;
        }
        table = (uint64_t *)(*entry & ENTRY_ADDRESS);
    }
}

/* The level of the largest page that can start here. */
static unsigned level_for(const struct page_map *map, uint64_t addresses, uint64_t bytes)
{
    unsigned level = map->giant ? LEVEL_1G : LEVEL_2M;

    while (level > 1 &&
           (addresses & ((1ull << shift_of(level)) - 1) || bytes < 1ull << shift_of(level)))
        level--;
    return level;
}

bool page_map_user(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes)
{
    uint64_t offset = linear - page_map_user_base(map);

    if ((linear | physical | bytes) & (PAGE_BYTES - 1) || physical & ~ENTRY_ADDRESS ||
        offset > PAGE_MAP_USER_BYTES || bytes > PAGE_MAP_USER_BYTES - offset)
        return false;
    while (bytes > 0) {
        unsigned level = level_for(map, linear | physical, bytes);
        uint64_t page = 1ull << shift_of(level);
        uint64_t *entry = entry_at(map, linear, level);

        if (!entry)
            return false;
        *entry = physical | ENTRY_ALL | (level > 1 ? ENTRY_PAGE : 0);
        linear += page;
        physical += page;
        bytes -= page;
    }
    return true;
}
