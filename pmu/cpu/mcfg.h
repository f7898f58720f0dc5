/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where PCI configuration space is mapped into memory: the table MCFG (PCI Firmware Specification
 * 3.3, section 4.1.2 "MCFG Table Description").
 */
#ifndef BARECOUNT_PMU_CPU_MCFG_H
#define BARECOUNT_PMU_CPU_MCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MCFG_RANGES_MAX 32u /* more are left out */

/* Buses of one segment. */
struct mcfg_range {
    uint64_t base; /* of bus 0, whether it is in the range or not */
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

struct mcfg {
    uint32_t ranges;
    struct mcfg_range range[MCFG_RANGES_MAX];
};

/*
 * Reads a table of which `bytes` are there. False, and nothing is known, when it is no MCFG, is
 * longer than that, or its checksum is wrong. A range that ends before it begins, or whose base is
 * 0 or no multiple of a bus, is left out.
 */
bool mcfg_read(const uint8_t *table, size_t bytes, struct mcfg *mcfg);

/*
 * The address of a register: segment << 28 | bus << 20 | device << 15 | function << 12 | offset.
 * False: the table has no such bus.
 */
bool mcfg_address(const struct mcfg *mcfg, uint64_t where, uint64_t *address);

#endif
