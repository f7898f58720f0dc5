/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that shows who strays: a page of no access at both ends, and a fill around what a kernel
 * may call its own.
 *
 * Host only.
 */
#ifndef BARECOUNT_TESTS_PROVER_REGION_H
#define BARECOUNT_TESTS_PROVER_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE 4096u

struct region {
    uint8_t *start; /* of the first page of no access */
    size_t bytes;
    uint8_t *own;
    size_t own_bytes;
};

/*
 * Zeroes what is the kernel's own, and fills what is beside it. Below a page, `own` is aligned to
 * `align` and to no more, so that a kernel that needs more than it says is seen. `sharing` is
 * MAP_SHARED or MAP_PRIVATE, towards children. False without memory; close it even then.
 */
bool region_open(struct region *region, size_t own_bytes, size_t align, int sharing);

/* Also of a region that is all zero: never opened. */
void region_close(struct region *region);

/* Whether the fill around what is the kernel's own is still there. */
bool is_untouched_around(const struct region *region);

#endif
