/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables for a kernel. They map the kernel's own pages in the range at PAGE_MAP_BASE and, at
 * all other addresses, what the existing page tables map there. At those other addresses, the
 * kernel may neither write nor, with NXE, execute, except where page_map_open() permits it. See the
 * Intel SDM vol. 3A "4-Level Paging and 5-Level Paging"; AMD's CPUs work the same way.
 *
 * The functions below access only the existing tables and the memory that the caller provides for
 * tables. They use physical addresses in tables as pointers, which UEFI's identity mapping permits.
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
 * The kernel's own pages are in the 512 GiB that start at 127.5 TiB. With 4-level paging, this
 * range is the end of the lower half of the address space. The kernel's pages hide whatever the
 * existing page tables map in this range, but no known machine has memory at these addresses.
 */
#define PAGE_MAP_BASE  0x7f8000000000ull
#define PAGE_MAP_BYTES (1ull << 39)

/* Rights and caching of a page; PAGE_MAP_PAT(i) selects an entry of IA32_PAT. */
#define PAGE_MAP_WRITE   (1u << 0)
#define PAGE_MAP_EXECUTE (1u << 1)
#define PAGE_MAP_USER    (1u << 2) /* accessible at CPL 3 too */
#define PAGE_MAP_GLOBAL  (1u << 3) /* with CR4.PGE, writes to CR3 keep the page's translation */
#define PAGE_MAP_PAT(i)  ((uint32_t)(i) << 4)

struct page_map {
    uint64_t *table; /* the tables, each PAGE_BYTES long and aligned; the first is the top level */
    uint32_t tables;
    uint32_t used;
    uint32_t levels; /* 4, or 5 with CR4.LA57 */
    bool giant;      /* pages of 1 GiB exist: CPUID.80000001H:EDX[26] */
    bool no_execute; /* IA32_EFER.NXE is set */
};

/*
 * Makes an empty map. map->table points to room for map->tables tables, at least one, whose
 * contents are overwritten.
 */
void page_map_start(struct page_map *map);

/*
 * Maps everything that the table `top` maps outside the range at PAGE_MAP_BASE, and shares the
 * tables below `top`. The mapping is for CPL 0 only, read-only and, with NXE, not executable. Must
 * be called before other pages are mapped. False if no table is left.
 */
bool page_map_share(struct page_map *map, const uint64_t *top);

/*
 * Makes shared pages writable if `rights` contains PAGE_MAP_WRITE, else executable. Copies the
 * tables above these pages and splits large pages. The range is extended to whole pages. False if a
 * page is not mapped or no table is left.
 */
bool page_map_open(struct page_map *map, uint64_t linear, uint64_t bytes, uint32_t rights);

/*
 * Maps `bytes` bytes at `linear` to `physical`, in pages of page_bytes or, if page_bytes is 0, in
 * the largest pages that fit. The range must be within the PAGE_MAP_BYTES that start at
 * PAGE_MAP_BASE. `bytes`, `linear` and `physical` must be multiples of the page size (4 KiB if
 * page_bytes is 0), and `physical` must be below 2^52. False if one of these conditions is not met,
 * the CPU lacks pages of page_bytes, or no table is left; some pages may then be mapped already.
 */
bool page_map_add(struct page_map *map, uint64_t linear, uint64_t physical, uint64_t bytes,
                  uint32_t rights, uint32_t page_bytes);

/*
 * The numbers of tables that suffice for one call of page_map_add(), page_map_open() and
 * page_map_share(). The number for page_map_add() suffices only if `linear` and `physical` are
 * congruent modulo 1 GiB.
 */
uint32_t page_map_tables(uint64_t bytes, uint32_t page_bytes);
uint32_t page_map_open_tables(uint64_t bytes);
#define PAGE_MAP_SHARE_TABLES 2u

/*
 * Whether the page tables that start at `top`, with 4 or 5 levels, identity-map the page of an
 * address so that CPL 0 can read and write it. *first and *last get the addresses of the page's
 * first and last byte; they are valid only if the result is true. Reads only the tables, not the
 * page.
 */
bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last);

#endif
