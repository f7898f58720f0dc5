/* SPDX-License-Identifier: BSD-2-Clause */
/* The ACPI table of PCI configuration space (MCFG): valid and damaged tables, and addresses. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/firmware_table.h"
#include "pmu/cpu/mcfg.h"

#define ECAM 0x80000000ull

static struct mcfg mcfg;

static void begin(void)
{
    put_head("MCFG", 44);
}

BEFORE_EACH(begin);

/* PCI Firmware Specification, table 4-3. */
static void range(uint64_t base, unsigned segment, unsigned first, unsigned last)
{
    put(base, 8);
    put(segment, 2);
    put(first, 1);
    put(last, 1);
    put(0, 4);
}

static uint64_t where(unsigned segment, unsigned bus, unsigned device, unsigned function,
                      unsigned offset)
{
    return (uint64_t)segment << 28 | bus << 20 | device << 15 | function << 12 | offset;
}

TEST(test_address)
{
    uint64_t address = 0;

    range(ECAM, 0, 0, 0x7f);
    range(0x3000000000, 1, 0x40, 0xff);
    seal(table, used);
    assert_true(mcfg_read(table, sizeof(table), &mcfg));
    assert_int_equal(mcfg.ranges, 2);
    assert_true(mcfg_address(&mcfg, where(0, 0x7f, 31, 7, 0xffc), &address));
    assert_int_equal(address, ECAM + 0x7f * 0x100000 + 31 * 0x8000 + 7 * 0x1000 + 0xffc);
    /* the base address is that of bus 0, not of the first bus */
    assert_true(mcfg_address(&mcfg, where(1, 0x40, 8, 0, 0), &address));
    assert_int_equal(address, 0x3000000000 + 0x40 * 0x100000 + 8 * 0x8000);
}

TEST(test_buses_that_are_not_there)
{
    uint64_t address = 1;

    range(ECAM, 0, 0x10, 0x20);
    seal(table, used);
    assert_true(mcfg_read(table, sizeof(table), &mcfg));
    assert_false(mcfg_address(&mcfg, where(0, 0x0f, 0, 0, 0), &address));
    assert_false(mcfg_address(&mcfg, where(0, 0x21, 0, 0, 0), &address));
    assert_false(mcfg_address(&mcfg, where(1, 0x10, 0, 0, 0), &address));
    assert_int_equal(address, 1);
}

TEST(test_ranges_that_cannot_be)
{
    uint64_t address;

    range(0, 0, 0, 0xff);
    range(ECAM, 0, 0x20, 0x10);
    range(ECAM + 0x1000, 0, 0, 0xff);
    range(UINT64_MAX - 0xfffff, 0, 0, 0xff);
    range(ECAM, 0, 0xff, 0xff);
    seal(table, used);
    assert_true(mcfg_read(table, sizeof(table), &mcfg));
    assert_int_equal(mcfg.ranges, 1);
    assert_false(mcfg_address(&mcfg, where(0, 0, 0, 0, 0), &address));
    assert_true(mcfg_address(&mcfg, where(0, 0xff, 0, 0, 0), &address));
}

TEST(test_tables_that_are_none)
{
    range(ECAM, 0, 0, 0xff);
    seal(table, used);
    assert_true(mcfg_read(table, used, &mcfg));
    assert_false(mcfg_read(table, used - 1, &mcfg));
    assert_int_equal(mcfg.ranges, 0);
    table[0] ^= 1;
    table[9] ^= 1;
    assert_false(mcfg_read(table, used, &mcfg));
    table[0] ^= 1;
    assert_false(mcfg_read(table, used, &mcfg));
    table[9] ^= 1;
    assert_true(mcfg_read(table, used, &mcfg));
}

TEST(test_ends)
{
    range(ECAM, 0, 0, 0xff);
    used -= 4;
    seal(table, used);
    assert_true(mcfg_read(table, used, &mcfg));
    assert_int_equal(mcfg.ranges, 0);
    begin();
    for (unsigned i = 0; i < MCFG_RANGES_MAX + 2; i++)
        range(ECAM, i, 0, 0xff);
    seal(table, used);
    assert_true(mcfg_read(table, used, &mcfg));
    assert_int_equal(mcfg.ranges, MCFG_RANGES_MAX);
}
