/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the ACPI MCFG. */
#include "pmu/base/bytes.h"
#include "pmu/cpu/mcfg.h"

#define SIGNATURE_MCFG 0x4746434du
#define AT_LENGTH      4u
#define AT_RANGES      44u
#define RANGE_BYTES    16u
#define BUS_SHIFT      20 /* 1 MiB per bus */
#define SEGMENT_SHIFT  28
#define BUSES          256u

static bool is_right(const uint8_t *table, size_t bytes)
{
    uint8_t sum = 0;
    uint64_t length;

    if (bytes < AT_RANGES || bytes_get(table, 4) != SIGNATURE_MCFG)
        return false;
    length = bytes_get(table + AT_LENGTH, 4);
    if (length < AT_RANGES || length > bytes)
        return false;
    for (uint64_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + table[i]);
    return sum == 0;
}

/* The configuration space of 256 buses, which begins at the base, must end below 2^64. */
static bool is_usable(const struct mcfg_range *range)
{
    const uint64_t space = (uint64_t)BUSES << BUS_SHIFT;

    return range->base != 0 && range->base % (1ull << BUS_SHIFT) == 0 &&
           range->base <= UINT64_MAX - space && range->first_bus <= range->last_bus;
}

bool mcfg_read(const uint8_t *table, size_t bytes, struct mcfg *mcfg)
{
    uint64_t length;

    mcfg->ranges = 0;
    if (!is_right(table, bytes))
        return false;
    length = bytes_get(table + AT_LENGTH, 4);
    for (uint64_t at = AT_RANGES; at + RANGE_BYTES <= length && mcfg->ranges < MCFG_RANGES_MAX;
         at += RANGE_BYTES) {
        struct mcfg_range *range = &mcfg->range[mcfg->ranges];

        *range = (struct mcfg_range){.base = bytes_get(table + at, 8),
                                     .segment = (uint16_t)bytes_get(table + at + 8, 2),
                                     .first_bus = table[at + 10],
                                     .last_bus = table[at + 11]};
        mcfg->ranges += is_usable(range);
    }
    return true;
}

bool mcfg_address(const struct mcfg *mcfg, uint64_t where, uint64_t *address)
{
    const uint64_t segment = where >> SEGMENT_SHIFT, bus = where >> BUS_SHIFT & (BUSES - 1);

    for (uint32_t i = 0; i < mcfg->ranges; i++) {
        const struct mcfg_range *range = &mcfg->range[i];

        if (range->segment != segment || bus < range->first_bus || bus > range->last_bus)
            continue;
        *address = range->base + (where & ((1ull << SEGMENT_SHIFT) - 1));
        return true;
    }
    return false;
}
