/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables for a kernel: a few pages of its own, plus an existing address space that it may
 * neither write nor execute. Intel SDM vol. 3A "4-Level Paging and 5-Level Paging"; the same on
 * AMD.
 *
 * Pure: the caller provides the memory for tables, and the physical addresses in them are used as
 * pointers, as under UEFI. No mapped memory is read except tables, by page_map_open().
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
 * Where the kernel's pages are, with 4 or 5 levels: 512 GiB at 127.5 TiB, the end of the lower half
 * with 4 levels. These pages replace what is mapped there; no machine has memory at these
 * addresses.
 */
#define PAGE_MAP_BASE  0x7f8000000000ull
#define PAGE_MAP_BYTES (1ull << 39)

/* Rights and caching of a page; PAGE_MAP_PAT(i) selects an entry of IA32_PAT. */
#define PAGE_MAP_WRITE   (1u << 0)
#define PAGE_MAP_EXECUTE (1u << 1)
#define PAGE_MAP_USER    (1u << 2) /* accessible at CPL 3; else only at CPL 0 */
#define PAGE_MAP_GLOBAL  (1u << 3) /* with CR4.PGE, its translation survives a write to CR3 */
#define PAGE_MAP_PAT(i)  ((uint32_t)(i) << 4)

struct page_map {
    uint64_t *table; /* PAGE_BYTES each and aligned to that, the top one first */
    uint32_t tables;
    uint32_t used;
    uint32_t levels; /* 4, or 5 with CR4.LA57 */
    bool giant;      /* pages of 1 GiB exist: CPUID.80000001H:EDX[26] */
    bool no_execute; /* IA32_EFER.NXE is set */
};

/* Starts with map->tables tables, at least one, at map->table, and overwrites their contents. */
void page_map_start(struct page_map *map);

/*
 * Maps everything that `top` maps by sharing the tables below it: for CPL 0 only, read-only and,
 * with NXE, not executable. Must come first. False if out of tables.
 */
bool page_map_share(struct page_map *map, const uint64_t *top);

/*
 * Makes shared pages accessible again: writable with PAGE_MAP_WRITE, else executable. Copies the
 * tables above these pages and splits large pages. The addresses are rounded out to whole pages.
 * False if a page is not mapped, or out of tables.
 */
bool page_map_open(struct page_map *map, uint64_t linear, uint64_t bytes, uint32_t rights);

/*
 * Maps `bytes` at `linear`, within PAGE_MAP_BYTES from PAGE_MAP_BASE, to `physical`, in pages of
 * page_bytes or, if that is 0, the largest that fit. The first three are multiples of the page
 * size. False if they are not, or out of tables; some pages may be mapped even so.
 */
bool page_map_add(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes,
                  uint32_t rights, uint32_t page_bytes);

/*
 * Tables that suffice for one page_map_add() of these sizes, if both addresses are congruent modulo
 * 1 GiB; for one page_map_open(); and for page_map_share().
 */
uint32_t page_map_tables(uint64_t bytes, uint32_t page_bytes);
uint32_t page_map_open_tables(uint64_t bytes);
#define PAGE_MAP_SHARE_TABLES 2u

/*
 * Whether page tables, 4 or 5 levels from `top` on, identity-map the page of an address for reads
 * and writes at CPL 0. Then *first is the page's first byte and *last its last one. Reads only the
 * tables, not the address. Pure, as above.
 */
bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last);

#endif
