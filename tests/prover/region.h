/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that detects stray accesses, with an inaccessible page at each end. Host only.
 *
 * The kernel may use the part `own`, which is surrounded by fill bytes.
 */
#ifndef BARECOUNT_TESTS_PROVER_REGION_H
#define BARECOUNT_TESTS_PROVER_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE 4096u

struct region {
    uint8_t *start; /* the first inaccessible page */
    size_t bytes;
    uint8_t *own;
    size_t own_bytes;
};

/*
 * Zeroes `own`, and writes fill bytes around it. If `align` is less than a page, `own` is aligned
 * to `align` but to no larger power of two. Such an `own` detects kernels that need a larger
 * alignment than they declare. `sharing` is MAP_SHARED if this process must see what child
 * processes write, otherwise MAP_PRIVATE. Returns false if out of memory. region_close() is
 * required even after a failure.
 */
bool region_open(struct region *region, size_t own_bytes, size_t align, int sharing);

/* Does nothing if all fields of the region are 0, as before region_open(). */
void region_close(struct region *region);

/* Whether the fill bytes around `own` are intact. */
bool is_untouched_around(const struct region *region);

#endif
