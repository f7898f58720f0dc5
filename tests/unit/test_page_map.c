/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables, read by a walk of its own: Intel SDM vol. 3A "4-Level Paging and 5-Level Paging".
 * Physical addresses of user pages are numbers, which nothing looks behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/page_map.h"

#define TABLES 64u
#define KIB    (1ull << 10)
#define MIB    (1ull << 20)
#define GIB    (1ull << 30)
#define BASE_4 0x7f8000000000ull   /* 255 << 39 */
#define BASE_5 0xff000000000000ull /* 255 << 48 */

static _Alignas(PAGE_BYTES) uint64_t pool[TABLES][TABLE_ENTRIES];
static _Alignas(PAGE_BYTES) uint64_t firmware[TABLE_ENTRIES];
static struct page_map map;

static void start(uint32_t tables, uint32_t levels, bool giant)
{
    memset(pool, 0xa5, sizeof(pool));
    page_map_start(&map, pool, tables, levels, giant);
}

struct walked {
    bool present, user, writable, no_execute;
    uint64_t physical, page_bytes;
};

/* As the CPU does it: rights are those that all entries on the way give. */
static struct walked walk(uint64_t linear)
{
    struct walked walked = {.user = true, .writable = true};
    const uint64_t *table = pool[0];

    for (unsigned shift = 12 + 9 * (map.levels - 1);; shift -= 9) {
        uint64_t entry = table[linear >> shift & 511];

        if (!(entry & 1))
            return (struct walked){0};
        walked.writable &= entry >> 1 & 1;
        walked.user &= entry >> 2 & 1;
        walked.no_execute |= entry >> 63;
        assert_int_equal(entry & (1 << 3 | 1 << 4), 0); /* PWT, PCD: write-back */
        if (shift == 12 || entry >> 7 & 1) {
            assert_true(shift <= 30);
            walked.present = true;
            walked.page_bytes = 1ull << shift;
            walked.physical = (entry & 0x000ffffffffff000ull) | (linear & (walked.page_bytes - 1));
            assert_int_equal(entry & 0x000ffffffffff000ull & (walked.page_bytes - 1), 0);
            return walked;
        }
        table = (const uint64_t *)(entry & 0x000ffffffffff000ull);
        assert_true(table >= pool[0] && table <= pool[TABLES - 1]);
    }
}

/* Maps a range, and looks at the ends of every page of it and at its neighbours. */
static void expect_mapped(uint64_t linear, uint64_t physical, uint64_t bytes, uint64_t largest)
{
    uint64_t seen = 0;

    assert_true(page_map_user(&map, linear, physical, bytes));
    for (uint64_t at = 0; at < bytes;) {
        struct walked first = walk(linear + at);

        assert_true(first.present && first.user && first.writable && !first.no_execute);
        assert_true(first.physical == physical + at);
        assert_true(walk(linear + at + first.page_bytes - 1).physical ==
                    physical + at + first.page_bytes - 1);
        assert_true(first.page_bytes <= bytes - at);
        if (first.page_bytes > seen)
            seen = first.page_bytes;
        at += first.page_bytes;
    }
    assert_true(seen == largest);
    assert_false(walk(linear - 1).present);
    assert_false(walk(linear + bytes).present);
}

static void base_is_the_last_entry_of_the_lower_half(void **state)
{
    (void)state;
    start(8, 4, false);
    assert_true(page_map_user_base(&map) == BASE_4);
    start(8, 5, false);
    assert_true(page_map_user_base(&map) == BASE_5);
}

static void ranges_take_the_largest_pages(void **state)
{
    static const struct {
        uint64_t offset, physical, bytes, small,
            giant; /* the largest page without and with 1 GiB */
    } ROWS[] = {
        {0, 0x7000, 4 * KIB, 4 * KIB, 4 * KIB},
        {4 * KIB, 0x123456000, 64 * KIB, 4 * KIB, 4 * KIB},
        {2 * MIB, 6 * MIB, 2 * MIB, 2 * MIB, 2 * MIB},
        {MIB, 5 * MIB, 4 * MIB, 2 * MIB, 2 * MIB},               /* both ends in part */
        {2 * MIB + 4 * KIB, 4 * MIB, 4 * MIB, 4 * KIB, 4 * KIB}, /* addresses that never agree */
        {3 * GIB - 8 * KIB, 7 * GIB - 8 * KIB, 2 * GIB + 16 * KIB, 2 * MIB, GIB},
        {511 * GIB, 0xffffc0000000, GIB, 2 * MIB, GIB}, /* up to the last byte */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (uint32_t levels = 4; levels <= 5; levels++)
            for (int giant = 0; giant <= 1; giant++) {
                start(TABLES, levels, giant);
                expect_mapped(page_map_user_base(&map) + ROWS[i].offset, ROWS[i].physical,
                              ROWS[i].bytes, giant ? ROWS[i].giant : ROWS[i].small);
            }
}

/* With addresses that agree by 1 GiB the tables are as many as the header says. */
static void tables_are_enough(void **state)
{
    static const uint64_t BYTES[] = {4 * KIB, 40 * KIB,           2 * MIB + 4 * KIB, 64 * MIB,
                                     GIB,     3 * GIB + 12 * KIB, 16 * GIB};

    (void)state;
    for (size_t i = 0; i < sizeof(BYTES) / sizeof(BYTES[0]); i++)
        for (uint32_t levels = 4; levels <= 5; levels++)
            for (int giant = 0; giant <= 1; giant++) {
                uint64_t first = GIB - 4 * KIB; /* crosses into the next 1 GiB */

                start(PAGE_MAP_BASE_TABLES + 2 * PAGE_MAP_TABLES(BYTES[i]), levels, giant);
                assert_true(map.tables <= TABLES);
                assert_true(page_map_user(&map, page_map_user_base(&map) + first, 5 * GIB + first,
                                          BYTES[i]));
                assert_true(page_map_user(&map, page_map_user_base(&map) + 32 * GIB + first,
                                          50 * GIB + first, BYTES[i]));
            }
}

static void tables_run_out(void **state)
{
    (void)state;
    for (uint32_t tables = 1; tables <= 4; tables++) {
        start(tables, 4, false);
        assert_true(page_map_user(&map, BASE_4, 0x7000, PAGE_BYTES) == (tables == 4));
        for (uint32_t i = tables; i < TABLES; i++) /* nothing behind them is touched */
            assert_int_equal(pool[i][0], 0xa5a5a5a5a5a5a5a5);
    }
}

static void bad_arguments(void **state)
{
    static const struct {
        uint64_t linear, physical, bytes;
    } ROWS[] = {
        {BASE_4 + 1, 0, 4096},
        {BASE_4, 0x800, 4096},
        {BASE_4, 0, 100},
        {BASE_4 - 4096, 0, 8192},
        {BASE_4 + 512 * GIB, 0, 4096},
        {BASE_4 + 512 * GIB - 4096, 0, 8192},
        {0x1000, 0, 4096},
        {BASE_4, 1ull << 52, 4096},
        {BASE_4, 0, 513 * GIB},
        {BASE_4 + 4096, 0, 0xfffffffffffff000},
    };

    (void)state;
    start(TABLES, 4, false);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_false(page_map_user(&map, ROWS[i].linear, ROWS[i].physical, ROWS[i].bytes));
    assert_true(page_map_user(&map, BASE_4, 0, 0)); /* no buffer */
    assert_int_equal(map.used, 1);
}

/* All that the firmware maps stays, for CPL 0 alone; what is in the user's entry stays ours. */
static void the_rest_is_the_supervisors(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        firmware[i] = i % 3 ? 0x8000000000000000ull | (uint64_t)i << 12 | 0x67 : 0;
    start(TABLES, 4, false);
    assert_true(page_map_user(&map, BASE_4, 0x7000, PAGE_BYTES));
    page_map_supervisor(&map, firmware);
    assert_true(walk(BASE_4).user);
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        if (i != 255)
            assert_true(pool[0][i] == (firmware[i] & ~4ull));
    start(TABLES, 4, false);
    page_map_supervisor(&map, firmware); /* and in the other order */
    assert_true(pool[0][255] == 0);
    expect_mapped(BASE_4 + 8 * KIB, 0x7000, PAGE_BYTES, PAGE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_is_the_last_entry_of_the_lower_half),
        cmocka_unit_test(ranges_take_the_largest_pages),
        cmocka_unit_test(tables_are_enough),
        cmocka_unit_test(tables_run_out),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(the_rest_is_the_supervisors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
