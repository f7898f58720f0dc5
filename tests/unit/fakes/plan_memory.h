/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for the errors of one plan at a time. A new block replaces the oldest of 12 blocks. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_PLAN_MEMORY_H
#define BARECOUNT_TESTS_UNIT_FAKES_PLAN_MEMORY_H

#include <stdlib.h>

static inline void *plan_memory(size_t bytes)
{
    enum { BLOCKS = 12 }; /* sizes double, from 16 errors to more than a test needs */
    static void *block[BLOCKS];
    static unsigned next;

    free(block[next]);
    block[next] = calloc(1, bytes);
    next = (next + 1) % BLOCKS;
    return block[(next + BLOCKS - 1) % BLOCKS];
}

#endif
