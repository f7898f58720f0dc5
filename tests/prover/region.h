/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that detects stray accesses: it has an inaccessible page at both ends, and fill bytes
 * around the kernel's own part.
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
    uint8_t *start; /* the first inaccessible page */
    size_t bytes;
    uint8_t *own;
    size_t own_bytes;
};

/*
 * Zeroes the kernel's own part and fills the rest. If `align` is less than a page, `own` is aligned
 * to exactly that, and no more, to detect kernels that need more than they declare. `sharing` is
 * MAP_SHARED if the writes of child processes are to be seen, otherwise MAP_PRIVATE. Returns false
 * if out of memory; region_close() is required even then.
 */
bool region_open(struct region *region, size_t own_bytes, size_t align, int sharing);

/* A region that was never opened must be all zero. */
void region_close(struct region *region);

/* Whether the fill around the kernel's own part is intact. */
bool is_untouched_around(const struct region *region);

#endif
