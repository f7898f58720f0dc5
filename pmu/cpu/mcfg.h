/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the ACPI table MCFG, which says where PCI configuration space is mapped into memory (PCI
 * Firmware Specification 3.3, section 4.1.2 "MCFG Table Description").
 */
#ifndef BARECOUNT_PMU_CPU_MCFG_H
#define BARECOUNT_PMU_CPU_MCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MCFG_RANGES_MAX 32u /* further ranges are ignored */

/* Consecutive buses of one segment. */
struct mcfg_range {
    uint64_t base; /* the address of bus 0, even if bus 0 is not in the range */
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

struct mcfg {
    uint32_t ranges;
    struct mcfg_range range[MCFG_RANGES_MAX];
};

/*
 * Reads a table in a buffer of `bytes` bytes. If the table is not an MCFG, is too short or longer
 * than the buffer, or has a wrong checksum, returns false and leaves *mcfg empty. Ignores a range
 * whose first bus is above its last bus, or whose base is 0, too high or not a multiple of 1 MiB.
 */
bool mcfg_read(const uint8_t *table, size_t bytes, struct mcfg *mcfg);

/*
 * The address of a register. `where` is segment << 28 | bus << 20 | device << 15 | function << 12 |
 * offset. False if no range of the table contains the register's bus.
 */
bool mcfg_address(const struct mcfg *mcfg, uint64_t where, uint64_t *address);

#endif
