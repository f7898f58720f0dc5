/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables for a kernel: a few pages of its own beside the whole of what somebody else maps,
 * which it may read and neither write nor run. Intel SDM vol. 3A "4-Level Paging and 5-Level
 * Paging"; the same on AMD.
 *
 * Pure: tables are memory that the caller gives, and an address in it is a physical address, as it
 * is under UEFI. Of what is mapped nothing is looked at but tables, and those only by
 * page_map_open().
 */
#ifndef BARECOUNT_PMU_CPU_PAGE_MAP_H
#define BARECOUNT_PMU_CPU_PAGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE_BYTES    4096u
#define PAGE_BYTES_2M (1u << 21)
#define PAGE_BYTES_1G (1u << 30)
#define TABLE_ENTRIES 512u

/*
 * Where the kernel's pages are, with 4 levels and with 5: 512 GiB at 127.5 TiB, the last ones of
 * the lower half with 4 levels. They take the place of what is mapped there, where no machine has
 * memory.
 */
#define PAGE_MAP_BASE  0x7f8000000000ull
#define PAGE_MAP_BYTES (1ull << 39)

/* What may be done with a page, and how it is cached: which of IA32_PAT's entries it takes. */
#define PAGE_MAP_WRITE   (1u << 0)
#define PAGE_MAP_EXECUTE (1u << 1)
#define PAGE_MAP_USER    (1u << 2) /* by CPL 3; else by CPL 0 alone */
#define PAGE_MAP_GLOBAL  (1u << 3) /* its translation outlives a write to CR3, with CR4.PGE */
#define PAGE_MAP_PAT(i)  ((uint32_t)(i) << 4)

struct page_map {
    uint64_t *table; /* the top one first; PAGE_BYTES each, aligned to that */
    uint32_t tables;
    uint32_t used;
    uint32_t levels; /* 4, or 5 with CR4.LA57 */
    bool giant;      /* pages of 1 GiB exist: CPUID.80000001H:EDX[26] */
    bool no_execute; /* IA32_EFER.NXE is set */
};

/* Takes map->tables tables at map->table, at least one; whatever was in them is gone. */
void page_map_start(struct page_map *map);

/*
 * Maps what the top table `top` maps, with the tables below it shared: for CPL 0 alone, read-only
 * and, with NXE, not executable. Before anything else is mapped. False: out of tables.
 */
bool page_map_share(struct page_map *map, const uint64_t *top);

/*
 * Opens pages among the shared ones again: for writes with PAGE_MAP_WRITE, else for execution. The
 * tables above them are copied, and large pages taken apart. Any addresses; all of the pages that
 * they are in. False: one is not mapped, or the tables are used up.
 */
bool page_map_open(struct page_map *map, uint64_t linear, uint64_t bytes, uint32_t rights);

/*
 * Maps `bytes` at `linear`, within PAGE_MAP_BYTES from PAGE_MAP_BASE, to `physical`, in pages of
 * page_bytes or, with 0, in the largest ones that have no other byte in them. All three are
 * multiples of the page size. False: they are not, or the tables are used up; some pages may be
 * mapped then.
 */
bool page_map_add(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes,
                  uint32_t rights, uint32_t page_bytes);

/*
 * Tables that are enough for one page_map_add() with those bytes in such pages, where both
 * addresses leave the same remainder by 1 GiB; for one page_map_open(); and for page_map_share().
 */
uint32_t page_map_tables(uint64_t bytes, uint32_t page_bytes);
uint32_t page_map_open_tables(uint64_t bytes);
#define PAGE_MAP_SHARE_TABLES 2u

/*
 * What page tables say of an address, before it is touched. Intel SDM vol. 3A "4-Level Paging and
 * 5-Level Paging"; the same on AMD. Pure: an address in a table is a physical address, as it is
 * under UEFI.
 *
 * Whether the tables from `top` on, 4 or 5 levels of them, map the page of an address to itself,
 * for reads and writes by CPL 0. Then *first is its first byte and *last its last one.
 */
bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last);

#endif
