/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ACPI table MCFG: where PCI configuration space is mapped (PCI Firmware Specification 3.3,
 * section 4.1.2 "MCFG Table Description").
 */
#ifndef BARECOUNT_PMU_CPU_MCFG_H
#define BARECOUNT_PMU_CPU_MCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MCFG_RANGES_MAX 32u /* further ranges are ignored */

/* Consecutive buses of a segment. */
struct mcfg_range {
    uint64_t base; /* address of bus 0, even if first_bus is not 0 */
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

struct mcfg {
    uint32_t ranges;
    struct mcfg_range range[MCFG_RANGES_MAX];
};

/*
 * Reads a table. If the table is not a valid MCFG, returns false and leaves *mcfg empty. Ignores
 * unusable ranges.
 */
bool mcfg_read(const uint8_t *table, size_t bytes, struct mcfg *mcfg);

/*
 * The address of a register. `where` is segment << 28 | bus << 20 | device << 15 | function << 12 |
 * offset. False if no range contains the bus.
 */
bool mcfg_address(const struct mcfg *mcfg, uint64_t where, uint64_t *address);

#endif
