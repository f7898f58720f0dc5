/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether page tables map an address to itself. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/cpu/page_map.h"

#define ENTRIES 512
#define GIB     (1ull << 30)
#define MIB_2   (1ull << 21)
#define TABLE   3ull /* present, writable */
#define LARGE   0x80ull
#define ADDRESS 0x123456789000ull /* 36 << 39 | 209 << 30 | 179 << 21 | 393 << 12 */

static _Alignas(4096) uint64_t level[6][ENTRIES]; /* level[1]: pages of 4 KiB */
static uint64_t first, last;

static unsigned index_of(uint64_t address, unsigned number)
{
    return address >> (12 + 9 * (number - 1)) & 511;
}

/* The entry of level `lowest` is `page`. */
static void map(unsigned lowest, uint64_t page)
{
    memset(level, 0, sizeof(level));
    for (unsigned i = 5; i > lowest; i--)
        level[i][index_of(ADDRESS, i)] = (uint64_t)level[i - 1] | TABLE;
    level[lowest][index_of(ADDRESS, lowest)] = page;
}

static bool walk(unsigned levels, uint64_t address)
{
    first = last = 0;
    return page_walk_same(level[levels], levels, address, &first, &last);
}

TEST(test_pages_of_each_size)
{
    map(1, ADDRESS | TABLE);
    assert_true(walk(4, ADDRESS + 0xfff));
    assert_int_equal(first, ADDRESS);
    assert_int_equal(last, ADDRESS + 0xfff);
    assert_false(walk(4, ADDRESS + 0x1000));
    map(2, (ADDRESS & ~(MIB_2 - 1)) | LARGE | TABLE | 1ull << 12 | 1ull << 63); /* PAT, XD */
    assert_true(walk(4, ADDRESS));
    assert_int_equal(first, ADDRESS & ~(MIB_2 - 1));
    assert_int_equal(last, ADDRESS | (MIB_2 - 1));
    map(3, (ADDRESS & ~(GIB - 1)) | LARGE | TABLE);
    assert_true(walk(4, ADDRESS));
    assert_int_equal(last, ADDRESS | (GIB - 1));
}

TEST(test_five_levels)
{
    map(1, ADDRESS | TABLE);
    assert_true(walk(5, ADDRESS));
    level[5][0] = 0;
    assert_false(walk(5, ADDRESS));
    assert_true(walk(4, ADDRESS));
}

TEST(test_elsewhere)
{
    map(1, (ADDRESS + 0x1000) | TABLE);
    assert_false(walk(4, ADDRESS));
    map(2, ((ADDRESS & ~(MIB_2 - 1)) + MIB_2) | LARGE | TABLE);
    assert_false(walk(4, ADDRESS));
}

TEST(test_rights)
{
    for (unsigned i = 1; i <= 4; i++)
        for (uint64_t bit = 1; bit <= 2; bit <<= 1) {
            map(1, ADDRESS | TABLE);
            level[i][index_of(ADDRESS, i)] &= ~bit;
            assert_false(walk(4, ADDRESS));
        }
}

/* Linear addresses of the upper half are sign-extended, so they never equal a physical address. */
TEST(test_no_address)
{
    const uint64_t beyond = ADDRESS | 1ull << 47;

    map(1, beyond | TABLE);
    level[4][index_of(beyond, 4)] = level[4][index_of(ADDRESS, 4)];
    assert_false(walk(4, beyond));
    assert_true(walk(5, beyond));
    assert_false(walk(5, beyond | 1ull << 57));
}
