/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes CRC-32, eight bytes at a time. */
#include "pmu/base/bytes.h"

#define POLYNOMIAL_REFLECTED 0xedb88320u /* 04C11DB7h with its bits reversed */
#define STEP_BYTES           8u

/* [i][b]: the remainder of byte b followed by i zero bytes. Computed, to keep the image small. */
static uint32_t remainders[STEP_BYTES][256];

static void fill_remainders(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL_REFLECTED : 0);
        remainders[0][byte] = crc;
    }
    for (unsigned i = 1; i < STEP_BYTES; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint32_t before = remainders[i - 1][byte];

            remainders[i][byte] = before >> 8 ^ remainders[0][before & 255];
        }
}

uint32_t crc32_ieee(uint32_t before, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint32_t crc = ~before;

    if (remainders[0][1] == 0)
        fill_remainders();
    for (; count >= STEP_BYTES; count -= STEP_BYTES, at += STEP_BYTES) {
        uint64_t step = bytes_get(at, STEP_BYTES) ^ crc;

        crc = 0;
        for (unsigned i = 0; i < STEP_BYTES; i++)
            crc ^= remainders[STEP_BYTES - 1 - i][step >> 8 * i & 255];
    }
    for (; count > 0; count--)
        crc = crc >> 8 ^ remainders[0][(crc ^ *at++) & 255];
    return ~crc;
}
