/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Sapphire Rapids with two packages, simulated by fakes/pci.h, with numbers from the manual. The
 * first package has a discovery table.
 */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_DISCOVERY_H
#define BARECOUNT_TESTS_UNIT_FAKES_DISCOVERY_H

#include "tests/unit/fakes/pci.h"

#define SAPPHIRE 0x8fu
#define GRANITE  0xadu
#define TABLE    0x210000000ull
#define MEMORY   0x220000000ull /* the memory controllers' registers */
#define QWORDS   4u             /* quadwords in an entry; three are used */
#define UNITS    20u
#define DVSEC    0x140u
#define BUS      2u /* the package's last bus */

#define UNIT(counters, select, width, counter, access)                                             \
    ((counters) | (select) << 8 | (width) << 16 | (counter) << 24 | (uint64_t)(access) << 62)
enum { MSR, MMIO, PCI };

static uint64_t discovery;

static inline uint64_t entry(unsigned unit)
{
    return TABLE + 8 * QWORDS * (unit + 1);
}

static inline void add_unit(unsigned unit, uint64_t layout, uint64_t control, unsigned type,
                            unsigned id)
{
    fake_set(SPACE_MMIO, entry(unit), layout);
    fake_set(SPACE_MMIO, entry(unit) + 8, control);
    fake_set(SPACE_MMIO, entry(unit) + 16, type | (uint64_t)id << 16);
}

static inline void add_ubox(unsigned bus, unsigned node)
{
    uint64_t ubox = fake_device(bus, 0, 0, 0x3250);

    fake_set(SPACE_PCI, ubox + 0xc0, node);
    fake_set(SPACE_PCI, ubox + 0xd4, 0x00fac688);
}

/*
 * The first extended capability is vendor-specific, but not PMON discovery. The second is PMON
 * discovery, and its BIR of 2 selects a 64-bit BAR.
 */
static inline void add_device(unsigned bus, uint64_t table)
{
    discovery = fake_device(bus, 3, 1, 0x09a7);
    fake_set(SPACE_PCI, fake_device(bus, 3, 0, 0x09a6) + 0x0c, 0x00800000);
    fake_set(SPACE_PCI, discovery + 0x04, 2);
    fake_set(SPACE_PCI, discovery + 0x18, (table & UINT32_MAX) | 0xc);
    fake_set(SPACE_PCI, discovery + 0x1c, table >> 32);
    fake_set(SPACE_PCI, discovery + 0x100, 0x14010023);
    fake_set(SPACE_PCI, discovery + 0x104, 0x01000000 | 0x8086);
    fake_set(SPACE_PCI, discovery + 0x108, 2);
    fake_set(SPACE_PCI, discovery + DVSEC, 0x00010023);
    fake_set(SPACE_PCI, discovery + DVSEC + 4, 0x01000000 | 0x8086);
    fake_set(SPACE_PCI, discovery + DVSEC + 8, 1);
    fake_set(SPACE_PCI, discovery + DVSEC + 12, 2);
}

static inline void start(void)
{
    fake_start();
    fake.msr_from = 0x2000;
    add_ubox(BUS, 0);
    add_ubox(0xfe, 1);
    add_device(BUS, TABLE);
    fake_device(BUS, 12, 0, 0x324a);
    fake_device(BUS, 1, 0, 0x3241);
    fake_region(SPACE_MSR, 0x2000, 0x2000 + 0x10 * 6, 0);
    fake_region(SPACE_MSR, 0x3000, 0x3000 + 0x10 * 2, 0);
    fake_region(SPACE_MMIO, TABLE, entry(UNITS), 0);
    fake_set(SPACE_MMIO, TABLE, QWORDS << 8 | UNITS << 16);
    fake_set(SPACE_MMIO, TABLE + 8, 0x2ff0);
    for (unsigned i = 0; i < 6; i++)
        add_unit(i, UNIT(4u, 2u, 48u, 8u, MSR), 0x2000 + 0x10 * i, 0, i);
    for (unsigned i = 0; i < 4; i++) {
        fake_region(SPACE_MMIO, MEMORY + 0x8000 * i, MEMORY + 0x8000 * i + 0x60, 0);
        add_unit(7 + i, UNIT(4u, 0x40u, 48u, 8u, MMIO), MEMORY + 0x8000 * i, 6, i);
    }
    for (unsigned i = 0; i < 2; i++)
        add_unit(12 + i, UNIT(4u, 2u, 36u, 8u, MSR), 0x3000 + 0x10 * i, 1, i);
    add_unit(15, UNIT(4u, 0x30u, 48u, 8u, PCI), 0x260438, 7, 0);
    add_unit(16, UNIT(4u, 0x38u, 48u, 8u, PCI), 0x208318, 8, 0);
    add_unit(17, UNIT(2u, 2u, 48u, 8u, MSR), 0x2fd0, 20, 0); /* an unknown type */
    for (unsigned i = 0; i < 3; i++)
        fake_set(SPACE_MMIO, entry(18) + 8 * i, UINT64_MAX);
}

#endif
