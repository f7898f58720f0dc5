/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers and CRC-32. */
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
 * CRC-32 of IEEE 802.3, as in zlib's crc32(). `before` is the CRC of the preceding bytes; 0: none.
 * The first call fills a table, so only one CPU may call it.
 */
uint32_t crc32_ieee(uint32_t before, const void *bytes, size_t count);

#endif
