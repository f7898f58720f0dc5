/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a firmware table from numbers, and sets its ACPI checksum. */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_FIRMWARE_TABLE_H
#define BARECOUNT_TESTS_UNIT_FAKES_FIRMWARE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint8_t table[4096];
static size_t used;

static inline void put(uint64_t value, unsigned bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        table[used++] = (uint8_t)value;
}

static inline void put_head(const char signature[4], size_t head_bytes)
{
    memset(table, 0, sizeof(table));
    memcpy(table, signature, 4);
    used = head_bytes;
}

static inline void seal(uint8_t *at, size_t size)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < 4; i++)
        at[4 + i] = (uint8_t)(size >> 8 * i);
    at[9] = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + at[i]);
    at[9] = (uint8_t)-sum;
}

#endif
