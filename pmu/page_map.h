/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables with a few user pages beside the whole of what somebody else maps, for kernels at CPL
 * 3. Intel SDM vol. 3A "4-Level Paging and 5-Level Paging"; the same on AMD.
 *
 * Pure: tables are memory that the caller gives, and an address in it is a physical address, as it
 * is under UEFI. Nothing of what is mapped is looked at.
 */
#ifndef BARECOUNT_PMU_PAGE_MAP_H
#define BARECOUNT_PMU_PAGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE_BYTES    4096u
#define TABLE_ENTRIES 512u

/*
 * The entry of the top table that holds the user pages: the last one of the lower half. It takes
 * the place of what is mapped there, 512 GiB from 127.5 TiB on (with 5 levels, 256 TiB from 63.75
 * PiB on), where no machine has memory.
 */
#define PAGE_MAP_USER_ENTRY 255u

/* Bytes that may be mapped there, so that one table of the second level serves both paging modes.
 */
#define PAGE_MAP_USER_BYTES (1ull << 39)

/* Tables that page_map_user() takes for `bytes`, and those that it needs once. */
#define PAGE_MAP_TABLES(bytes) ((uint32_t)(((uint64_t)(bytes) >> 30) + 4))
#define PAGE_MAP_BASE_TABLES   3u

struct page_map {
    uint64_t *table; /* the top one first; PAGE_BYTES each, aligned to that */
    uint32_t tables;
    uint32_t used;
    uint32_t levels; /* 4, or 5 with CR4.LA57 */
    bool giant;      /* pages of 1 GiB exist: CPUID.80000001H:EDX[26] */
};

/* Takes `tables` tables at `memory`, at least one; whatever was in them is gone. */
void page_map_start(struct page_map *map, void *memory, uint32_t tables, uint32_t levels,
                    bool giant);

/*
 * Maps for CPL 0 alone all that the top table `top` maps, with the tables below it shared: its
 * entries but the user's, with U/S clear, which holds for everything below an entry.
 */
void page_map_supervisor(struct page_map *map, const uint64_t *top);

/* The first address of the user pages. */
uint64_t page_map_user_base(const struct page_map *map);

/*
 * Maps `bytes` at `linear`, among the user pages, to `physical`: for CPL 3, writable, executable,
 * in the largest pages that have no other byte in them. All three are multiples of PAGE_BYTES;
 * where both addresses leave the same remainder by 1 GiB the tables are as many as said above.
 * False: the arguments are not so, or the tables are used up; some pages may be mapped then.
 */
bool page_map_user(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes);

#endif
