/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in the firmware's tables: the low byte first, at any address. */
#ifndef BARECOUNT_PMU_BASE_BYTES_H
#define BARECOUNT_PMU_BASE_BYTES_H

#include <stdint.h>

/* Of 8 bytes at the most. */
static inline uint64_t bytes_get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes > 0)
        value = value << 8 | at[--bytes];
    return value;
}

#endif
