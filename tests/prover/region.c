/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes guarded memory regions. */
#include "tests/prover/region.h"

#include <string.h>
#include <sys/mman.h>

#define FILL 0xa5

bool region_open(struct region *region, size_t own_bytes, size_t align, int sharing)
{
    size_t lead = align < PAGE ? align : 0;
    size_t spare = align > PAGE ? align : PAGE;
    uintptr_t own;

    region->bytes = 2 * PAGE + spare + (own_bytes + lead + PAGE) / PAGE * PAGE;
    region->start = mmap(NULL, region->bytes, PROT_NONE, sharing | MAP_ANONYMOUS, -1, 0);
    if (region->start == MAP_FAILED)
        return false;
    if (mprotect(region->start + PAGE, region->bytes - 2 * PAGE, PROT_READ | PROT_WRITE) != 0)
        return false;
    memset(region->start + PAGE, FILL, region->bytes - 2 * PAGE);
    own = (uintptr_t)region->start + PAGE;
    own += align > PAGE ? -own % align : lead;
    region->own = (uint8_t *)own;
    region->own_bytes = own_bytes;
    memset(region->own, 0, own_bytes);
    return true;
}

void region_close(struct region *region)
{
    if (region->start != NULL && region->start != MAP_FAILED)
        munmap(region->start, region->bytes);
}

bool is_untouched_around(const struct region *region)
{
    const uint8_t *end = region->start + region->bytes - PAGE;

    for (const uint8_t *at = region->start + PAGE; at < end; at++) {
        bool own = at >= region->own && at < region->own + region->own_bytes;
        if (!own && *at != FILL)
            return false;
    }
    return true;
}
