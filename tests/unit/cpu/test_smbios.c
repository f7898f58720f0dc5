/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS structures: valid and damaged tables. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/firmware_table.h"
#include "tests/unit/fakes/random.h"
#include "pmu/journal/record.h"
#include "pmu/cpu/smbios.h"

BEFORE_ALL(random_start);

static struct smbios found;

static void begin(unsigned type, unsigned length)
{
    put(type, 1);
    put(length, 1);
    put(used, 2); /* the handle */
}

static void strings(const char *first, const char *second, const char *third)
{
    const char *all[] = {first, second, third};

    for (size_t i = 0; i < 3 && all[i]; i++) {
        memcpy(table + used, all[i], strlen(all[i]) + 1);
        used += strlen(all[i]) + 1;
    }
    put(0, first ? 1 : 2); /* DSP0134: two zeros if there are no strings */
}

/* Offsets: DSP0134, "BIOS Information (Type 0)". */
static void firmware(void)
{
    begin(0, 24);
    put(1, 1); /* vendor */
    put(2, 1); /* version */
    put(0, 18);
    strings("Vendor", "V1.2", NULL);
}

/* "System Information (Type 1)" has 8, 25 or 27 bytes in versions 2.0, 2.1 and 2.4. */
static void system_of(unsigned length, unsigned maker, unsigned product)
{
    begin(1, length);
    put(maker, 1);
    put(product, 1);
    put(0, 2);
    for (unsigned i = 8; i < length; i++)
        put(i < 24 ? 0x10 + i - 8 : 6, 1);
}

static void other(void)
{
    begin(17, 40);
    put(0, 36);
    strings(NULL, NULL, NULL);
}

static void end(void)
{
    begin(127, 4);
    strings(NULL, NULL, NULL);
}

/* A block of exactly this size, so that overruns are caught. */
static void read_bytes(size_t bytes)
{
    uint8_t *exact = malloc(bytes + !bytes);

    assert_non_null(exact);
    memcpy(exact, table, bytes);
    memset(&found, 0x55, sizeof(found));
    smbios_read(exact, bytes, &found);
    free(exact);
}

static void start(void)
{
    memset(table, 0, sizeof(table));
    used = 0;
}

BEFORE_EACH(start);

TEST(machine)
{
    other();
    firmware();
    system_of(27, 1, 3);
    strings("Maker", "between", "Product 7\xff");
    other();
    end();
    put(1, 1);
    put(8, 1);
    put(0x0101, 6);
    strings("nobody", NULL, NULL);
    read_bytes(used);
    assert_string_equal(found.firmware_version, "V1.2");
    assert_string_equal(found.maker, "Maker");
    assert_string_equal(found.product, "Product 7?");
    /* the specification's example: bytes 33 22 11 00 55 44 ... are 00112233-4455-... */
    assert_string_equal(found.uuid, "13121110-1514-1716-1819-1a1b1c1d1e1f");
}

TEST(older_and_poorer)
{
    system_of(8, 0, 2);
    strings("unused", "Product", NULL);
    end();
    read_bytes(used);
    assert_string_equal(found.maker, "");
    assert_string_equal(found.product, "Product");
    assert_string_equal(found.uuid, "");
    assert_string_equal(found.firmware_version, "");
    used = 0;
    system_of(25, 3, 2);
    memset(table + 8, 0xff, 16);
    strings("one", "two", NULL);
    read_bytes(used);
    assert_string_equal(found.maker, "");
    assert_string_equal(found.product, "two");
    assert_string_equal(found.uuid, "");
    read_bytes(0);
    assert_string_equal(found.product, "");
}

static void dimm(unsigned length, unsigned size, unsigned type, unsigned extended,
                 unsigned technology)
{
    begin(17, length);
    put(0, 8);
    put(size, 2);
    put(0, 4);
    put(type, 1);
    put(0, 9);
    put(extended, 4);
    put(0, 8);
    put(technology, 1);
    put(0, 11);
    used -= 52 - length;
    strings(NULL, NULL, NULL);
}

#define DDR4 0x1a

TEST(dimms)
{
    static const struct {
        unsigned length, size, type, extended, technology;
        uint64_t mib; /* 0: none */
    } ROWS[] = {
        {40, 4096, DDR4, 0, 0, 4096},
        {21, 1, DDR4, 0, 0, 1},
        {40, 0, DDR4, 0, 0, 0},
        {40, 0xffff, DDR4, 0, 0, 0},
        {40, 0x7fff, DDR4, 65536, 0, 65536},
        {28, 0x7fff, DDR4, 65536, 0, 0},
        {40, 0x7ffe, DDR4, 65536, 0, 0x7ffe},
        {40, 0x8000 | 2048, DDR4, 0, 0, 2},
        {13, 4096, DDR4, 0, 0, 0},
        {52, 4096, DDR4, 0, 3, 4096},
        {52, 4096, DDR4, 0, 2, 4096},
        {52, 4096, DDR4, 0, 4, 0},
        {40, 4096, DDR4, 0, 7, 4096}, /* too short for a technology */
        {40, 16, 0x08, 0, 0, 0},      /* ROM */
        {40, 16, 0x0c, 0, 0, 0},      /* EPROM */
        {40, 16384, 0x20, 0, 0, 0},   /* HBM */
        {40, 16384, 0x21, 0, 0, 0},
        {40, 16384, 0x24, 0, 0, 0},
        {40, 16384, 0x22, 0, 0, 16384}, /* DDR5 */
        {40, 16384, 0x02, 0, 0, 16384}, /* not known */
    };
    struct smbios_dimms dimms;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        start();
        dimm(ROWS[i].length, ROWS[i].size, ROWS[i].type, ROWS[i].extended, ROWS[i].technology);
        dimm(40, 3000, DDR4, 0, 0);
        end();
        smbios_find_dimms(table, used, &dimms);
        assert_int_equal(dimms.count, ROWS[i].mib ? 2 : 1);
        assert_int_equal(dimms.least_mib, ROWS[i].mib && ROWS[i].mib < 3000 ? ROWS[i].mib : 3000);
        assert_int_equal(dimms.most_mib, ROWS[i].mib > 3000 ? ROWS[i].mib : 3000);
    }
    smbios_find_dimms(table, 0, &dimms);
    assert_int_equal(dimms.count, 0);
}

TEST(cut_anywhere)
{
    static const char MAKER[] = "Maker", PRODUCT[] = "Product";
    size_t names;

    firmware();
    system_of(27, 1, 2);
    names = used;
    strings(MAKER, PRODUCT, NULL);
    end();
    for (size_t bytes = 0; bytes <= used; bytes++) {
        size_t maker = bytes < names ? 0 : bytes - names;
        size_t product = maker < sizeof(MAKER) ? 0 : maker - sizeof(MAKER);

        read_bytes(bytes);
        assert_int_equal(strlen(found.maker), maker < sizeof(MAKER) ? maker : sizeof(MAKER) - 1);
        assert_memory_equal(found.maker, MAKER, strlen(found.maker));
        assert_int_equal(strlen(found.product),
                         product < sizeof(PRODUCT) ? product : sizeof(PRODUCT) - 1);
        assert_memory_equal(found.product, PRODUCT, strlen(found.product));
        assert_int_equal(found.uuid[0] != 0, bytes >= names);
    }
}

TEST(damaged)
{
    put(0x0305, 4); /* shorter than its header */
    put(0, 1);
    system_of(27, 1, 2);
    strings("Maker", "Product", NULL);
    read_bytes(used);
    assert_string_equal(found.maker, "");
    used = 0;
    system_of(27, 1, 2);
    table[1] = 255;
    strings("Maker", "Product", NULL);
    read_bytes(used);
    assert_string_equal(found.maker, "");
    used = 0;
    system_of(27, 1, 1);
    memset(table + used, 'x', 1000);
    read_bytes(used + 1000);
    assert_int_equal(strlen(found.maker), sizeof(found.maker) - 1);
    assert_int_equal(strlen(found.product), sizeof(found.product) - 1);
}

TEST(any_bytes)
{
    for (unsigned round = 0; round < 20000; round++) {
        size_t bytes = random_below(300);

        used = 0;
        firmware();
        system_of(27, 1, 2);
        strings("Maker", "Product", NULL);
        for (uint64_t i = round % 2 ? 300 : random_below(8); i > 0; i--)
            table[random_below(300)] = (uint8_t)(random_bits() % (round % 4 < 2 ? 256 : 4));
        read_bytes(bytes);
        assert_true(strlen(found.maker) < sizeof(found.maker));
        assert_true(strlen(found.product) < sizeof(found.product));
        assert_true(strlen(found.firmware_version) < sizeof(found.firmware_version));
        assert_true(strlen(found.uuid) == 0 || strlen(found.uuid) == 36);
    }
}

/* ---- entry points ---- */

/* Offsets: "SMBIOS 2.1 (32-bit) Entry Point". The checksum makes the sum of all bytes 0. */
static void entry_2(unsigned length)
{
    memcpy(table, "_SM_", 4);
    table[5] = (uint8_t)length;
    used = 22;
    put(0x1234, 2);
    put(0x89abcdef, 4);
    used = 31;
}

static void entry_3(void)
{
    memcpy(table, "_SM3_", 5);
    table[6] = 24;
    used = 12;
    put(0x56789abc, 4);
    put(0x123456789abcdef0, 8);
}

static bool entry_is(unsigned checksum_at, unsigned off_by, struct smbios_place *place)
{
    uint8_t *exact = malloc(used), sum = (uint8_t)-off_by;
    bool right;

    assert_non_null(exact);
    table[checksum_at] = 0;
    for (size_t i = 0; i < used; i++)
        sum = (uint8_t)(sum + table[i]);
    table[checksum_at] = (uint8_t)-sum;
    memcpy(exact, table, used);
    right = smbios_entry(exact, place);
    free(exact);
    return right;
}

TEST(entries)
{
    struct smbios_place place;

    entry_2(31);
    assert_true(entry_is(4, 0, &place));
    assert_int_equal(place.address, 0x89abcdef);
    assert_int_equal(place.bytes, 0x1234);
    assert_false(entry_is(4, 1, &place));
    assert_int_equal(place.address, 0);
    entry_2(30); /* version 2.1 of the specification says 30 */
    used = 30;
    assert_true(entry_is(4, 0, &place));
    entry_2(29);
    assert_false(entry_is(4, 0, &place));
    entry_2(33);
    assert_false(entry_is(4, 0, &place));
    entry_2(31);
    table[3] = '-';
    assert_false(entry_is(4, 0, &place));
}

TEST(entries_of_64_bits)
{
    struct smbios_place place;

    entry_3();
    assert_true(entry_is(5, 0, &place));
    assert_int_equal(place.address, 0x123456789abcdef0);
    assert_int_equal(place.bytes, 0x56789abc);
    assert_false(entry_is(5, 255, &place));
    table[6] = 23;
    used = 23;
    assert_false(entry_is(5, 0, &place));
    entry_3();
    table[4] = '-';
    assert_false(entry_is(5, 0, &place));
    entry_3();
    memset(table + 16, 0, 8);
    assert_false(entry_is(5, 0, &place));
}
