/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables for a kernel (Intel SDM vol. 3A "4-Level Paging and 5-Level Paging"). The tables map
 * the kernel's own pages at PAGE_MAP_BASE, and map all other addresses as the existing tables do.
 * At these other addresses, the kernel may not write or, with NXE, execute code, except in pages
 * opened by page_map_open().
 *
 * Functions return false if no table is left. Physical addresses in tables serve as pointers, which
 * UEFI's identity mapping permits.
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
 * The range from 127.5 TiB on is the last 512 GiB of the lower half with 4-level paging. No known
 * machine has memory there.
 */
#define PAGE_MAP_BASE  0x7f8000000000ull
#define PAGE_MAP_BYTES (1ull << 39)

/* PAGE_MAP_PAT(i) selects an entry of IA32_PAT. */
#define PAGE_MAP_WRITE   (1u << 0)
#define PAGE_MAP_EXECUTE (1u << 1)
#define PAGE_MAP_USER    (1u << 2) /* also at CPL 3 */
#define PAGE_MAP_GLOBAL  (1u << 3) /* with CR4.PGE, survives writes to CR3 */
#define PAGE_MAP_PAT(i)  ((uint32_t)(i) << 4)

struct page_map {
    uint64_t *table; /* each is PAGE_BYTES long and aligned; table 0 is the top level */
    uint32_t tables;
    uint32_t used;
    uint32_t levels; /* 4, or 5 with CR4.LA57 */
    bool giant;      /* pages of 1 GiB: CPUID.80000001H:EDX[26] */
    bool no_execute; /* IA32_EFER.NXE */
};

/* Makes an empty map. map->table has room for map->tables tables, at least one. */
void page_map_start(struct page_map *map);

/*
 * Outside the range at PAGE_MAP_BASE, maps the same pages as `top`, but only for CPL 0, read-only
 * and, with NXE, not executable. Must be called first.
 */
bool page_map_share(struct page_map *map, const uint64_t *top);

/*
 * Makes whole shared pages writable (PAGE_MAP_WRITE in `rights`) or executable, and splits large
 * pages. False if a page is not mapped.
 */
bool page_map_open(struct page_map *map, uint64_t linear, uint64_t bytes, uint32_t rights);

/*
 * Maps `linear` to `physical` in pages of page_bytes or, if page_bytes is 0, in the largest pages
 * that fit. `linear`, `physical` and `bytes` must be multiples of the page size (at least 4 KiB).
 * The range must be within PAGE_MAP_BYTES from PAGE_MAP_BASE on, and `physical` below 2^52. Returns
 * false if one of these conditions is not met, if the CPU lacks pages of page_bytes, or if no table
 * is left; some pages may be mapped even then.
 */
bool page_map_add(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes,
                  uint32_t rights, uint32_t page_bytes);

/*
 * How many tables suffice for one call of page_map_add(), page_map_open() or page_map_share(). For
 * page_map_add(), this number suffices only if `linear` and `physical` are congruent modulo 1 GiB.
 */
uint32_t page_map_tables(uint64_t bytes, uint32_t page_bytes);
uint32_t page_map_open_tables(uint64_t bytes);
#define PAGE_MAP_SHARE_TABLES 2u

/*
 * Whether the tables at `top` identity-map an address, readable and writable at CPL 0. If the
 * result is true, *first and *last are the page's first and last byte.
 */
bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last);

#endif
