/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program maps all pages of the firmware's tables read-only, and gives single pages other
 * rights.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/pages.h"

/* P, R/W, U/S, A and D of the firmware's page-table entries */
#define THEIRS 0x67ull

static _Alignas(PAGE_BYTES) uint64_t firmware[5][TABLE_ENTRIES], firmware_was[5][TABLE_ENTRIES];

/*
 * The firmware maps one page of 1 GiB at 0, then 1 GiB in pages of 2 MiB. The last 2 MiB are split
 * into pages of 4 KiB. Every page has its PAT bit set. In the next higher table, entries 0, 1 and
 * 255 map the same pages. With 5 levels, entries 0 and 7 of the top table map them, too.
 */
static const uint64_t *firmware_tables(uint32_t levels)
{
    memset(firmware, 0, sizeof(firmware));
    firmware[4][0] = (uint64_t)firmware[0] | THEIRS;
    firmware[4][7] = (uint64_t)firmware[0] | THEIRS;
    firmware[0][0] = firmware[0][1] = (uint64_t)firmware[1] | THEIRS;
    firmware[0][255] = (uint64_t)firmware[1] | THEIRS; /* where the kernel's pages will be */
    firmware[1][0] = 0x40000000 | THEIRS | LARGE | 1 << 12;
    firmware[1][1] = (uint64_t)firmware[2] | THEIRS;
    for (unsigned i = 0; i < 511; i++)
        firmware[2][i] = (64 * GIB + i * 2 * MIB) | THEIRS | LARGE | 1 << 12 | 1 << 3;
    firmware[2][511] = (uint64_t)firmware[3] | THEIRS;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        firmware[3][i] = (128 * GIB + i * 4 * KIB) | THEIRS | LARGE | XD; /* bit 7: PAT in 4 KiB */
    memcpy(firmware_was, firmware, sizeof(firmware));
    return levels == 5 ? firmware[4] : firmware[0];
}

static const uint64_t THEIR_PAGES[] = {0x1000,
                                       GIB - 1,
                                       GIB + 0x3000,
                                       GIB + 2 * MIB,
                                       2 * GIB - 2 * MIB,
                                       2 * GIB - 0x1800,
                                       512 * GIB + 0x5000,
                                       513 * GIB + 4 * MIB};
#define THEIR_PAGES_COUNT (sizeof(THEIR_PAGES) / sizeof(THEIR_PAGES[0]))

/*
 * All pages are mapped as before, but read-only and for CPL 0. Only the page that contains `open`
 * also has `rights`.
 */
static void expect_shared(const uint64_t *top, uint64_t open, uint32_t rights)
{
    for (size_t i = 0; i < THEIR_PAGES_COUNT; i++) {
        struct walked was = walk_from(top, THEIR_PAGES[i]), is = walk(THEIR_PAGES[i]);
        bool is_open = (THEIR_PAGES[i] ^ open) < 4 * KIB;

        assert_true(was.present && is.present);
        assert_true(is.physical == was.physical && is.pat == was.pat);
        assert_false(is.user);
        assert_int_equal(is.writable, is_open && rights & PAGE_MAP_WRITE);
        assert_int_equal(is.no_execute,
                         map.no_execute
                             ? !(is_open && rights & PAGE_MAP_EXECUTE)
                             : was.no_execute && !(is_open && rights & PAGE_MAP_EXECUTE));
    }
    assert_false(walk(2 * GIB).present);
    assert_false(walk(514 * GIB).present);
    assert_memory_equal(firmware, firmware_was, sizeof(firmware));
}

TEST(what_the_firmware_maps_is_read_only)
{
    for (uint32_t levels = 4; levels <= 5; levels++)
        for (int no_execute = 0; no_execute <= 1; no_execute++) {
            const uint64_t *top = firmware_tables(levels);

            start(levels - 3, levels, true);
            map.no_execute = no_execute;
            assert_true(page_map_share(&map, top));
            assert_true(map.used <= PAGE_MAP_SHARE_TABLES);
            expect_shared(top, 1, 0);
            assert_false(walk(BASE).present);
        }
}

TEST(a_page_is_opened_and_no_other)
{
    static const uint32_t RIGHTS[] = {PAGE_MAP_WRITE, PAGE_MAP_EXECUTE};

    for (uint32_t levels = 4; levels <= 5; levels++)
        for (size_t i = 0; i < THEIR_PAGES_COUNT; i++)
            for (unsigned r = 0; r < 2; r++) {
                const uint64_t *top = firmware_tables(levels);

                start(PAGE_MAP_SHARE_TABLES + page_map_open_tables(2), levels, true);
                map.no_execute = i % 2;
                assert_true(page_map_share(&map, top));
                assert_true(page_map_open(&map, THEIR_PAGES[i], 1, RIGHTS[r]));
                expect_shared(top, THEIR_PAGES[i], RIGHTS[r]);
            }
}

/* One large page has the address of one of the program's tables. */
TEST(a_large_page_is_no_table_of_ours)
{
    const uint64_t *top = firmware_tables(4);
    const uint64_t at = GIB + 0x3000;
    uint64_t *ours = aligned_alloc(2 * MIB, 2 * MIB);

    firmware[2][0] = (uint64_t)ours | THEIRS | LARGE;
    start(PAGE_MAP_SHARE_TABLES + page_map_open_tables(1), 4, true);
    map.table = ours;
    page_map_start(&map);
    assert_true(page_map_share(&map, top));
    assert_true(page_map_open(&map, at, 1, PAGE_MAP_WRITE));
    assert_true(walk_from(ours, at).physical == (uint64_t)ours + 0x3000);
    assert_true(walk_from(ours, at).writable);
    free(ours);
}

TEST(ranges_are_opened_to_their_ends)
{
    const uint64_t *top = firmware_tables(4);
    const uint64_t first = GIB - 8 * KIB, bytes = 2 * MIB + 12 * KIB;

    start(PAGE_MAP_SHARE_TABLES + page_map_open_tables(bytes), 4, true);
    assert_true(page_map_share(&map, top));
    assert_true(page_map_open(&map, first + 0xf00, bytes - 0x1e00, PAGE_MAP_WRITE));
    for (uint64_t at = first - 4 * KIB; at < first + bytes + 4 * KIB; at += 4 * KIB) {
        assert_int_equal(walk(at).writable, at >= first && at < first + bytes);
        assert_true(walk(at).physical == walk_from(top, at).physical);
    }
    assert_false(page_map_open(&map, 2 * GIB - 4 * KIB, 8 * KIB, PAGE_MAP_WRITE));
    start(3, 4, true);
    assert_true(page_map_share(&map, top));
    assert_false(page_map_open(&map, 0x1000, 1, PAGE_MAP_WRITE)); /* needs 3 tables, 2 are left */
}
