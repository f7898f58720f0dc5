/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's own page tables. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/pages.h"

static void expect_mapped(uint64_t linear, uint64_t physical, uint64_t bytes, uint64_t largest,
                          uint32_t page_bytes)
{
    uint64_t seen = 0;

    assert_true(page_map_add(&map, linear, physical, bytes, PAGE_MAP_WRITE, page_bytes));
    for (uint64_t at = 0; at < bytes;) {
        struct walked first = walk(linear + at);

        assert_true(first.present && !first.user && first.writable && first.no_execute);
        assert_true(first.physical == physical + at && first.pat == 0);
        assert_true(walk(linear + at + first.page_bytes - 1).physical ==
                    physical + at + first.page_bytes - 1);
        assert_true(first.page_bytes <= bytes - at);
        assert_true(page_bytes == 0 || first.page_bytes == page_bytes);
        if (first.page_bytes > seen)
            seen = first.page_bytes;
        at += first.page_bytes;
    }
    assert_true(seen == largest);
    assert_false(walk(linear - 1).present);
    assert_false(walk(linear + bytes).present);
}

TEST(ranges_take_the_largest_pages)
{
    static const struct {
        uint64_t offset, physical, bytes, small,
            giant; /* size of the largest page on CPUs without and with 1 GiB pages */
    } ROWS[] = {
        {4 * KIB, 0x7000, 4 * KIB, 4 * KIB, 4 * KIB},
        {4 * KIB, 0x123456000, 64 * KIB, 4 * KIB, 4 * KIB},
        {2 * MIB, 6 * MIB, 2 * MIB, 2 * MIB, 2 * MIB},
        {MIB, 5 * MIB, 4 * MIB, 2 * MIB, 2 * MIB},
        {2 * MIB + 4 * KIB, 4 * MIB, 4 * MIB, 4 * KIB, 4 * KIB}, /* different offsets in 2 MiB */
        {3 * GIB - 8 * KIB, 7 * GIB - 8 * KIB, 2 * GIB + 16 * KIB, 2 * MIB, GIB},
        {511 * GIB, 0xffffc0000000, GIB - 4 * KIB, 2 * MIB, 2 * MIB},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (uint32_t levels = 4; levels <= 5; levels++)
            for (int giant = 0; giant <= 1; giant++) {
                start(TABLES, levels, giant);
                expect_mapped(BASE + ROWS[i].offset, ROWS[i].physical, ROWS[i].bytes,
                              giant ? ROWS[i].giant : ROWS[i].small, 0);
            }
}

TEST(pages_of_the_size_that_is_wanted)
{
    start(TABLES, 4, true);
    expect_mapped(BASE + GIB, 5 * GIB, 4 * MIB, 4 * KIB, PAGE_BYTES);
    expect_mapped(BASE + 4 * GIB, 8 * GIB, 4 * MIB, 2 * MIB, PAGE_BYTES_2M);
    expect_mapped(BASE + 8 * GIB, 16 * GIB, 2 * GIB, GIB, PAGE_BYTES_1G);
    assert_false(page_map_add(&map, BASE + 20 * GIB + MIB, MIB, 2 * MIB, 0, PAGE_BYTES_2M));
    assert_false(page_map_add(&map, BASE + 20 * GIB, 0, MIB, 0, PAGE_BYTES_2M));
    start(TABLES, 4, false);
    assert_false(page_map_add(&map, BASE + GIB, GIB, GIB, 0, PAGE_BYTES_1G));
}

TEST(rights_and_types)
{
    static const uint32_t BYTES[] = {PAGE_BYTES, PAGE_BYTES_2M, PAGE_BYTES_1G};

    for (unsigned size = 0; size < 3; size++)
        for (unsigned pat = 0; pat < 8; pat++)
            for (uint32_t rights = 0; rights < 16; rights++) {
                struct walked walked;

                start(TABLES, 4, true);
                map.no_execute = pat & 1;
                assert_true(page_map_add(&map, BASE + GIB, 3 * GIB, BYTES[size],
                                         rights | PAGE_MAP_PAT(pat), BYTES[size]));
                walked = walk(BASE + GIB);
                assert_true(walked.physical == 3 * GIB && walked.page_bytes == BYTES[size]);
                assert_int_equal(walked.pat, pat);
                assert_int_equal(walked.writable, rights & PAGE_MAP_WRITE ? 1 : 0);
                assert_int_equal(walked.user, rights & PAGE_MAP_USER ? 1 : 0);
                assert_int_equal(walked.global, rights & PAGE_MAP_GLOBAL ? 1 : 0);
                assert_int_equal(walked.no_execute, !(rights & PAGE_MAP_EXECUTE) && (pat & 1));
            }
}

/*
 * page_map_tables() gives enough tables if the linear and the physical address have the same offset
 * in 1 GiB.
 */
TEST(tables_are_enough)
{
    static const struct {
        uint64_t bytes;
        uint32_t page_bytes;
    } ROWS[] = {
        {4 * KIB, 0},
        {40 * KIB, 0},
        {2 * MIB + 4 * KIB, 0},
        {64 * MIB, 0},
        {GIB, 0},
        {3 * GIB + 12 * KIB, 0},
        {16 * GIB, 0},
        {40 * KIB, PAGE_BYTES},
        {2 * MIB, PAGE_BYTES},
        {64 * MIB, PAGE_BYTES},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (uint32_t levels = 4; levels <= 5; levels++)
            for (int giant = 0; giant <= 1; giant++) {
                uint64_t first = GIB - 4 * KIB; /* crosses a 1 GiB boundary */

                start(levels - 3 + page_map_tables(ROWS[i].bytes, ROWS[i].page_bytes), levels,
                      giant);
                assert_true(map.tables <= TABLES);
                assert_true(page_map_add(&map, BASE + first, 5 * GIB + first, ROWS[i].bytes, 0,
                                         ROWS[i].page_bytes));
            }
}

TEST(tables_run_out)
{
    for (uint32_t tables = 1; tables <= 4; tables++) {
        start(tables, 4, false);
        assert_true(page_map_add(&map, BASE, 0x7000, PAGE_BYTES, 0, 0) == (tables == 4));
        for (uint32_t i = tables; i < TABLES; i++)
            assert_int_equal(pool[i][0], 0xa5a5a5a5a5a5a5a5);
    }
}

TEST(bad_arguments)
{
    static const struct {
        uint64_t linear, physical, bytes;
    } ROWS[] = {
        {BASE + 1, 0, 4096},
        {BASE, 0x800, 4096},
        {BASE, 0, 100},
        {BASE - 4096, 0, 8192},
        {BASE + 512 * GIB, 0, 4096},
        {BASE + 512 * GIB - 4096, 0, 8192},
        {0x1000, 0, 4096},
        {BASE, 1ull << 52, 4096},
        {BASE, 0, 513 * GIB},
        {BASE + 4096, 0, 0xfffffffffffff000},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        start(TABLES, 4, false);
        assert_false(page_map_add(&map, ROWS[i].linear, ROWS[i].physical, ROWS[i].bytes, 0, 0));
    }
    start(TABLES, 4, false);
    assert_true(page_map_add(&map, BASE, 0, 0, 0, 0));
    assert_int_equal(map.used, 1);
}
