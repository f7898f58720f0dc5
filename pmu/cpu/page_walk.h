/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What page tables say of an address, before it is touched. Intel SDM vol. 3A "4-Level Paging and
 * 5-Level Paging"; the same on AMD. Pure: an address in a table is a physical address, as it is
 * under UEFI.
 */
#ifndef BARECOUNT_PMU_CPU_PAGE_WALK_H
#define BARECOUNT_PMU_CPU_PAGE_WALK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the tables from `top` on, 4 or 5 levels of them, map the page of an address to itself,
 * for reads and writes by CPL 0. Then *first is its first byte and *last its last one.
 */
bool page_walk_same(const uint64_t *top, unsigned levels, uint64_t address, uint64_t *first,
                    uint64_t *last);

#endif
