/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes: numbers in the firmware's tables, and the checksum of a piece of memory. */
#ifndef BARECOUNT_PMU_BASE_BYTES_H
#define BARECOUNT_PMU_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Of 8 bytes at the most. */
static inline uint64_t bytes_get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes > 0)
        value = value << 8 | at[--bytes];
    return value;
}

/*
 * CRC-32 of IEEE 802.3 (polynomial 04C11DB7h, reflected), as zlib's crc32() gives it: that of what
 * came before (0 at first), continued over `count` bytes.
 */
uint32_t crc32_ieee(uint32_t before, const void *bytes, size_t count);

#endif
