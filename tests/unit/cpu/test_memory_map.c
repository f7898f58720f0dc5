/* SPDX-License-Identifier: BSD-2-Clause */
/* Which addresses may be device registers, according to the memory map and the MTRRs. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/cpu/memory_map.h"

/* UEFI's EFI_MEMORY_TYPE, and EFI_MEMORY_DESCRIPTOR with EDK II's size of 48 bytes. */
enum {
    RESERVED,
    LOADER_CODE,
    LOADER_DATA,
    BOOT_CODE,
    BOOT_DATA,
    RUNTIME_CODE,
    RUNTIME_DATA,
    CONVENTIONAL,
    UNUSABLE,
    ACPI_RECLAIM,
    ACPI_NVS,
    MMIO,
    MMIO_PORT,
    PAL_CODE,
    PERSISTENT,
    UNACCEPTED,
    TYPES
};
struct descriptor {
    uint32_t type, padding;
    uint64_t start, virtual, pages, attributes, more;
};
_Static_assert(sizeof(struct descriptor) == 48, "as EDK II has it");

#define RANGES 4
#define GIB    (1ull << 30)
#define AT     0xfedc0000ull

static struct descriptor map[RANGES];
static struct memory_guard guard;

static void start(uint32_t type, uint64_t first, uint64_t pages)
{
    memset(map, 0xff, sizeof(map));
    map[0] = (struct descriptor){.type = CONVENTIONAL, .start = 8 * GIB, .pages = 16};
    map[1] = (struct descriptor){.type = LOADER_DATA, .start = GIB, .pages = 512};
    map[2] = (struct descriptor){.type = CONVENTIONAL, .start = AT, .pages = 0};
    map[3] = (struct descriptor){.type = type, .start = first, .pages = pages};
    guard = (struct memory_guard){.map = {(const uint8_t *)map, sizeof(map), sizeof(map[0])},
                                  .first = 1};
}

TEST(each_type)
{
    for (uint32_t type = 0; type < TYPES; type++) {
        start(type, AT, 1);
        assert_int_equal(memory_guard_passes(&guard, AT + 8, 4),
                         type == RESERVED || type == MMIO || type == MMIO_PORT);
    }
    start(0x70000000, AT, 1); /* OEM reserved */
    assert_false(memory_guard_passes(&guard, AT, 4));
    start(0x80000000, AT, 1); /* OS loader reserved */
    assert_false(memory_guard_passes(&guard, AT, 4));
}

TEST(each_end_of_a_range)
{
    start(CONVENTIONAL, AT, 2);
    assert_true(memory_guard_passes(&guard, AT - 8, 8));
    assert_false(memory_guard_passes(&guard, AT - 4, 8));
    assert_false(memory_guard_passes(&guard, AT, 4));
    assert_false(memory_guard_passes(&guard, AT + 0x1ffc, 4));
    assert_false(memory_guard_passes(&guard, AT + 0x1ffc, 8));
    assert_true(memory_guard_passes(&guard, AT + 0x2000, 8));
    assert_false(memory_guard_passes(&guard, GIB, 4));
    assert_false(memory_guard_passes(&guard, GIB + (512 << 12) - 4, 4));
    assert_true(memory_guard_passes(&guard, GIB + (512 << 12), 4));
    assert_false(memory_guard_passes(&guard, 8 * GIB, 4));
    assert_true(memory_guard_passes(&guard, 8 * GIB + (16 << 12), 4));
    assert_true(memory_guard_passes(&guard, GIB - 4, 4));
}

TEST(a_hole_is_kept)
{
    start(BOOT_DATA, AT, 2);
    assert_true(memory_guard_passes(&guard, AT - 8, 8));
    assert_int_equal(guard.first, GIB + (512 << 12));
    assert_int_equal(guard.last, AT - 1);
    map[3].start = 2 * GIB;
    assert_true(memory_guard_passes(&guard, 2 * GIB, 8));
    map[3].start = AT;
    assert_false(memory_guard_passes(&guard, AT, 4));
    assert_false(memory_guard_passes(&guard, AT - 4, 8));
    assert_true(memory_guard_passes(&guard, 16 * GIB, 8));
    assert_int_equal(guard.first, 8 * GIB + (16 << 12));
    assert_int_equal(guard.last, UINT64_MAX);
}

TEST(ends_of_addresses)
{
    start(CONVENTIONAL, AT, UINT64_MAX);
    assert_false(memory_guard_passes(&guard, 1ull << 51, 4));
    start(CONVENTIONAL, AT, UINT64_MAX >> 12);
    assert_false(memory_guard_passes(&guard, 1ull << 51, 4));
    start(CONVENTIONAL, UINT64_MAX - 0xfff, 1);
    assert_false(memory_guard_passes(&guard, UINT64_MAX - 7, 8));
    assert_true(memory_guard_passes(&guard, UINT64_MAX - 0x1007, 8));
    start(MMIO, AT, 1);
    assert_false(memory_guard_passes(&guard, UINT64_MAX - 3, 8));
    assert_true(memory_guard_passes(&guard, 1u << 20, 4));
    assert_false(memory_guard_passes(&guard, (1u << 20) - 4, 4));
    assert_false(memory_guard_passes(&guard, 0, 4));
}

TEST(no_map)
{
    start(MMIO, AT, 1);
    guard.map = (struct memory_map){0};
    assert_false(memory_guard_passes(&guard, AT, 4));
    start(MMIO, AT, 1);
    guard.map.bytes = 47;
    assert_false(memory_guard_passes(&guard, AT, 4));
    start(MMIO, AT, 1);
    guard.map.each = 39;
    assert_false(memory_guard_passes(&guard, AT, 4));
    start(CONVENTIONAL, AT, 1);
    guard.map.bytes--;
    assert_true(memory_guard_passes(&guard, AT, 4));
}

/*
 * Intel SDM vol. 3A "MTRRs": type 6 is write-back, and type 0 is uncacheable. Bit 11 of
 * IA32_MTRR_DEF_TYPE enables the MTRRs, and bit 11 of a mask enables its range.
 */
TEST(write_back)
{
    const uint64_t mask = 0xfffffff0800ull; /* 64 KiB */

    start(RESERVED, AT, 16);
    guard.mtrrs =
        (struct mtrrs){.def_type = 1u << 11, .ranges = 1, .base = {AT + 6}, .mask = {mask}};
    assert_true(memory_guard_passes(&guard, AT, 4)); /* the MTRRs are unknown */
    guard.has_mtrrs = true;
    assert_false(memory_guard_passes(&guard, AT, 4));
    assert_false(memory_guard_passes(&guard, AT + 0xfff8, 8));
    assert_true(memory_guard_passes(&guard, AT + 0x10000, 8));
    guard.mtrrs.base[0] = AT;
    guard.mtrrs.def_type |= 6;
    assert_true(memory_guard_passes(&guard, AT, 4));
    assert_false(memory_guard_passes(&guard, AT + 0x10000, 8));
}
