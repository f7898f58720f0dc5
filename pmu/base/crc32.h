/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 of IEEE 802.3 (polynomial 04C11DB7h, reflected), as zlib's crc32() gives it. */
#ifndef BARECOUNT_PMU_BASE_CRC32_H
#define BARECOUNT_PMU_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what came before (0 at first) continued over `count` bytes. */
uint32_t crc32_ieee(uint32_t before, const void *bytes, size_t count);

#endif
