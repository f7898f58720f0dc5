/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads little-endian numbers in firmware tables, and computes the CRC-32 checksum. */
#ifndef BARECOUNT_PMU_BASE_BYTES_H
#define BARECOUNT_PMU_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Reads a little-endian number of at most 8 bytes. */
static inline uint64_t bytes_get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes > 0)
        value = value << 8 | at[--bytes];
    return value;
}

/*
 * CRC-32 of IEEE 802.3 (polynomial 04C11DB7h, reflected), the same as zlib's crc32(). `before` is
 * the CRC of the preceding bytes, or 0 if there are none.
 */
uint32_t crc32_ieee(uint32_t before, const void *bytes, size_t count);

#endif
