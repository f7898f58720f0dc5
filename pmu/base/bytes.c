/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes CRC-32, a byte at a time. */
#include "pmu/base/bytes.h"

#define POLYNOMIAL_REFLECTED 0xedb88320u /* 04C11DB7h with its bits reversed */

static uint32_t remainders[256]; /* computed, because a constant table would enlarge the image */

static void fill_remainders(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL_REFLECTED : 0);
        remainders[byte] = crc;
    }
}

uint32_t crc32_ieee(uint32_t before, const void *bytes, size_t count)
{
    const uint8_t *at = bytes, *const end = at + count;
    uint32_t crc = ~before;

    if (remainders[1] == 0)
        fill_remainders();
    while (at < end)
        crc = crc >> 8 ^ remainders[(uint8_t)crc ^ *at++];
    return ~crc;
}
